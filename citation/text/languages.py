"""Which language a text is in, as far as numbers and negation need to know: a vote of function words."""

from collections.abc import Iterable
from itertools import islice

_DISTINCT = {
    "en": "the of and is was were are to that with for by from has have this which it at be as "
    "on an its their been not or in a an but his her he she they when who",
    "de": "der die und das ist den von mit des im dem nicht ein eine auf "
    "fur als auch sich wurde werden zu bei nach aus "
    "hat sind war er sie es um einer einen uber wird in bis vor mehr rund etwa",
    "es": "el la los las de que en y del se por con una un para como es fue "
    "su al lo mas ha son entre desde no sus o tiene",
    "fr": "le la les de des et est dans du une un pour que qui sur par au aux pas plus avec sont a ete en ce il "
    "ne se son d l environ ont",
    "it": "il la di che e per un una della del con non sono dei nel alla le i in da gli si al piu lo ha",
    "pt": "o a os as de que e do da em um uma para com nao no na dos foi por se mais ao sao seu",
    "nl": "de het een van en in is dat op te met zijn voor niet aan er werd door ook bij",
}


_NAMES = tuple(_DISTINCT)
Votes = tuple[tuple[int, float], ...]  # for languages, by their place in _NAMES


def _votes() -> dict[str, Votes]:
    speakers: dict[str, list[int]] = {}
    for place, words in enumerate(_DISTINCT.values()):
        for word in words.split():
            speakers.setdefault(word, []).append(place)
    return {word: tuple((place, 1 / len(places)) for place in places) for word, places in speakers.items()}


_VOTES = _votes()

# A first sentence or two decide; an excerpt is in one language.
_ENOUGH = 80
# One word that only one language has, more than any other language got.
_LEAD = 0.5


def votes(folded: str) -> Votes:
    """The languages a word is a function word of, a word that several share counting less."""
    return _VOTES.get(folded, ())


def detect_language(ballots: Iterable[Votes]) -> str | None:
    """`en`, `de`, `es`, `fr`, `it`, `pt`, `nl`, or None where no function word tells."""
    tally = [0.0] * len(_NAMES)
    for ballot in islice(ballots, _ENOUGH):
        for place, vote in ballot:
            tally[place] += vote
    second, best = sorted(tally)[-2:]
    return _NAMES[tally.index(best)] if best - second >= _LEAD else None
