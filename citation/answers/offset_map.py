"""Where the provider's text is in the shown text: for citations of the provider, whose offsets count its own text."""

from bisect import bisect_right
from dataclasses import dataclass
from difflib import SequenceMatcher

MAX_COMPARED_PAIRS = 1_000_000  # pairs of characters that are compared in one answer: 50 ms
Span = tuple[int, int]


@dataclass(slots=True)
class _Stretch:
    """A stretch of the provider's text. Without `texts`, it is shown unchanged, up to the next stretch."""

    source: int  # offsets in code points and in bytes of UTF-8
    shown: int
    source_bytes: int
    shown_bytes: int
    texts: tuple[str, str] | None = None
    inserted: Span = (0, 0)  # our markers in the shown text, with the space before them
    blocks: list[tuple[int, int, int]] | None = None  # equal parts: offsets in both texts, and the length


class OffsetMap:
    """Maps offsets of the provider's text to the shown text. Only sentences that were changed take memory."""

    def __init__(self) -> None:
        """Create a map of empty texts."""
        self.source_end = 0  # length of the provider's text so far
        self._stretches = [_Stretch(0, 0, 0, 0)]
        self._shown_end = 0
        self._source_bytes = 0
        self._shown_bytes = 0
        self._compared = 0

    def add(self, source_start: int, source: str, shown_start: int, shown: str, inserted: Span = (0, 0)) -> None:
        """Add the next stretch. `inserted`: our markers in `shown`, which is the text of `source` otherwise."""
        is_changed = source != shown
        shift = source_start - shown_start
        last = self._stretches[-1]
        if is_changed or last.texts or last.source - last.shown != shift or source_start != self.source_end:
            texts = (source, shown) if is_changed else None
            place = (source_start, shown_start, self._source_bytes, self._shown_bytes)
            self._stretches.append(_Stretch(*place, texts, inserted))
        self.source_end, self._shown_end = source_start + len(source), shown_start + len(shown)
        self._source_bytes += byte_length(source)
        self._shown_bytes += byte_length(shown)

    def span(self, start: int, end: int) -> Span:
        """Return where a span of the provider's text is shown, in code points. It is empty if no part of it is."""
        first = self._first(start)
        return first, max(first, self._last(end) if end > start else first)

    def bytes_span(self, start: int, end: int) -> Span:
        """Return where a span of the provider's text is shown, both in bytes of UTF-8."""
        first = self._bytes(start, ends=False)
        return first, max(first, self._bytes(end, ends=True) if end > start else first)

    def _first(self, source_offset: int) -> int:
        """Return where the first character from `source_offset` is shown, of those that are shown."""
        number = bisect_right(self._stretches, source_offset, key=lambda candidate: candidate.source) - 1
        stretch = self._stretches[number]
        offset = self._offset(stretch, source_offset - stretch.source)
        return min(stretch.shown + offset, self._limit(number))

    def _last(self, source_offset: int) -> int:
        """Return the end of the last character before `source_offset` that is shown."""
        number = bisect_right(self._stretches, source_offset - 1, key=lambda candidate: candidate.source) - 1
        stretch = self._stretches[number]
        offset = self._offset(stretch, source_offset - stretch.source, ends=True)
        return min(stretch.shown + offset, self._limit(number))

    def _limit(self, number: int) -> int:
        return self._stretches[number + 1].shown if number + 1 < len(self._stretches) else self._shown_end

    def _bytes(self, source_offset: int, *, ends: bool) -> int:
        number = bisect_right(self._stretches, source_offset - ends, key=lambda candidate: candidate.source_bytes) - 1
        stretch = self._stretches[number]
        following = self._stretches[number + 1] if number + 1 < len(self._stretches) else None
        limit = following.shown_bytes if following else self._shown_bytes
        offset = source_offset - stretch.source_bytes
        if stretch.texts:
            source, shown = stretch.texts
            offset = byte_length(shown[: self._offset(stretch, _characters(source, offset), ends=ends)])
        return min(stretch.shown_bytes + offset, limit)

    def _offset(self, stretch: _Stretch, source_offset: int, *, ends: bool = False) -> int:
        """Return the offset in the shown text of a stretch for an offset in the provider's text."""
        if stretch.texts is None:
            return source_offset
        if stretch.blocks is None:
            stretch.blocks = self._equal_parts(*stretch.texts, stretch.inserted)
        offset = 0
        for source, shown, length in stretch.blocks:
            if ends and source_offset <= source:
                return offset
            if not ends and source_offset < source + length:
                return shown + max(0, source_offset - source)
            offset = shown + min(length, source_offset - source)
        return offset if ends else len(stretch.texts[1])

    def _equal_parts(self, source: str, shown: str, inserted: Span) -> list[tuple[int, int, int]]:
        """Return the parts that both texts have, in order, without the inserted span of the shown text."""
        begin, end = inserted
        base = shown[:begin] + shown[end:]
        prefix = _common_prefix(source, base)
        suffix = min(_common_prefix(source[::-1], base[::-1]), len(base) - prefix, len(source) - prefix)
        parts = [(0, 0, prefix)]
        left, right = source[prefix : len(source) - suffix], base[prefix : len(base) - suffix]
        self._compared += len(left) * len(right)
        if left and right and self._compared <= MAX_COMPARED_PAIRS:
            matches = SequenceMatcher(None, left, right, autojunk=False).get_matching_blocks()
            parts += [(prefix + match.a, prefix + match.b, match.size) for match in matches]
        parts.append((len(source) - suffix, len(base) - suffix, suffix))
        return [part for whole in parts if whole[2] for part in _around(whole, begin, end - begin)]


def byte_length(text: str) -> int:
    """Return the length in bytes of UTF-8."""
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))


def _characters(text: str, size: int) -> int:
    """Return the number of code points in the first `size` bytes."""
    return len(text.encode("utf-8", "surrogatepass")[: max(0, size)].decode("utf-8", "ignore"))


def _around(part: tuple[int, int, int], inserted: int, size: int) -> list[tuple[int, int, int]]:
    """Return a part of the text without the inserted span as parts of the text with it."""
    source, shown, length = part
    if shown >= inserted:
        return [(source, shown + size, length)]
    if shown + length <= inserted:
        return [part]
    first = inserted - shown
    return [(source, shown, first), (source + first, inserted + size, length - first)]


def _common_prefix(first: str, second: str) -> int:
    """Return the length of the common prefix. Halves are compared: character by character takes 50 times as long."""
    low, high = 0, min(len(first), len(second))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if first[:middle] == second[:middle] else (low, middle - 1)
    return low
