"""Turn the pipeline's events into OpenAI chunks, the common format from which every client API is encoded.

A streamed answer sends these chunks; a complete answer collects them (collect_chunks.py).
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, assert_never

from citestream.citation.answers.response import Response
from citestream.citation.grounding import Grounding
from citestream.citation.references import Citation, Reference
from citestream.providers.events import Chunk, Finish, OtherDelta, Usage
from citestream.providers.wire.json_text import as_object

from .chunk_fields import empty_chunk
from .outgoing import Failed, Outgoing, TextOut
from .provider_citations import ProviderCitations, ProviderSpan, with_offsets

OWN_FIELDS = ("references", "grounding")  # only Citestream states them; a provider could invent them
LONG_LIST = 1_000  # spans, which are freed in 1 ms

Fields = dict[str, Any]
Observer = Callable[[Outgoing, list[Chunk]], None]  # sees an event and its chunks before they are encoded


class Chunks:
    """The chunks of a cited answer. The last one carries the references and the grounding report."""

    def __init__(self, response: Response, *, usage: bool, streamed: bool = True, passage_token: str = "") -> None:
        """`usage`: the client asked for the usage chunk. `streamed`: it reads chunks, not one body or other events.

        `passage_token`: what the links to passages of this answer contain; empty: there are no such links.
        """
        self.passage_token = passage_token
        self._response = response
        self._streamed = streamed
        self._usage = usage
        self._opening = response.opening_fields()
        self._latest: Chunk = {}
        self._open_choices: dict[int, None] = {}  # those that have begun and not ended, in order
        self._has_ended = False  # whether a choice has ended, with its annotations and references
        self._native = ProviderCitations()

    def of(self, event: Outgoing) -> list[Chunk]:
        """Return the chunks of one event; none for usage that the client did not ask for."""
        if not isinstance(event, Failed):
            _remove_added_fields(event.chunk)
            taken = self._native.take(event.chunk)
            if taken is None:
                return []
            if taken is not event.chunk:
                event = replace(event, chunk=taken)
        match event:
            case TextOut(choice, text, chunk, logprobs):
                self._begin(choice)
                before, fields = self._announced(choice, chunk)
                chunks = [*before, _with_choice(chunk, choice, {"content": text}, logprobs) | fields]
            case OtherDelta(chunk, choices):
                for choice in choices:
                    self._begin(choice)
                chunks = [chunk]
            case Finish(choice, _, chunk, last=last):
                before, _ = self._announced(choice, chunk)
                chunks = [*before, self._finish(choice, chunk, last=last)]
            case Usage(chunk):
                return [chunk] if self._usage else []
            case Failed():
                before, _ = self._announced(next(iter(self._open_choices), 0), self._latest)
                chunks = [*before, self._unfinished()]
            case _:
                assert_never(event)
        self._latest = chunks[-1]
        return self._opened(chunks if self._usage else _without_usage(chunks))

    def annotations(self, choice: int) -> list[Fields]:
        """Return the annotations of a choice so far."""
        return self._response.annotations(choice)

    def fields(self) -> Fields:
        """Return references and grounding so far, as the last chunk carries them."""
        return self._response.response_fields()

    def citations(self, choice: int) -> Sequence[Citation]:
        """Return the citations of a choice so far, in the order of its text."""
        return self._response.citations(choice)

    def sentence_start(self, choice: int) -> int:
        """Return where the latest sentence begins, of which at least a part has been sent."""
        return self._response.answer(choice).sentence_start

    def is_sentence_open(self, choice: int) -> bool:
        """Return whether a part of the latest sentence, which can be cited, has not been sent."""
        return self._response.answer(choice).is_sentence_open

    def provider_spans(self, choice: int, first: int) -> Sequence[ProviderSpan]:
        """Return the stretches of text that the provider cites, from the one with the number `first`."""
        if self._response.has_abstained(choice):
            return ()
        return self._native.spans(choice, first, self._response.answer(choice).offsets)

    @property
    def reference_count(self) -> int:
        """The number of references so far."""
        return self._response.references.count

    def references(self) -> list[Reference]:
        """Return the references so far, in the order in which they were first cited."""
        return self._response.references.by_first_use()

    def passages(self, references: Sequence[Reference]) -> list[Fields]:
        """Return the entries of some references, each with the `text` of its evidence."""
        entries = self._response.references.entries(references)
        return [entry | {"text": reference.evidence.text} for entry, reference in zip(entries, references, strict=True)]

    def long_lists(self) -> list[Sequence[Any]]:
        """Return the lists that grow with the answer, if they are long."""
        references, grounding = self._response.references, self._response.grounding
        lists = references.span_lists() if references.spans > LONG_LIST else []
        reports: list[list[Any]] = [grounding.unsupported, grounding.rejected, grounding.explained]
        return [*lists, *(report for report in reports if len(report) > LONG_LIST)]

    @property
    def grounding(self) -> Grounding:
        """The grounding report so far."""
        return self._response.grounding

    def _begin(self, choice: int) -> None:
        self._open_choices[choice] = None

    def _opened(self, chunks: list[Chunk]) -> list[Chunk]:
        if not self._opening:
            return chunks
        opening, self._opening = self._opening, {}
        return [chunks[0] | opening, *chunks[1:]]

    def _announced(self, choice: int, chunk: Chunk) -> tuple[list[Chunk], Fields]:
        """Return the chunks that announce new references, and the fields of the chunk that follows them."""
        if not self._streamed:
            return [], {}
        before, fields = self._response.announce()
        return [empty_chunk(chunk, choice) | announced for announced in before], fields

    def _finish(self, choice: int, chunk: Chunk, *, last: bool) -> Chunk:
        self._open_choices.pop(choice, None)
        self._has_ended = True
        (ending,) = chunk["choices"]
        delta, fields = self._ending_fields(choice, ending)
        ended = chunk | {"choices": [ending | fields | {"delta": delta}]}
        if not last:  # the fields of all choices are sent once: there may be 1,000 choices
            return ended
        return ended | self._response.response_fields() | ({} if self._streamed else self._response.body_fields())

    def _ending_fields(self, choice: int, ending: Fields) -> tuple[Fields, Fields]:
        """Return the last delta of a choice with all citations, and the other fields of its last chunk."""
        delta = self._response.choice_fields(choice)
        if self._response.has_abstained(choice):  # the text that the provider cited is not shown
            return delta, {}
        offsets = self._response.answer(choice).offsets
        if native := self._native.annotations(choice, offsets):
            delta["annotations"] = [*delta.get("annotations", ()), *native]
        google = self._native.choice_fields(choice, offsets)
        return delta, {"google": {**as_object(ending.get("google")), **google}} if google else {}

    def _unfinished(self) -> Chunk:
        """Return the chunk before an error. A choice that has ended is not repeated: clients join its lists."""
        choices: list[Fields] = []
        for choice in self._open_choices or (() if self._has_ended else (0,)):
            delta, fields = self._ending_fields(choice, {})
            choices.append({"index": choice, "delta": delta, **fields, "logprobs": None, "finish_reason": None})
        return {**empty_chunk(self._latest, 0), "choices": choices, **self._response.response_fields()}


class UncitedChunks:
    """The provider's chunks of an answer that needs no citations."""

    def __init__(self, *, usage: bool) -> None:
        """`usage`: the client asked for the usage chunk."""
        self._usage = usage
        self._native = ProviderCitations()
        self._length = 0  # code points of text; only Anthropic's API has cited blocks, and one choice

    def of(self, event: Outgoing) -> list[Chunk]:
        """Return the chunk of one event, if any."""
        match event:
            case OtherDelta(chunk):
                chunk = self._with_annotations(chunk)
                return [chunk] if self._usage else _without_usage([chunk])
            case Usage(chunk):
                return [chunk] if self._usage else []
            case _:
                return []

    def _with_annotations(self, chunk: Chunk) -> Chunk:
        """Return the last chunk of a choice with the citations of its cited blocks, and other chunks as they are."""
        choices = chunk.get("choices") or []
        if not choices:
            return chunk
        chunk = with_offsets(chunk, lambda _: self._length)
        self._native.observe(chunk)
        self._length += sum(len((choice.get("delta") or {}).get("content") or "") for choice in choices)
        if not self._native.has_spans or not any(choice.get("finish_reason") for choice in choices):
            return chunk
        (choice,) = choices  # Anthropic's API has one
        delta = {**(choice.get("delta") or {}), "annotations": self.annotations(choice.get("index", 0))}
        return chunk | {"choices": [choice | {"delta": delta}]}

    def annotations(self, choice: int) -> list[Fields]:
        """Return those of the provider's cited blocks."""
        return self._native.annotations(choice, None)

    def provider_spans(self, _choice: int, _first: int) -> Sequence[ProviderSpan]:
        """Return nothing: the cited blocks stay in the chunks."""
        return ()

    def citations(self, _choice: int) -> Sequence[Citation]:
        """Return no citations."""
        return ()

    def sentence_start(self, _choice: int) -> int:
        """Return 0: no sentence is recognized."""
        return 0

    def is_sentence_open(self, _choice: int) -> bool:
        """Return False: no sentence is recognized."""
        return False


AnswerChunks = Chunks | UncitedChunks


def _remove_added_fields(chunk: Chunk) -> None:
    """Remove the fields that only Citestream states, from a chunk and its deltas."""
    for fields in (chunk, *(choice.get("delta") or {} for choice in chunk.get("choices") or ())):
        for name in OWN_FIELDS:
            fields.pop(name, None)


def _without_usage(chunks: list[Chunk]) -> list[Chunk]:
    """Remove the usage, for which we ask every provider although the client did not."""
    return [{key: value for key, value in c.items() if key != "usage"} if "usage" in c else c for c in chunks]


def _with_choice(chunk: Chunk, index: int, delta: Fields, logprobs: Fields | None = None) -> Chunk:
    template: Fields = next((choice for choice in chunk.get("choices", ()) if choice.get("index") == index), {})
    choice = template | {"index": index, "delta": delta, "finish_reason": None}
    if logprobs is not None or "logprobs" in template:
        choice["logprobs"] = logprobs
    return chunk | {"choices": [choice]}
