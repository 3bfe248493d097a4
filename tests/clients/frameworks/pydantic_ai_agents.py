"""pydantic-ai: agents with the models for chat completions, responses and Gemini."""

from importlib.metadata import version

from google import genai
from pydantic_ai import Agent
from pydantic_ai.messages import NativeToolReturnPart
from pydantic_ai.models.google import GoogleModel
from pydantic_ai.models.openai import OpenAIChatModel, OpenAIResponsesModel
from pydantic_ai.providers.google import GoogleProvider
from pydantic_ai.providers.openai import OpenAIProvider
from report import CASE, CITESTREAM, KEY, Seen, raised, report, stored_references, way

question, evidence = CASE["question"], CASE["evidence"]
openai = OpenAIProvider(base_url=f"{CITESTREAM}/v1", api_key=KEY)


def chat(model: str) -> Seen:
    # region chat
    agent = Agent(OpenAIChatModel(model, provider=openai), model_settings={"extra_body": {"evidence": evidence}})
    result = agent.run_sync(question)
    print(result.output)
    for reference in stored_references(result.response.provider_response_id):  # GET /v1/references/{id}
        print(reference["number"], reference["snippet"])
    # endregion
    return {**of(result), "usage": counts(result)}


def chat_streamed(model: str) -> Seen:
    agent = Agent(OpenAIChatModel(model, provider=openai), model_settings={"extra_body": {"evidence": evidence}})
    result = agent.run_stream_sync(question)
    text = "".join(result.stream_text(delta=True))
    return of(result, text)


def responses(model: str) -> Seen:
    agent = Agent(OpenAIResponsesModel(model, provider=openai), model_settings={"extra_body": {"evidence": evidence}})
    return of(agent.run_sync(question))


def of(result, text: str = "") -> Seen:
    text = text or result.output
    references = stored_references(result.response.provider_response_id)
    spans = [reference["spans"][0] for reference in references]
    return {
        "text": text,
        "references": [reference["url"] or reference["file_name"] for reference in references],
        "text_at_offsets": [text[span["start"] : span["end"]] for span in spans],
    }


def google(model: str) -> Seen:
    # region google
    options = {"base_url": CITESTREAM, "extra_body": {"evidence": evidence}}
    client = genai.Client(api_key=KEY, http_options=options)
    result = Agent(GoogleModel(model, provider=GoogleProvider(client=client))).run_sync(question)
    print(result.output)
    for part in result.response.parts:
        if isinstance(part, NativeToolReturnPart):
            for passage in part.content:
                print(passage["title"], passage["uri"], passage["text"])
    # endregion
    (found,) = [part for part in result.response.parts if isinstance(part, NativeToolReturnPart)]
    return {"text": result.output, "references": [passage["uri"] for passage in found.content]}


def counts(result) -> Seen:
    usage = result.usage() if callable(result.usage) else result.usage
    return {"input": usage.input_tokens, "output": usage.output_tokens}


way("`OpenAIChatModel`", "`GET /v1/references/{id}`", chat, error=lambda: raised(lambda: chat("nobody/nothing")))
way("`OpenAIChatModel`, streamed", "`GET /v1/references/{id}`", chat_streamed)
way("`OpenAIResponsesModel`", "`GET /v1/references/{id}`", responses)
way("`GoogleModel`", "the result of its tool `file_search`", google)
report("pydantic-ai", version("pydantic-ai-slim"))
