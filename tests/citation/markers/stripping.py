"""Check the removal of markers from a text, for every split in two."""

from citestream.citation.markers import MarkerNames, MarkerStripper, StrippedText, strip

FIVE = MarkerNames(frozenset(range(1, 6)))
Case = tuple[str, str, tuple[int, ...], tuple[int, ...]]  # raw, shown, cited, unknown


def results(raw: str, names: MarkerNames) -> list[StrippedText]:
    """Return the results for the whole text, single characters, and the text split in two at every position."""
    splits = [list(raw), *([raw[:at], raw[at:]] for at in range(len(raw) + 1))]
    found = [strip(raw, names)]
    for pieces in splits:
        stripper = MarkerStripper(names)
        shown = ""
        for piece in pieces:
            shown += stripper.feed(piece)
        found.append(StrippedText(shown + stripper.flush(), stripper.cited, stripper.unknown))
    return found


def check(raw: str, shown: str, cited: tuple[int, ...], unknown: tuple[int, ...], names: MarkerNames = FIVE) -> None:
    for result in results(raw, names):
        assert result == StrippedText(shown, cited, unknown)
