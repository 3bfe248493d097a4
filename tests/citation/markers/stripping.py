"""Remove the markers of a text, fed in every split."""

from citestream.citation.markers import MarkerNames, MarkerStripper, StrippedText, strip

FIVE = MarkerNames(frozenset(range(1, 6)))
Case = tuple[str, str, tuple[int, ...], tuple[int, ...]]  # raw, shown, cited, unknown


def ways(raw: str, names: MarkerNames) -> list[StrippedText]:
    """Feed the text whole, character by character, and split in two at every position."""
    cuts = [list(raw), *([raw[:at], raw[at:]] for at in range(len(raw) + 1))]
    results = [strip(raw, names)]
    for pieces in cuts:
        stripper = MarkerStripper(names)
        shown = ""
        for piece in pieces:
            shown += stripper.feed(piece)
        results.append(StrippedText(shown + stripper.flush(), stripper.cited, stripper.unknown))
    return results


def check(raw: str, shown: str, cited: tuple[int, ...], unknown: tuple[int, ...], names: MarkerNames = FIVE) -> None:
    for result in ways(raw, names):
        assert result == StrippedText(shown, cited, unknown)
