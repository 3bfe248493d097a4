"""Answer: the state machine of one choice. Text deltas in; drafts out; each draft comes back with its decision.

Pure, await, pure: `feed` and `flush` hand out drafts in order, the driver finds the scores of those that make a claim,
`cite` turns each into the text to show and books what it cites. `feed` may run ahead of `cite`; both keep their order.

    text ─► Segmenter ─► Sentence ─► strip the model's markers ─► Draft ─(decision)─► place our markers ─► shown text
"""

from collections.abc import Sequence
from dataclasses import dataclass

from .grounding import Grounding
from .link_policy import Unlinker
from .markers import MarkerNames, Stripped, Stripper, render, strip
from .markers.placement import place
from .options import Options
from .references import References, Span
from .support.claims import makes_claim
from .support.decision import Decision, Reason
from .support.scorers import Claim
from .text.segmentation import VERBATIM, Kind, OpenSentence, Segmenter, SegmentLimits, Sentence

UNDECIDED = Decision()  # this very one: nobody decided, so nothing is cited, flagged, dropped or counted


@dataclass(frozen=True, slots=True)
class Draft:
    """A piece of the answer on its way out: `text` without the model's markers, and what has to be decided about it."""

    text: str
    kind: Kind = Kind.PROSE
    start: int = 0  # where it stands in the provider's text,
    end: int = 0  # code points, end exclusive
    early: int = 0  # leading characters of `text` that have already left (release: live; code)
    claim: Claim | None = None  # None: nothing to decide
    cited: tuple[int, ...] = ()  # evidence numbers the model cited
    unknown: tuple[int, ...] = ()  # numbers it cited that no evidence has
    adjoined: bool = False  # what follows would make a link of a marker at its end: `[1](https://evil.example)`


class Answer:
    """All text of one choice."""

    def __init__(
        self,
        choice: int,
        names: MarkerNames,
        references: References,
        grounding: Grounding,
        options: Options,
        limits: SegmentLimits,
        unlinker: Unlinker | None = None,
    ) -> None:
        """`references` and `grounding` belong to the response and are shared by its choices.

        `unlinker`: what takes the links in the text apart, where the operator wants that.
        """
        self.choice = choice
        self._names = names
        self._references = references
        self._grounding = grounding
        self._options = options
        self._live = options.release == "live"
        self._segmenter = Segmenter(limits)
        self._unlinker = unlinker
        self._open = _Open(names, unlinker)  # the sentence that is not complete, as far as it has left
        self._context = ""  # the sentence before, in the same paragraph
        self._taken = 0  # code points of sentences that somebody else has cut
        self._shown = 0  # code points the client has

    @property
    def holds(self) -> bool:
        """Whether text is held that the client has not seen."""
        return self._segmenter.has_open_sentence

    def feed(self, text: str) -> list[Draft]:
        """Take in a delta; hand out what may leave."""
        sentences = self._segmenter.feed(text)
        drafts = self._drafts(sentences) if sentences else []  # nineteen of twenty deltas complete nothing
        if self._live or self._segmenter.in_code:
            drafts += self._settled()
        return drafts

    def flush(self) -> list[Draft]:
        """Hand out what is held: the answer ends, or something that is not text follows."""
        return [self._draft(sentence) for sentence in self._segmenter.flush()]

    def take(self, text: str) -> list[Draft]:
        """Hand out a sentence that somebody else has cut."""
        start, self._taken = self._taken, self._taken + len(text)
        return [self._draft(Sentence(start, text, _kind_of(text)))]

    def release(self) -> list[Draft]:
        """Hand out what is held because its time is over."""
        return [self._draft(sentence) for sentence in self._segmenter.release()]

    def cite(self, draft: Draft, decision: Decision = UNDECIDED) -> str:
        """The text to show for this draft, its citations booked. To be called in the order the drafts came."""
        for number in draft.unknown:
            self._grounding.reject(self.choice, number, Reason.UNKNOWN_NUMBER)
        judged = draft.claim is not None and decision is not UNDECIDED
        text = self._marked(draft, decision) if judged else draft.text
        self._shown += len(text) - draft.early
        return text[draft.early :]

    def reference_list(self) -> str:
        """The Markdown list of references that closes the text, for clients that show nothing else; or nothing."""
        if not self._options.references_in_text:
            return ""
        text = self._references.as_text(self.choice)
        self._shown += len(text)
        return text

    def _drafts(self, sentences: Sequence[Sentence]) -> list[Draft]:
        following = [*(sentence.text[:1] for sentence in sentences[1:]), self._segmenter.next_character]
        return [self._draft(*pair) for pair in zip(sentences, following, strict=True)]

    def _settled(self) -> list[Draft]:
        """What of the open sentence can leave already: nothing that follows can change it."""
        held = self._segmenter.open_sentence
        text = self._open.settle(held)
        return [Draft(text, end=held.start + self._open.raw)] if text else []

    def _draft(self, sentence: Sentence, following: str = "") -> Draft:
        opened, self._open = self._open, _Open(self._names, self._unlinker)
        early = opened.shown
        stripped, text = opened.complete(sentence)
        claim = self._claim(sentence, stripped.text, stripped.cited)
        self._context = _context(sentence, stripped.text)
        return Draft(
            text,
            sentence.kind,
            sentence.start,
            sentence.start + len(sentence.text),
            early,
            claim,
            stripped.cited,
            stripped.unknown,
            following in _TAKES_LABEL and not sentence.text[-1:].isspace(),
        )

    def _claim(self, sentence: Sentence, text: str, cited: Sequence[int]) -> Claim | None:
        """What has to be decided: a claim, or anything the model gave a citation."""
        if not sentence.citable or not (body := text.strip()):
            return None
        return Claim(body, self._context) if cited or makes_claim(body, sentence.kind) else None

    def _marked(self, draft: Draft, decision: Decision) -> str:
        """The sentence with its markers in place, its supports booked at where it is shown."""
        options, references = self._options, self._references
        if not decision.supports and options.unsupported == "drop":
            return self._dropped(draft, decision)
        cited = [references.cite(support.number) for support in decision.supports]
        markers = [render(reference.number, reference.evidence, options.marker) for reference in cited]
        note = options.unsupported_note if options.unsupported == "flag" and not cited else ""
        gap = "" if options.marker in _ADJOINING else " "
        placement = "before" if draft.adjoined else options.placement
        placed = place(draft.text, draft.kind, note or gap.join(markers), placement, draft.early)
        origin = self._shown - draft.early
        sentence = (origin + placed.body_start, origin + placed.body_end)
        spans = _marker_spans(origin + placed.marker_start, markers, gap) if any(markers) else [sentence] * len(cited)
        book(references, self._grounding, self.choice, sentence, spans, decision)
        return placed.text

    def _dropped(self, draft: Draft, decision: Decision) -> str:
        """Nothing of an unsupported claim but its line breaks, so that what stands around it stays apart."""
        body = draft.text.rstrip()
        place_of_it = (self._shown, self._shown)
        book(self._references, self._grounding, self.choice, place_of_it, (), decision)
        rest = draft.text[len(body) :]
        return rest if "\n" in rest else ""


_TAKES_LABEL = frozenset("([")  # makes a link of brackets right before it; scripts without spaces write it so
_ADJOINING = frozenset({"number", "link"})  # styles whose markers stand side by side: [1][2]


def _marker_spans(start: int, markers: Sequence[str], gap: str) -> list[tuple[int, int]]:
    spans: list[tuple[int, int]] = []
    for marker in markers:
        spans.append((start, start + len(marker)))
        start += len(marker) + len(gap)
    return spans


def _kind_of(text: str) -> Kind:
    """What a sentence that somebody else has cut is, as far as it shows it itself; prose otherwise."""
    segmenter = Segmenter(SegmentLimits())
    kinds = {sentence.kind for sentence in [*segmenter.feed(text), *segmenter.flush()] if sentence.text.strip()}
    return kinds.pop() if len(kinds) == 1 else Kind.PROSE


class _Open:
    """The sentence that is not complete yet: how much of it has left, and the stripper that part went through."""

    def __init__(self, names: MarkerNames, unlinker: Unlinker | None) -> None:
        self._names = names
        self._unlinker = unlinker
        self._stripper: Stripper | None = None  # only where something leaves early
        self._text = ""  # what has been settled, without the model's markers,
        self._shown = ""  # and what of it has left, without links
        self.raw = 0  # how much of the raw text that was

    @property
    def shown(self) -> int:
        return len(self._shown)

    def settle(self, held: OpenSentence) -> str:
        """What can leave of the held text now."""
        if held.releasable_length <= self.raw:
            return ""
        piece = held.text[self.raw : held.releasable_length]
        self.raw = held.releasable_length
        text = piece if held.kind in VERBATIM else self._strip(piece)
        self._text += text
        shown = self._unlinker.feed(text, code=held.kind is Kind.CODE) if self._unlinker else text
        self._shown += shown
        return shown

    def complete(self, sentence: Sentence) -> tuple[Stripped, str]:
        """The whole sentence without markers, and as it is shown; what has left is its beginning."""
        stripped = self._stripped(sentence)
        if self._unlinker is None:
            return stripped, stripped.text
        rest = stripped.text[len(self._text) :]
        left = self._unlinker.feed(rest, code=sentence.kind is Kind.CODE) + self._unlinker.flush()
        return stripped, self._shown + left

    def _stripped(self, sentence: Sentence) -> Stripped:
        if sentence.verbatim:
            return Stripped(sentence.text)
        if not self.raw:
            return strip(sentence.text, self._names)
        stripper = self._stripper or Stripper(self._names)
        rest = stripper.feed(sentence.text[self.raw :]) + stripper.flush()
        return Stripped(self._text + rest, stripper.cited, stripper.unknown)

    def _strip(self, piece: str) -> str:
        self._stripper = self._stripper or Stripper(self._names)
        return self._stripper.feed(piece)


def _context(sentence: Sentence, text: str) -> str:
    """What the next sentence may lean on: this one, unless a paragraph or something that is no prose is between."""
    if not sentence.citable or sentence.text.endswith("\n\n"):
        return ""
    return text.strip()


def book(
    references: References,
    grounding: Grounding,
    choice: int,
    sentence: tuple[int, int],
    markers: Sequence[tuple[int, int]],
    decision: Decision,
) -> None:
    """Enter a decision: `sentence` and `markers` are offsets in the shown text, one marker a support."""
    start, end = sentence
    for support, marker in zip(decision.supports, markers, strict=True):
        span = Span(choice, start, end, support.score, support.status, marker)
        references.cite(support.number).add(span, support)
    evidence = [references.evidence[support.number] for support in decision.supports]
    grounding.judge(choice, start, end, decision, evidence)
