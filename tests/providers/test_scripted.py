"""ScriptedProvider replays texts, chunks, events and errors."""

from citestream.providers.errors import IncompleteAnswer
from citestream.providers.events import Idle, TextDelta
from citestream.providers.scripted import ScriptedProvider, chunk, usage
from tests.providers.recorded_answer import ask


async def test_texts_become_a_complete_answer_for_every_request() -> None:
    scripted = ScriptedProvider("Water ", "boils.")
    for _ in range(2):
        answer = await ask(scripted)
        assert answer.text() == "Water boils."
        assert answer.kinds == ["OtherDelta", "TextDelta", "TextDelta", "Finish", "Usage"]
    assert scripted.requests[0].model == "scripted"
    assert scripted.open == 0


async def test_an_error_is_raised_after_the_text_before_it() -> None:
    answer = await ask(ScriptedProvider("Half an ans", IncompleteAnswer("cut")))
    assert (answer.text(), type(answer.error)) == ("Half an ans", IncompleteAnswer)


async def test_chunks_are_parsed_like_those_of_a_server() -> None:
    steps = [chunk({"content": "a"}), chunk({"content": "b"}, "stop", index=1), chunk({}, "length"), usage(2)]
    answer = await ask(ScriptedProvider(*steps))
    assert (answer.text(), answer.text(1)) == ("a", "b")
    assert answer.reasons == {0: "length", 1: "stop"}


async def test_chunks_without_a_finish_reason_are_an_incomplete_answer() -> None:
    assert type((await ask(ScriptedProvider(chunk({"content": "a"})))).error) is IncompleteAnswer


async def test_events_pass_unchanged() -> None:
    delta = TextDelta(0, "x", chunk({"content": "x"}))
    events = [event async for event in ScriptedProvider(delta, Idle()).stream(None)]  # type: ignore[arg-type]
    assert events == [delta, Idle()]


async def test_the_names_of_its_models_are_given_at_creation() -> None:
    assert await ScriptedProvider(names=["a", "b"]).models() == ["a", "b"]
