"""ScriptedProvider replays: texts, chunks, events, errors."""

from citestream.providers.errors import IncompleteAnswer
from citestream.providers.events import Idle, TextDelta
from citestream.providers.scripted import ScriptedProvider, chunk, usage
from tests.providers.recorded_answer import ask


async def test_texts_become_a_whole_answer_every_time() -> None:
    scripted = ScriptedProvider("Water ", "boils.")
    for _ in range(2):
        answer = await ask(scripted)
        assert answer.text() == "Water boils."
        assert answer.kinds == ["OtherDelta", "TextDelta", "TextDelta", "Finish", "Usage"]
    assert scripted.requests[0].model == "scripted"
    assert scripted.open == 0


async def test_an_error_comes_after_what_stands_before_it() -> None:
    answer = await ask(ScriptedProvider("Half an ans", IncompleteAnswer("cut")))
    assert (answer.text(), type(answer.error)) == ("Half an ans", IncompleteAnswer)


async def test_chunks_are_read_as_a_servers_would_be() -> None:
    steps = [chunk({"content": "a"}), chunk({"content": "b"}, "stop", index=1), chunk({}, "length"), usage(2)]
    answer = await ask(ScriptedProvider(*steps))
    assert (answer.text(), answer.text(1)) == ("a", "b")
    assert answer.reasons == {0: "length", 1: "stop"}


async def test_chunks_without_an_end_are_incomplete() -> None:
    assert type((await ask(ScriptedProvider(chunk({"content": "a"})))).error) is IncompleteAnswer


async def test_events_pass_as_they_are() -> None:
    delta = TextDelta(0, "x", chunk({"content": "x"}))
    events = [event async for event in ScriptedProvider(delta, Idle()).stream(None)]  # type: ignore[arg-type]
    assert events == [delta, Idle()]


async def test_its_models_are_those_it_was_created_with() -> None:
    assert await ScriptedProvider(names=["a", "b"]).models() == ["a", "b"]
