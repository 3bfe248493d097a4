"""The text of one choice that the client sees: drafts with their decisions in, text with markers out."""

from collections.abc import Sequence
from functools import partial

from ..grounding import Grounding
from ..markers import WordMarker, render
from ..markers.placement import place_marker
from ..markers.word_markers import joins
from ..options import Options
from ..quotations import Cited
from ..references import Reference, References
from ..support.decision import Decision, Reason
from ..text.segmentation import CITABLE, DATA
from .draft import UNDECIDED, Draft, conflict_fields, record
from .dropped_text import DroppedText
from .host_labels import HostLabels
from .offset_map import OffsetMap

LINK_OPENERS = frozenset("([")  # turn brackets right before them into a link; this happens in scripts without spaces
_COMPACT_STYLES = frozenset({"number", "link"})  # marker styles without a space between markers: [1][2]


class ShownText:
    """Adds the markers to the drafts of one choice, and records the citations at their place in the shown text."""

    def __init__(
        self, choice: int, references: References, grounding: Grounding, options: Options, host: HostLabels | None
    ) -> None:
        """Create an empty text. The parameters are those of Answer."""
        self._choice = choice
        self._references = references
        self._grounding = grounding
        self._record = partial(record, references, grounding, choice)
        self._options = options
        self._host = host
        self._length = 0  # code points that the client has
        self._source_end = 0  # where the latest draft ends in the provider's text
        self._line_breaks = 0  # at the end of the text
        self._dropped = DroppedText() if options.unsupported == "drop" else None
        self._inserted = (0, 0)  # the span of the markers in the latest sentence, with the space before them
        self.offsets = OffsetMap()  # the place of the provider's text in this text
        self.sentence_start = 0  # where the latest sentence begins
        self.is_sentence_open = False  # whether the client has a part of it only, and a citation may follow

    def add(self, draft: Draft, decision: Decision) -> str:
        """Return the text to show for the next draft, and record its citations."""
        for number in draft.unknown:
            self._grounding.reject(self._choice, number, Reason.UNKNOWN_NUMBER)
        decided = draft.claim is not None and decision is not UNDECIDED
        if draft.is_in_place:
            if decided:
                # A value of structured text follows the text of its line, which is shown unchanged.
                shift = self._length - self._source_end if draft.kind in DATA else 0
                self._record(decision, (draft.start + shift, draft.end + shift), tool_call=draft.tool_call)
            return ""
        self._source_end = draft.end
        if decided and self._host:
            limit = self._options.max_per_sentence // self._host.passages_per_label
            decision = self._host.by_label(decision, limit)
        self._inserted = (0, 0)
        before = ""
        if self._dropped and decided and not decision.supports and not draft.released:
            self._record(decision, (self._length, self._length), ())
            text = self._dropped.dropped(draft.text)
        else:
            before = self._dropped.before() if self._dropped else ""
            self._length += len(before)
            if not self.is_sentence_open:
                self.sentence_start = self._length
            self.is_sentence_open = draft.partial and draft.kind in CITABLE
            text = self._with_markers(draft, decision) if decided else draft.text
            text = self._dropped.shown(text) if self._dropped else text
        if draft.source:
            origin = self._length - draft.released - len(before)
            inserted = (self._inserted[0] + len(before), self._inserted[1] + len(before))
            self.offsets.add(draft.start, draft.source, origin, before + text, inserted)
        self._collect_quotations(draft, decision, before, text)
        self._length += len(text) - draft.released
        breaks = len(text) - len(text.rstrip("\n"))
        self._line_breaks = breaks + (self._line_breaks if breaks == len(text) else 0)
        return before + text[draft.released :]

    def withhold(self, draft: Draft, decision: Decision, message: str) -> str:
        """Return the text to show for the next draft of an answer that a message replaces.

        Nothing is cited. The decision is reported, with an empty span because its sentence is not shown.
        """
        if draft.claim is not None and decision is not UNDECIDED:
            evidence = [self._references.evidence[support.number] for support in decision.supports]
            conflict = conflict_fields(decision.conflict, self._references) if decision.conflict else None
            self._grounding.add_decision(self._choice, 0, 0, decision, evidence, conflict, draft.tool_call)
        for number in draft.unknown:
            self._grounding.reject(self._choice, number, Reason.UNKNOWN_NUMBER)
        if self._length:
            return ""
        self._grounding.abstained.append(self._choice)
        self._length = len(message)
        return message

    def reference_list(self, *, replaces: bool = False) -> str:
        """Return the Markdown list of references that ends the text, if the options request it.

        `replaces`: the model wrote a list of its own, which was removed.
        """
        if not (self._options.references_in_text or (replaces and self._options.marker in _COMPACT_STYLES)):
            return ""
        text = self._references.as_text(self._choice)
        text = text[min(self._line_breaks, len(text) - len(text.lstrip("\n"))) :]
        self.sentence_start, self._length = self._length, self._length + len(text)
        return text

    def _collect_quotations(self, draft: Draft, decision: Decision, before: str, text: str) -> None:
        """Pass the text that is shown next to the check of quotations, with the place of our markers in it.

        `before`: text in front of the draft, which was already counted. `text`: of the draft, with the part that was
        released.
        """
        start = self._length - len(before)
        shift = len(before) - draft.released
        begin, end = (max(0, place + shift) for place in self._inserted)
        cited = Cited(
            self.sentence_start,
            self._length + len(text) - draft.released,
            draft.cited,
            tuple(support.number for support in decision.supports),
        )
        shown = before + text[draft.released :]
        self._grounding.quotations.feed(self._choice, start, shown, draft.kind, [(begin, end)], cited)

    def _with_markers(self, draft: Draft, decision: Decision) -> str:
        """Return the sentence with its markers, and record its supports at their position in the shown text."""
        options, references = self._options, self._references
        gap = self._host.gap if self._host else "" if options.marker in _COMPACT_STYLES else " "
        text, used = self._fill_places(draft, decision, gap)
        origin = self._length - draft.released
        cited = [references.cite(support.number) for support in decision.supports]
        markers = [self._marker(reference) for reference in cited]
        # Evidence with the same label of a host has one marker.
        shown = [*dict.fromkeys(marker for marker in markers if marker and marker not in used)]
        note = options.unsupported_note if options.unsupported == "flag" and not cited else ""
        placement = "before" if draft.before_bracket else options.placement
        placed = place_marker(text, draft.kind, note or gap.join(shown), placement, draft.released)
        marker_end = placed.marker_start + len(note or gap.join(shown))
        self._inserted = (marker_end - (len(placed.text) - len(text)), marker_end)
        sentence = (origin + placed.body_start, origin + placed.body_end)
        spans = _marker_spans(placed.marker_start, shown, gap)
        positions = {**used, **dict(zip(shown, spans, strict=True))}
        places = [positions.get(marker) for marker in markers]
        marker_places = [(origin + place[0], origin + place[1]) if place else sentence for place in places]
        parts = None
        if draft.claim and len(decision.supports) > 1:
            body = (placed.body_start, placed.body_end)
            parts = [
                [
                    (origin + start, origin + end)
                    for start, end in _shown_parts(placed.text, body, draft.claim.text, support.parts)
                ]
                for support in decision.supports
            ]
        self._record(decision, sentence, marker_places, parts=parts)
        return placed.text

    def _fill_places(self, draft: Draft, decision: Decision, gap: str) -> tuple[str, dict[str, tuple[int, int]]]:
        """Return the text with supported markers where the model used markers as words, and their spans by marker.

        A place whose own evidence does not support the sentence takes the evidence that does. It stays empty if there
        is none, because the text without markers is that of the model.
        """
        supported = [support.number for support in decision.supports]
        unplaced = [number for number in supported if not any(number in place.cited for place in draft.places)]
        text, done = "", 0
        used: dict[str, tuple[int, int]] = {}
        last: WordMarker | None = None
        before = ""  # the space before the first marker of such a list
        is_filled = False  # whether the list of places joined by conjunctions has a marker so far
        for place in draft.places:
            if place.offset < draft.released:
                continue
            is_joined = last is not None and last.offset == done and joins(draft.text[done : place.offset])
            is_filled &= is_joined
            numbers = [number for number in place.cited if number in supported]
            if not numbers:
                numbers, unplaced = unplaced, []
            markers = [self._marker(self._references.cite(number)) for number in numbers]
            shown = [*dict.fromkeys(marker for marker in markers if marker)]
            if not is_joined or (is_filled and shown):  # a conjunction goes with the marker that it joins
                text += draft.text[done : place.offset]
            before = place.before if is_filled or not is_joined else before
            done, last = place.offset, place
            if shown:
                is_filled = True
                text += before
                used = dict(zip(shown, _marker_spans(len(text), shown, gap), strict=True)) | used
                opens_link = not place.after and draft.text[done : done + 1] in LINK_OPENERS
                text += gap.join(shown) + (" " if opens_link else place.after)
        remaining = draft.text[done:]
        return text + (remaining.lstrip(" ") if last and not text.strip() else remaining), used

    def _marker(self, reference: Reference) -> str:
        if self._host:
            return self._host.marker(reference.evidence.number)
        target = self._references.target(reference.evidence)
        return render(reference.number, reference.evidence, self._options.marker, target)


def _shown_parts(
    text: str, body: tuple[int, int], claim: str, parts: Sequence[tuple[int, int]]
) -> list[tuple[int, int]]:
    """Return the spans of `text` that correspond to parts of the claim; the sentence if none of them is shown as it is.

    `body`: the span of the sentence in `text`. The claim has neither markers nor the number of a list item.
    """
    shown: list[tuple[int, int]] = []
    position, end_of_body = body
    for start, end in parts:
        begin = text.find(claim[start:end], position, end_of_body)
        if begin >= 0:
            position = begin + end - start
            shown.append((begin, position))
    return shown or [body]


def _marker_spans(start: int, markers: Sequence[str], gap: str) -> list[tuple[int, int]]:
    spans: list[tuple[int, int]] = []
    for marker in markers:
        spans.append((start, start + len(marker)))
        start += len(marker) + len(gap)
    return spans
