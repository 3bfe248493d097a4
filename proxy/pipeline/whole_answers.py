"""Hold answers until they are complete (`release: whole`), so that a message can replace an unsupported one.

The text of a choice and what follows it are held until the choice ends. Events before the text, such as thoughts, pass
at once. A tool call ends the hold: the client has to run it, and the text before it is no answer.
"""

from collections.abc import AsyncGenerator, Iterator, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace

from citestream.citation.answers.abstention import abstains
from citestream.citation.answers.response import Response
from citestream.providers.events import Finish, OtherDelta, Usage

from .outgoing import Failed
from .segment_stream import MAX_STEPS, PendingText, Step

Steps = AsyncGenerator[list[Step], None]

_TOOL_CALLS = ("tool_calls", "function_call")


async def hold_whole(batches: Steps, response: Response) -> Steps:
    """Yield decided steps when their choice is complete, in their order, a few at a time."""
    choices: dict[int, _Choice] = {}
    async with aclosing(batches):
        async for steps in batches:
            released = [one for step in steps for one in _released(step, choices, response)]
            for start in range(0, len(released), MAX_STEPS):
                yield released[start : start + MAX_STEPS]
    remaining = [step for choice in choices.values() for step in choice.release(response)]
    for start in range(0, len(remaining), MAX_STEPS):
        yield remaining[start : start + MAX_STEPS]


def abstain_in(steps: Sequence[Step], response: Response) -> list[Step]:
    """Return the steps of a complete answer in which the text of unsupported choices is marked as withheld."""
    choices: dict[int, _Choice] = {}
    released = [one for step in steps for one in _released(step, choices, response)]
    return released + [step for choice in choices.values() for step in choice.release(response)]


@dataclass(slots=True)
class _Choice:
    """The steps of one choice since its text began."""

    number: int
    held: list[Step] = field(default_factory=list)
    is_open: bool = True  # whether the text that follows is held

    def release(self, response: Response) -> list[Step]:
        """Return the held steps, with the text marked as withheld if too few of its claims are supported."""
        steps, self.held = self.held, []
        texts = [step for step in steps if isinstance(step, PendingText)]
        if self.is_open and response.may_abstain(self.number):
            drafts = ((step.draft, step.decision) for step in texts)
            if abstains(drafts, response.options.abstain_below):
                return [replace(step, withheld=True) if isinstance(step, PendingText) else step for step in steps]
        return steps


def _released(step: Step, choices: dict[int, _Choice], response: Response) -> Iterator[Step]:
    """Hold a step, or yield it with the steps that it releases."""
    match step:
        case PendingText(number):
            choice = choices.setdefault(number, _Choice(number))
            if choice.is_open:
                choice.held.append(step)
            else:
                yield step
        case Finish(number):
            if number in choices:
                yield from choices.pop(number).release(response)
            yield step
        case OtherDelta(chunk, numbers):
            for changed in chunk.get("choices") or ():
                if any((changed.get("delta") or {}).get(name) for name in _TOOL_CALLS):
                    choice = choices.setdefault(changed.get("index", 0), _Choice(changed.get("index", 0)))
                    choice.is_open = False
                    yield from choice.release(response)
            holding = next((choices[number] for number in numbers if number in choices and choices[number].held), None)
            if holding:
                holding.held.append(step)
            else:
                yield step
        case Failed():
            for choice in choices.values():
                yield from choice.release(response)
            yield step
        case Usage():
            yield step
