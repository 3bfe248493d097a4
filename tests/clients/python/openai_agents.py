"""openai-agents: an agent with the chat completions model and with the responses model."""

import asyncio
from importlib.metadata import version

from agents import (
    Agent,
    FunctionTool,
    ItemHelpers,
    ModelSettings,
    OpenAIChatCompletionsModel,
    OpenAIResponsesModel,
    Runner,
    set_tracing_disabled,
)
from openai import AsyncOpenAI
from report import CASE, CITESTREAM, KEY, Seen, provider_closed, raised, report, way

question, evidence = CASE["question"], CASE["evidence"]

# region connect
client = AsyncOpenAI(base_url=f"{CITESTREAM}/v1", api_key=KEY)
set_tracing_disabled(True)  # else it sends traces to OpenAI
# endregion


def chat_agent(model: str) -> Agent:
    # region agent
    agent = Agent(
        name="Librarian",
        model=OpenAIChatCompletionsModel(model=model, openai_client=client),
        model_settings=ModelSettings(include_usage=True, extra_body={"evidence": evidence}),
    )
    # endregion
    return agent


def responses_agent(model: str) -> Agent:
    settings = ModelSettings(extra_body={"evidence": evidence})
    return Agent(
        name="Librarian", model=OpenAIResponsesModel(model=model, openai_client=client), model_settings=settings
    )


async def streaming(agent: Agent) -> Seen:
    text = ""
    # region streamed
    result = Runner.run_streamed(agent, question)
    async for event in result.stream_events():
        if event.type == "raw_response_event" and event.data.type == "response.output_text.delta":
            text += event.data.delta
            print(event.data.delta, end="")
    print()
    for item in result.new_items:
        if item.type == "message_output_item":
            for annotation in item.raw_item.content[0].annotations:
                print(annotation.title, annotation.url)
    # endregion
    seen = of(result)
    assert seen["text"] == text
    return seen


def of(result) -> Seen:
    message = next(item for item in result.new_items if item.type == "message_output_item")
    text, annotations = ItemHelpers.text_message_output(message), message.raw_item.content[0].annotations
    usage = result.context_wrapper.usage
    return {
        "text": text,
        "usage": {
            "input": usage.input_tokens,
            "output": usage.output_tokens,
            "cached": usage.input_tokens_details.cached_tokens,
            "reasoning": usage.output_tokens_details.reasoning_tokens,
        },
        "references": [annotation.url for annotation in annotations],
        "text_at_offsets": [text[annotation.start_index : annotation.end_index] for annotation in annotations],
    }


async def called(agent: Agent) -> list[Seen]:
    """Return the calls that reach the tool. The tool fails, because the model would otherwise call it in every turn."""
    reached: list[Seen] = []

    async def weather(_context, arguments: str) -> str:
        reached.append({"name": "weather", "arguments": arguments})
        raise RuntimeError("enough")

    parameters = {"type": "object", "properties": {}}
    tool = FunctionTool("weather", "The weather.", parameters, weather, strict_json_schema=False)
    try:
        await Runner.run(agent.clone(tools=[tool]), question)
    except Exception as error:  # noqa: BLE001 - the library wraps it
        assert "enough" in f"{error} {error.__cause__}", error
    return reached


async def second_turn(agent: Agent) -> str:
    first = await Runner.run(agent, question)
    second = await Runner.run(agent, [*first.to_input_list(), {"role": "user", "content": question}])
    return second.final_output


async def cancel(agent: Agent, name: str) -> bool:
    # region cancel
    result = Runner.run_streamed(agent, question)
    async for event in result.stream_events():
        if event.type == "raw_response_event" and event.data.type == "response.output_text.delta":
            result.cancel()
    # endregion
    return provider_closed(name)


loop = asyncio.new_event_loop()
run = loop.run_until_complete
for kind, agent_of in (("OpenAIChatCompletionsModel", chat_agent), ("OpenAIResponsesModel", responses_agent)):

    def streamed(model: str, agent_of=agent_of) -> Seen:
        return run(streaming(agent_of(model)))

    def whole(model: str, agent_of=agent_of) -> Seen:
        return of(run(Runner.run(agent_of(model), question)))

    way(
        f"`Runner.run_streamed`, `{kind}`",
        "annotations of the message item",
        streamed,
        # No text: the queue of the client drops text that has not been read when the error arrives.
        broken=lambda agent_of=agent_of: raised(lambda: run(streaming(agent_of("broken/any")))),
        cancelled=lambda agent_of=agent_of, kind=kind: run(cancel(agent_of(f"silent/{kind}"), kind)),
    )
    way(
        f"`Runner.run`, `{kind}`",
        "annotations of the message item",
        whole,
        second_turn=lambda agent_of=agent_of: run(second_turn(agent_of("strict/any"))),
        calls=lambda agent_of=agent_of: run(called(agent_of("calling/any"))),
        error=lambda agent_of=agent_of: raised(lambda: run(Runner.run(agent_of("nobody/nothing"), question))),
    )
report("openai-agents", version("openai-agents"))
