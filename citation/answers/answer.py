"""The state machine of one choice: text deltas in, drafts out, and each draft comes back with its decision.

`feed` and `flush` return drafts in order, the driver awaits the scores of those that make a claim, and `cite` returns
the text to show and records the citations. `feed` may run ahead of `cite`; both keep the order.

    text ─► Segmenter ─► Sentence ─► strip the model's markers ─► Draft ─(decision)─► insert our markers ─► shown text
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from ..grounding import Grounding
from ..link_policy import LinkDefanger
from ..markers import ANY_NUMBER, MarkerNames, before_cut_marker, marker_end, strip
from ..options import Options
from ..references import References
from ..support.attribution_phrases import without_attribution
from ..support.claims import makes_claim, misses_information, names_source
from ..support.decision import Decision
from ..support.scorers import Claim
from ..support.statement_text import stated_text
from ..text.normalize import UNSPACED
from ..text.segmentation import DATA, Kind, Segmenter, SegmentLimits, Sentence, StructuredBlocks
from ..text.segmentation.blocks import prefix_length
from ..text.segmentation.boundaries import CLOSERS, ENDS
from ..text.steps import Steps
from .data_values import DataValues
from .draft import UNDECIDED, Draft
from .host_labels import HostLabels
from .json_values import FencedJson
from .offset_map import OffsetMap
from .partial_sentence import PartialSentence
from .shown_text import LINK_OPENERS, ShownText
from .source_lines import Line, SourceLines, leads_to_marker, may_lead, without_line


class Answer:
    """The text of one choice."""

    def __init__(
        self,
        choice: int,
        names: MarkerNames,
        references: References,
        grounding: Grounding,
        options: Options,
        limits: SegmentLimits,
        defanger: LinkDefanger | None = None,
        host: HostLabels | None = None,
        question: str = "",
        *,
        expects_data: bool = False,
    ) -> None:
        """Create an empty answer. `references` and `grounding` belong to the response; its choices share them.

        `defanger`: defangs the links in the text, if the operator's policy requires it. `host`: whose labels the
        markers contain, if they are not our own numbers. `question`: that the answer replies to. `expects_data`: the
        prompt asks for JSON or another format.
        """
        self._names = names
        self._options = options
        self._live = options.release == "live"
        self._segmenter = Segmenter(limits, marker_end(names), StructuredBlocks(expected=expects_data))
        self._max_claim = _MAX_CLAIM_PIECES * limits.characters
        self._defanger = defanger
        self._host = host
        self._partial = PartialSentence(names, defanger, self._max_claim)
        self._json = FencedJson(names, question)
        self._data = DataValues(names, question)
        self._question = question
        self._cited_before = Counter[int]()  # how often the model has cited the evidence with each number
        self._in_table = False  # whether the latest sentence that was already split is a row of a table
        self._context = ""  # the previous sentence of the same paragraph
        # Those of a host keep its numbers, and so do answers with the numbers of the evidence.
        keeps_numbers = host is not None or (options.numbering == "evidence" and not options.references_in_text)
        self._lines = None if keeps_numbers else SourceLines(names)
        self._begins_line = True
        self._is_cut = False  # whether a tool call has interrupted a sentence, which the next text may continue
        self._taken = 0  # code points of sentences that were already split
        self._shown = ShownText(choice, references, grounding, options, host)

    @property
    def holds(self) -> bool:
        """Whether text is held that the client does not have."""
        return self._segmenter.has_open_sentence

    @property
    def sentence_start(self) -> int:
        """Where the latest sentence of the shown text begins, in code points."""
        return self._shown.sentence_start

    @property
    def is_sentence_open(self) -> bool:
        """Whether the client has only a part of that sentence, and a citation may follow."""
        return self._shown.is_sentence_open

    def feed(self, text: str) -> list[Draft]:
        """Add a delta; return what can be shown."""
        self._json.feed(text)
        drafts = self._drafts(self._segmenter.feed(text))
        if self._live or self._segmenter.in_code:
            drafts += self._release_part()
        return drafts

    def flush(self, *, complete: bool = True) -> list[Draft]:
        """Return the held text, because the answer ends.

        `complete`: False if the answer was cut, so that an incomplete last sentence gets no decision.
        """
        return [draft for part in self.flush_in_parts(complete=complete) for draft in part]

    def flush_in_parts(self, *, complete: bool = True) -> Iterator[list[Draft]]:
        """Yield the same in parts of about a millisecond, since a block of JSON may have thousands of values."""
        sentences = self._segmenter.flush()
        if sentences and not complete and not sentences[-1].verbatim:
            text = sentences[-1].text
            sentences[-1] = replace(sentences[-1], text=text[: before_cut_marker(text, self._names)])
        drafts = self._drafts(sentences, flush=True)
        if drafts and not complete and not drafts[-1].is_in_place and not _is_complete(drafts[-1].text):
            drafts[-1] = replace(drafts[-1], claim=None)
        yield drafts + self._data.finish(complete=complete)
        yield from self._json.drafts_in_parts()

    def interrupt_in_parts(self, *, ends: bool) -> Iterator[list[Draft]]:
        """Yield the text to show before something else, such as a thought, that arrives between the pieces of the text.

        A sentence that has not ended continues after it, and stays held. `ends`: the text ends there, as before a tool
        call. A sentence that continues nevertheless gets no decision.
        """
        text = self._segmenter.open_sentence.text
        is_complete = _is_complete(text)
        if ends or is_complete:
            yield from self.flush_in_parts()
            self._is_cut = not is_complete

    def take_in_steps(self, text: str) -> Steps[list[Draft]]:
        """Return the draft of a sentence that was already split.

        As in a text that is not split, a sentence of more than twice the length limit gets no decision.
        """
        start, self._taken = self._taken, self._taken + len(text)
        if len(text) <= self._max_claim:
            return [self._draft(Sentence(start, text, self._kind_of_next(text)))]
        partial = PartialSentence(self._names, self._defanger, self._max_claim)
        shown: list[str] = []
        for offset in range(0, len(text), self._max_claim):
            shown.append(
                partial.release_piece(Sentence(start + offset, text[offset : offset + self._max_claim], Kind.PROSE))
            )
            yield None
        shown.append(partial.complete(Sentence(start + len(text), "", Kind.PROSE)).text)
        self._context = ""
        return [Draft("".join(shown), start=start, end=self._taken)]

    def _kind_of_next(self, text: str) -> Kind:
        """Return the kind of the next sentence that was already split. Only the first row of a table is its header."""
        kind, in_table = _kind_of(text), self._in_table
        self._in_table = kind in _OF_TABLES or (in_table and kind is Kind.RULE)
        return Kind.TABLE_ROW if kind is Kind.TABLE_HEADER and in_table else kind

    def release(self) -> list[Draft]:
        """Return the complete words of the held text, because it was held for the maximum time.

        The decision follows with the rest of the sentence. With `unsupported: drop` and `release: whole` nothing is
        released: a sentence that was shown in part could not be dropped.
        """
        holds_sentences = self._options.unsupported == "drop" or self._options.release == "whole"
        return [] if holds_sentences else self._release_part(whole_words=True)

    def cite(self, draft: Draft, decision: Decision = UNDECIDED) -> str:
        """Return the text to show for this draft, and record its citations. Call it in the order of the drafts."""
        return self._shown.add(draft, decision)

    def withhold(self, draft: Draft, decision: Decision = UNDECIDED) -> str:
        """Return the text to show for this draft of an answer that a message replaces, and report its decision."""
        return self._shown.withhold(draft, decision, self._options.abstain_message)

    @property
    def is_only_data(self) -> bool:
        """Whether the text is only JSON or another format."""
        return self._data.is_whole_answer

    @property
    def offsets(self) -> OffsetMap:
        """Where the provider's text is in the shown text."""
        return self._shown.offsets

    def reference_list(self) -> str:
        """Return the list of references that ends the text, if the options request it or it replaces the model's.

        Text that is only JSON or another format has none, because it would break it.
        """
        if self.is_only_data:
            return ""
        return self._shown.reference_list(replaces=self._lines is not None and self._lines.has_entries)

    def _drafts(self, sentences: Sequence[Sentence], *, flush: bool = False) -> list[Draft]:
        if not sentences and not flush:  # most deltas complete no sentence
            return []
        lines = [Line(sentence) for sentence in sentences] if self._lines is None else self._lines.feed(sentences)
        if flush and self._lines:
            lines += self._lines.flush()
        if not lines:
            return []
        following = [*(line.sentence.text[:1] for line in lines[1:]), self._segmenter.next_character]
        drafts: list[Draft] = []
        for (sentence, is_removed), next_character in zip(lines, following, strict=True):
            if is_removed:
                end = sentence.start + len(sentence.text)
                drafts.append(Draft("", sentence.kind, start=sentence.start, end=end, source=sentence.text))
            elif sentence.continues and sentence.citable:
                text = self._partial.release_piece(sentence)
                drafts += [Draft(text, end=sentence.start + len(sentence.text), partial=True)] if text else []
            elif sentence.kind in DATA:
                drafts += [self._draft(sentence), *self._data.feed(sentence)]
            else:
                drafts += [*self._data.feed(sentence), self._draft(sentence, next_character)]
        return drafts

    def _release_part(self, *, whole_words: bool = False) -> list[Draft]:
        """Return the part of the open sentence that no following text can change."""
        part = self._segmenter.open_sentence
        if may_lead(part.text) if self._lines is None else self._lines.may_begin(part.text):
            return []
        length = _whole_words(part.text, part.releasable_length) if whole_words else part.releasable_length
        text = self._partial.release(part, length, everything=whole_words)
        return [Draft(text, part.kind, end=part.start + length, partial=True)] if text else []

    def _draft(self, sentence: Sentence, following: str = "") -> Draft:
        partial, self._partial = self._partial, PartialSentence(self._names, self._defanger, self._max_claim)
        released, sentence = partial.released, partial.joined(sentence)
        stripped, text, places = partial.complete(sentence)
        undecided = partial.too_long(sentence) or (self._is_cut and _continues_sentence(sentence.text))
        self._is_cut = False
        cited = self._evidence_numbers(stripped.cited)
        # Markers that stay in the text are no part of the claim: their numbers are not in the evidence.
        body = strip(stripped.text, ANY_NUMBER).text if self._names.ignored else stripped.with_places
        # Without its markers, "1932 [1]." resembles a list item.
        prefix = prefix_length(sentence.text) if self._begins_line else 0
        content = stripped.text[prefix:]
        if (stripped.cited or stripped.unknown) and not released and leads_to_marker(content, sentence.kind):
            text, places, undecided = without_line(text, begins_line=self._begins_line), (), True
        self._begins_line = sentence.text.endswith("\n")
        claim = None if undecided else self._claim(sentence, body[prefix:], cited)
        self._context = "" if undecided else _context(sentence, stripped.text)
        return Draft(
            text,
            sentence.kind,
            start=sentence.start,
            end=sentence.start + len(sentence.text),
            source=sentence.text,
            released=released,
            claim=claim,
            cited=cited,
            unknown=stripped.unknown,
            places=tuple(place._replace(cited=self._evidence_numbers(place.cited)) for place in places),
            before_bracket=following in LINK_OPENERS and not sentence.text[-1:].isspace(),
        )

    def _evidence_numbers(self, cited: tuple[int, ...]) -> tuple[int, ...]:
        return self._host.evidence_numbers(cited) if self._host else cited

    def _claim(self, sentence: Sentence, text: str, cited: Sequence[int]) -> Claim | None:
        """Return the claim to decide about; a sentence that the model cited always counts as one.

        `text`: without the marker of a list item, because "1." is not a number of the evidence.
        """
        if not sentence.citable or not (body := without_attribution(stated_text(text))):
            return None
        if cited and names_source(sentence.text, body, self._names.names):
            return None
        if misses_information(body) or not (cited or makes_claim(body, sentence.kind)):
            return None
        claim = Claim(body, self._context, self._question, frozenset(cited), dict(self._cited_before))
        self._cited_before.update(claim.cited)
        return claim


# Pieces of a sentence that the length limit split, above which it gets no decision. Text that long without a boundary
# is a list or a table of words, and the cost of a decision grows with its length.
_MAX_CLAIM_PIECES = 2
_ENDS = frozenset(ENDS)
_CONTINUING = frozenset(".,;:!?)]}%")
_OF_TABLES = frozenset({Kind.TABLE_HEADER, Kind.TABLE_ROW})
_BETWEEN_WORDS = re.compile(rf"\s|[{UNSPACED}](?=[{UNSPACED}])")


def _kind_of(text: str) -> Kind:
    """Return the kind of a sentence that was already split, if the text itself shows it; prose otherwise."""
    segmenter = Segmenter(marker_end=marker_end())
    kinds = {sentence.kind for sentence in [*segmenter.feed(text), *segmenter.flush()] if sentence.text.strip()}
    return kinds.pop() if len(kinds) == 1 else Kind.PROSE


def _is_complete(text: str) -> bool:
    """Return whether the last sentence of a cut answer ends with a mark or a line break."""
    return text.endswith("\n") or text.rstrip(CLOSERS + " ")[-1:] in _ENDS


def _continues_sentence(text: str) -> bool:
    """Return whether a text continues a sentence, and does not begin one with a capital, an emphasis or a new line."""
    first = text.lstrip(" ")[:1]
    return first.islower() or first.isdigit() or first in _CONTINUING


def _whole_words(text: str, length: int) -> int:
    """Return the largest length up to `length` that splits `text` between words."""
    while length and not (text[length : length + 1].isspace() or _BETWEEN_WORDS.match(text, length - 1)):
        length -= 1
    return length


def _context(sentence: Sentence, text: str) -> str:
    """Return the context of the next sentence: this one, unless a paragraph ends or it is not prose."""
    if not sentence.citable or sentence.text.endswith("\n\n"):
        return ""
    return text.strip()
