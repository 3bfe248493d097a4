"""openai-python: chat completions and responses; streamed, with the stream helper, and complete."""

import json
from importlib.metadata import version

from openai import OpenAI
from report import CASE, CITESTREAM, KEY, Seen, broken, provider_closed, raised, report, way

question, evidence = CASE["question"], CASE["evidence"]

# region connect
client = OpenAI(base_url=f"{CITESTREAM}/v1", api_key=KEY)
# endregion
messages = [{"role": "user", "content": question}]
tools = [{"type": "function", "function": {"name": "weather", "parameters": {"type": "object", "properties": {}}}}]


def chat_streamed(model: str) -> Seen:
    text, usage = "", None
    # region chat_streamed
    stream = client.chat.completions.create(
        model=model,
        messages=[{"role": "user", "content": question}],
        stream=True,
        stream_options={"include_usage": True},
        extra_body={"evidence": evidence},
    )
    for chunk in stream:
        for choice in chunk.choices:
            text += choice.delta.content or ""
            if choice.finish_reason:
                references = chunk.references
        usage = chunk.usage or usage
    print(text)
    for reference in references:
        print(f"[{reference['number']}] {reference['title'] or reference['file_name']}: {reference['snippet']}")
    # endregion
    spans = [reference["spans"][0] for reference in references]
    return {
        "text": text,
        "usage": counts(usage),
        "references": [reference["url"] or reference["file_name"] for reference in references],
        "text_at_offsets": [text[span["start"] : span["end"]] for span in spans],
    }


def chat_helper(model: str) -> Seen:
    # region chat_helper
    with client.chat.completions.stream(
        model=model,
        messages=[{"role": "user", "content": question}],
        stream_options={"include_usage": True},
        extra_body={"evidence": evidence},
    ) as stream:
        for event in stream:
            if event.type == "content.delta":
                print(event.delta, end="")
    print()
    completion = stream.get_final_completion()
    for annotation in completion.choices[0].message.annotations:
        print(annotation.url_citation.title, annotation.url_citation.url)
    # endregion
    assert [reference["number"] for reference in completion.choices[0].message.references] == [1, 2]
    return of_message(completion)


def chat_whole(model: str) -> Seen:
    # region chat_whole
    completion = client.chat.completions.create(
        model=model,
        messages=[{"role": "user", "content": question}],
        extra_body={"evidence": evidence},
    )
    print(completion.choices[0].message.content)
    for reference in completion.references:
        print(reference["number"], reference["snippet"])
    # endregion
    assert [reference["number"] for reference in completion.references] == [1, 2]
    return of_message(completion)


def responses_streamed(model: str) -> Seen:
    text, found = "", []
    # region responses_streamed
    stream = client.responses.create(model=model, input=question, stream=True, extra_body={"evidence": evidence})
    for event in stream:
        if event.type == "response.output_text.delta":
            text += event.delta
            print(event.delta, end="")
        elif event.type == "response.output_text.annotation.added":
            found.append(event.annotation)  # right after its sentence; a dict up to openai 2, an object from 3 on
        elif event.type == "response.completed":
            response = event.response
    print()
    for annotation in response.output[-1].content[0].annotations:
        print(annotation.title, annotation.url)
    # endregion
    assert [reference["number"] for reference in response.references] == [1, 2]
    return of_response(response, text, found)


def responses_helper(model: str) -> Seen:
    with client.responses.stream(model=model, input=question, extra_body={"evidence": evidence}) as stream:
        text = "".join(event.delta for event in stream if event.type == "response.output_text.delta")
        response = stream.get_final_response()
    return of_response(response, text)


def responses_whole(model: str) -> Seen:
    # region responses_whole
    response = client.responses.create(model=model, input=question, extra_body={"evidence": evidence})
    print(response.output_text)
    for reference in response.references:
        print(reference["number"], reference["snippet"])
    # endregion
    return of_response(response, response.output_text)


def of_message(completion) -> Seen:
    message = completion.choices[0].message
    citations = [annotation.url_citation for annotation in message.annotations]
    return {
        "text": message.content,
        "usage": counts(completion.usage),
        "references": [citation.url for citation in citations],
        "text_at_offsets": [message.content[citation.start_index : citation.end_index] for citation in citations],
    }


def of_response(response, text: str, streamed=None) -> Seen:
    part = response.output[-1].content[0]
    assert part.text == text
    if streamed is not None:
        assert [dict(one) for one in streamed] == [dict(one) for one in part.annotations]
    return {
        "text": text,
        "usage": {
            "input": response.usage.input_tokens,
            "output": response.usage.output_tokens,
            "cached": response.usage.input_tokens_details.cached_tokens,
            "reasoning": response.usage.output_tokens_details.reasoning_tokens,
        },
        "references": [annotation.url for annotation in part.annotations],
        "text_at_offsets": [text[annotation.start_index : annotation.end_index] for annotation in part.annotations],
    }


def counts(usage) -> Seen:
    read, written = usage.prompt_tokens_details, usage.completion_tokens_details
    return {
        "input": usage.prompt_tokens,
        "output": usage.completion_tokens,
        "cached": read and read.cached_tokens,
        "reasoning": written and written.reasoning_tokens,
    }


def chat(model: str, **more):
    return client.chat.completions.create(model=model, messages=messages, extra_body={"evidence": evidence}, **more)


def pieces(model: str):
    for chunk in chat(model, stream=True):
        for choice in chunk.choices:
            yield choice.delta.content or ""


def chat_retrieved() -> Seen:
    # region retrieved
    call = {"id": "call_1", "type": "function", "function": {"name": "search", "arguments": "{}"}}
    completion = client.chat.completions.create(
        model="openai/gpt-4.1",
        messages=[
            {"role": "user", "content": question},
            {"role": "assistant", "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "call_1", "content": json.dumps(evidence)},
        ],
    )
    # endregion
    return without_usage(of_message(completion))


def response_retrieved() -> Seen:
    call = {"type": "function_call", "call_id": "call_1", "name": "search", "arguments": "{}"}
    output = {"type": "function_call_output", "call_id": "call_1", "output": json.dumps(evidence)}
    response = client.responses.create(model="openai/gpt-4.1", input=[*messages, call, output])
    return without_usage(of_response(response, response.output_text))


def without_usage(seen: Seen) -> Seen:
    return {key: value for key, value in seen.items() if key != "usage"}


def chat_second_turn() -> str:
    first = chat("strict/any").choices[0].message
    return conversed(first)


def helper_second_turn() -> str:
    with client.chat.completions.stream(
        model="strict/any", messages=messages, extra_body={"evidence": evidence}
    ) as stream:
        return conversed(stream.get_final_completion().choices[0].message)


def conversed(first) -> str:
    """Return the answer to the same question after the first answer, in the form in which the client keeps it."""
    history = [*messages, first, *messages]
    second = client.chat.completions.create(model="strict/any", messages=history, extra_body={"evidence": evidence})
    return second.choices[0].message.content


def response_second_turn() -> str:
    history = [*messages, *respond("strict/any").output, *messages]
    second = client.responses.create(model="strict/any", input=history, extra_body={"evidence": evidence})
    return second.output_text


def response_helper_second_turn() -> str:
    first = respond("strict/any")
    asked = {"model": "strict/any", "input": question, "extra_body": {"evidence": evidence}}
    with client.responses.stream(previous_response_id=first.id, **asked) as stream:
        return stream.get_final_response().output_text


def calls() -> list[Seen]:
    with client.chat.completions.stream(
        model="calling/any", messages=messages, tools=tools, extra_body={"evidence": evidence}
    ) as stream:
        stream.until_done()
        message = stream.get_final_completion().choices[0].message
    return [{"name": call.function.name, "arguments": call.function.arguments} for call in message.tool_calls]


def reasoning() -> str:
    chunks = [chunk for chunk in chat("reasoning/any", stream=True) if chunk.choices]
    return "".join(getattr(chunk.choices[0].delta, "reasoning", None) or "" for chunk in chunks)


def cancel() -> bool:
    # region cancel
    with client.chat.completions.create(
        model="silent/python",
        messages=[{"role": "user", "content": question}],
        stream=True,
        extra_body={"evidence": evidence},
    ) as stream:
        for chunk in stream:
            if chunk.choices[0].delta.content:
                break  # enough; leaving the block closes the stream, and Citestream closes the provider's stream
    # endregion
    return provider_closed("python")


def respond(model: str, **more):
    return client.responses.create(model=model, input=question, extra_body={"evidence": evidence}, **more)


def response_pieces(model: str):
    for event in respond(model, stream=True):
        if event.type == "response.output_text.delta":
            yield event.delta


def response_calls() -> list[Seen]:
    plain = [
        {"type": "function", "name": "weather", "parameters": {"type": "object", "properties": {}}, "strict": False}
    ]
    output = respond("calling/any", tools=plain).output
    return [{"name": item.name, "arguments": item.arguments} for item in output if item.type == "function_call"]


def response_reasoning() -> str:
    items = [item for item in respond("reasoning/any").output if item.type == "reasoning"]
    return "".join(part.text for item in items for part in item.content or item.summary)


def response_reasoning_streamed() -> str:
    events = respond("reasoning/any", stream=True)
    return "".join(event.delta for event in events if event.type == "response.reasoning_summary_text.delta")


def response_cancel() -> bool:
    with respond("silent/python-responses", stream=True) as stream:
        next(event for event in stream if event.type == "response.output_text.delta")
    return provider_closed("python-responses")


unknown = {"error": lambda: raised(lambda: chat("nobody/nothing"))}
way(
    "`chat.completions.create(stream=True)`",
    "`chunk.references` on the finish chunk",
    chat_streamed,
    reasoning=reasoning,
    error=lambda: raised(lambda: list(pieces("nobody/nothing"))),
    broken=lambda: broken(lambda: pieces("broken/any")),
    cancelled=cancel,
)
way(
    "`chat.completions.stream()`",
    "`message.annotations`, `message.references`",
    chat_helper,
    calls=calls,
    second_turn=helper_second_turn,
)
way(
    "`chat.completions.create()`",
    "`message.annotations`, `completion.references`",
    chat_whole,
    retrieved=chat_retrieved,
    second_turn=chat_second_turn,
    **unknown,
)
way(
    "`responses.create(stream=True)`",
    "`annotation.added` events",
    responses_streamed,
    reasoning=response_reasoning_streamed,
    broken=lambda: broken(lambda: response_pieces("broken/any")),
    cancelled=response_cancel,
)
way("`responses.stream()`", "annotations of the output text", responses_helper, second_turn=response_helper_second_turn)
way(
    "`responses.create()`",
    "annotations of the output text, `response.references`",
    responses_whole,
    calls=response_calls,
    retrieved=response_retrieved,
    second_turn=response_second_turn,
    reasoning=response_reasoning,
    error=lambda: raised(lambda: respond("nobody/nothing")),
)
report("openai-python", version("openai"))
