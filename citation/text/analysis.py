"""The content of a text: terms without stop words, names, quantities and negations."""

from array import array
from bisect import bisect_left
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import compress
from operator import attrgetter
from typing import TypeVar

from .memo import memoize
from .normalize import to_simplified
from .numbers.quantities import Quantity, QuantityMatch
from .numbers.quantity_parser import QuantityParser
from .runs import Terms, insert_terms, terms_of_runs
from .steps import Steps, complete
from .tokens import Tokens, tokenize
from .words.languages import MAX_VOTES, Votes, detect_language, stopwords
from .words.polarity import cancels_negation, negations_in_runs

_MAX_TITLES = 1024  # cached titles
MAX_TITLE_CHARACTERS = (
    400  # characters of a title that are analyzed; a longer one is a text, and no step may analyze megabytes
)
_OPENING_MARKS = " \"“‘'(*_#「《"
_SENTENCE_ENDS = ".!?:。！？\n-•*"

_MAX_DISORDER_CHARACTERS = 100  # characters of the longest date or run of numbers whose parts are not in order

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Analysis:
    """The content terms of a text in order, and its other content. Offsets are code points."""

    terms: list[str]
    starts: "array[int]"  # 4 bytes a term, where a list takes 36: the analyses of thousands of excerpts are cached
    ends: "array[int]"
    names: set[str] = field(default_factory=set)  # terms that are written like proper names
    quantities: list[Quantity] = field(default_factory=list)
    negations: list[int] = field(default_factory=list)  # offsets where they end
    language: str | None = None

    def terms_in(self, start: int, end: int) -> list[str]:
        """Return the terms that begin between two offsets."""
        return self.terms[bisect_left(self.starts, start) : bisect_left(self.starts, end)]

    def quantities_in(self, start: int, end: int) -> list[Quantity]:
        """Return the quantities that begin between two offsets."""
        return [q for q in _nearby(self.quantities, start, end, attrgetter("start")) if start <= q.start < end]

    def negations_in(self, start: int, end: int) -> list[int]:
        """Return the ends of the negations that end after `start`, up to `end`."""
        return [
            end_of_negation
            for end_of_negation in _nearby(self.negations, start, end, int)
            if start < end_of_negation <= end
        ]


def _nearby(items: list[T], start: int, end: int, offset: Callable[[T], int]) -> list[T]:
    """Return the items between two offsets, and some more on both sides, since the parts of a date are not in order."""
    lo = bisect_left(items, start - _MAX_DISORDER_CHARACTERS, key=offset)
    return items[lo : bisect_left(items, end + _MAX_DISORDER_CHARACTERS, lo, key=offset)]


_PORTUGUESE_CONTRACTIONS = frozenset({"no", "nos"})  # "in the"


def analyze_text(
    text: str, language: str | None = None, with_names: bool = True, likely: Collection[str | None] = ()
) -> Analysis:
    """Analyze a text.

    `language` (`en`, `de`, ...) is assumed where the words do not show it, and one of the `likely` ones where they do
    not decide. `with_names=False` leaves `names` empty, which saves a twentieth of the time.
    """
    tokens = tokenize(to_simplified(text))
    return complete(_analyze(tokens, detect_language(_votes(tokens), likely) or language, with_names))


def analyze_in_steps(text: str, blocks: Sequence[tuple[int, int]]) -> Steps[Analysis]:
    """Analyze a long text in steps, without names. `blocks`: consecutive spans that end where a sentence ends.

    With one block the result is that of `analyze_text`. With several, a number or a negation does not reach over the
    end of a block.
    """
    if len(blocks) == 1:
        tokens = tokenize(to_simplified(text))
        yield None
        return (yield from _analyze(tokens, detect_language(_votes(tokens)), with_names=False))
    votes: list[Votes] = []
    for start, end in blocks:
        if len(votes) >= MAX_VOTES:
            break
        votes += _votes(tokenize(to_simplified(text[start:end])))
        yield None
    language = detect_language(votes)
    whole = Analysis([], array("I"), array("I"), language=language)
    for start, end in blocks:
        tokens = tokenize(to_simplified(text[start:end]))
        yield None
        part = yield from _analyze(tokens, language, with_names=False)
        _append(whole, part, start)
        yield None
    return whole


def _votes(tokens: Tokens) -> list[Votes]:
    return [token.votes for token in tokens.tokens if token.votes]


def _append(whole: Analysis, part: Analysis, offset: int) -> None:
    """Add the analysis of the block that begins at `offset`."""
    whole.terms.extend(part.terms)
    whole.starts.fromlist([start + offset for start in part.starts])
    whole.ends.fromlist([end + offset for end in part.ends])
    whole.quantities.extend([q._replace(start=q.start + offset, end=q.end + offset) for q in part.quantities])
    whole.negations.extend([end + offset for end in part.negations])


@lru_cache(maxsize=256)
def analyze_sentence(text: str, likely: frozenset[str | None] = frozenset()) -> Analysis:
    """Analyze a sentence of an answer. The scorer, the gates and the next sentence need the same analysis.

    `likely`: the languages of the evidence. A short sentence may have no word that only one language has.
    """
    return analyze_text(text, likely=likely)


def analyze_title(title: str) -> Analysis:
    """Analyze the first MAX_TITLE_CHARACTERS of a title, which many excerpts share."""
    return _analyze_title(title[:MAX_TITLE_CHARACTERS])


@memoize(_MAX_TITLES, MAX_TITLE_CHARACTERS)
def _analyze_title(title: str) -> Analysis:
    return analyze_text(title)


def _analyze(tokens: Tokens, language: str | None, with_names: bool) -> Steps[Analysis]:
    """Analyze tokens.

    The terms of most tokens are copied for all at once. The loops handle the others.
    """
    matches = yield from QuantityParser(tokens, language).parse_in_steps()
    ignored = stopwords(language)
    is_content = [token.stopword_key not in ignored for token in tokens.tokens]
    for _, first, after in matches:
        for i in range(first, after):
            is_content[i] = False
    names = _names(tokens, is_content) if with_names else set()
    negations = []
    if negating := [i for i, token in enumerate(tokens.tokens) if token.negates]:
        in_quantity = {i for _, first, after in matches for i in range(first, after)}
        negations = [tokens.ends[i] for i in negating if i not in in_quantity and _negates(tokens, i, language)]
    text = tokens.text
    runs = [] if text.isascii() else [i for i, token in enumerate(tokens.tokens) if token.kind == "run"]
    if runs and (in_runs := negations_in_runs(text)):
        negations = sorted([*negations, *(end for _, end in in_runs)])
    quantities = [match.quantity for match in matches]
    return Analysis(*_terms(tokens, is_content, matches, runs), names, quantities, negations, language)


def _names(tokens: Tokens, is_content: list[bool]) -> set[str]:
    """Return the terms of capitalized content words that do not begin a sentence."""
    capitalized = [i for i, token in enumerate(tokens.tokens) if token.capitalized and is_content[i]]
    return {tokens.tokens[i].term for i in capitalized if not _starts_sentence(tokens.text, tokens.starts[i])}


def _negates(tokens: Tokens, i: int, language: str | None) -> bool:
    """Return whether token `i`, a word that can negate, does so here."""
    contraction = language == "pt" and tokens.word(i) in _PORTUGUESE_CONTRACTIONS
    return not contraction and not cancels_negation(tokens.word(i + 1))


def _starts_sentence(text: str, start: int) -> bool:
    position = start - 2 if text[start - 1 : start] == " " else start - 1
    while position >= 0 and text[position] in _OPENING_MARKS:
        position -= 1
    return position < 0 or text[position] in _SENTENCE_ENDS


def _terms(tokens: Tokens, is_content: list[bool], matches: list[QuantityMatch], runs: list[int]) -> Terms:
    """Return the terms of content words, of quantities in the place of their tokens, and of runs."""
    terms, starts, ends = [token.term for token in tokens.tokens], tokens.starts.copy(), tokens.ends.copy()
    token_starts: Iterable[int]
    if len({match.first for match in matches}) == len(matches):
        # In most texts one term replaces one token. Columns then take half the time of the loop below.
        for quantity, i, _ in matches:
            terms[i], starts[i], ends[i] = quantity.term, quantity.start, quantity.end
            is_content[i] = True
        terms = list(compress(terms, is_content))
        starts, ends = list(compress(starts, is_content)), list(compress(ends, is_content))
        token_starts = compress(tokens.starts, is_content)
    else:  # a date has several terms, and a run can have several numbers
        placed: dict[int, list[Quantity]] = {}
        for quantity, i, _ in matches:
            placed.setdefault(i, []).append(quantity)
        rows: list[tuple[str, int, int, int]] = []
        for i, (term, start, end) in enumerate(zip(terms, starts, ends, strict=True)):
            if i in placed:
                rows += [(quantity.term, quantity.start, quantity.end, start) for quantity in placed[i]]
            elif is_content[i]:
                rows.append((term, start, end, start))
        terms, starts = [row[0] for row in rows], [row[1] for row in rows]
        ends, token_starts = [row[2] for row in rows], [row[3] for row in rows]
    words = Terms(terms, array("I", starts), array("I", ends))
    if not runs:
        return words
    in_runs = terms_of_runs(tokens.text, [tokens.starts[i] for i in runs], [tokens.ends[i] for i in runs])
    return insert_terms(words, list(token_starts), in_runs)
