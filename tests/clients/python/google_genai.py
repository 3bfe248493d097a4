"""google-genai: generate_content and generate_content_stream; the references are its groundingMetadata."""

from importlib.metadata import version

from google import genai
from google.genai import types
from report import CASE, CITESTREAM, KEY, Seen, broken, provider_closed, raised, report, stored_references, way

question, evidence = CASE["question"], CASE["evidence"]

# region connect
client = genai.Client(api_key=KEY, http_options=types.HttpOptions(base_url=CITESTREAM))
with_evidence = types.GenerateContentConfig(http_options=types.HttpOptions(extra_body={"evidence": evidence}))
# endregion


def streamed(model: str) -> Seen:
    text = ""
    # region streamed
    for chunk in client.models.generate_content_stream(model=model, contents=question, config=with_evidence):
        text += chunk.text or ""
        print(chunk.text or "", end="")
    print()
    grounding = chunk.candidates[0].grounding_metadata
    for source in grounding.grounding_chunks:
        print(source.retrieved_context.title, source.retrieved_context.uri)
    for support in grounding.grounding_supports:
        print(support.grounding_chunk_indices, support.segment.text)
    # endregion
    return of(text, chunk)


def whole(model: str) -> Seen:
    response = client.models.generate_content(model=model, contents=question, config=with_evidence)
    return of(response.text, response)


def of(text: str, last) -> Seen:
    grounding = last.candidates[0].grounding_metadata
    segments = [support.segment for support in grounding.grounding_supports]
    pointed = [text.encode()[segment.start_index or 0 : segment.end_index].decode() for segment in segments]
    assert pointed == [segment.text for segment in segments]
    assert [reference["number"] for reference in stored_references(last.response_id)] == [1, 2]
    usage = last.usage_metadata
    return {
        "text": text,
        "usage": {
            "input": usage.prompt_token_count,
            "output": usage.candidates_token_count + (usage.thoughts_token_count or 0),  # counted apart
            "cached": usage.cached_content_token_count,
            "reasoning": usage.thoughts_token_count,
        },
        "references": [chunk.retrieved_context.uri for chunk in grounding.grounding_chunks],
        "text_at_offsets": pointed,
    }


def pieces(model: str):
    for chunk in client.models.generate_content_stream(model=model, contents=question, config=with_evidence):
        yield chunk.text or ""


def calls() -> list[Seen]:
    declared = types.FunctionDeclaration(name="weather", parameters=types.Schema(type=types.Type.OBJECT, properties={}))
    config = with_evidence.model_copy(update={"tools": [types.Tool(function_declarations=[declared])]})
    response = client.models.generate_content(model="calling/any", contents=question, config=config)
    return [{"name": call.name, "arguments": call.args} for call in response.function_calls]


def reasoning() -> str:
    chunks = client.models.generate_content_stream(model="reasoning/any", contents=question, config=with_evidence)
    parts = [part for chunk in chunks for part in chunk.candidates[0].content.parts or ()]
    return "".join(part.text for part in parts if part.thought)


def retrieved() -> Seen:
    history = [
        types.Content(role="user", parts=[types.Part.from_text(text=question)]),
        types.Content(role="model", parts=[types.Part.from_function_call(name="search", args={})]),
        types.Content(
            role="user", parts=[types.Part.from_function_response(name="search", response={"result": evidence})]
        ),
    ]
    response = client.models.generate_content(model="openai/gpt-4.1", contents=history)
    seen = of(response.text, response)
    return {"text": seen["text"], "references": seen["references"]}


def second_turn() -> str:
    chat = client.chats.create(model="strict/any", config=with_evidence)
    chat.send_message(question)
    return chat.send_message(question).text


def cancel() -> bool:
    chunks = client.models.generate_content_stream(model="silent/genai-python", contents=question, config=with_evidence)
    next(chunk for chunk in chunks if chunk.text)
    chunks.close()
    return provider_closed("genai-python")


way(
    "`generate_content_stream()`",
    "`grounding_metadata` of the last chunk",
    streamed,
    reasoning=reasoning,
    error=lambda: raised(lambda: list(pieces("nobody/nothing"))),
    broken=lambda: broken(lambda: pieces("broken/any")),
    cancelled=cancel,
)
way(
    "`generate_content()`",
    "`grounding_metadata`",
    whole,
    calls=calls,
    retrieved=retrieved,
    second_turn=second_turn,
    error=lambda: raised(lambda: client.models.generate_content(model="nobody/nothing", contents=question)),
)
report("google-genai (Python)", version("google-genai"))
