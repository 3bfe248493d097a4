"""Sample texts: excerpts of real documents, and answers made of their sentences, in tokens."""

import re
from dataclasses import dataclass
from functools import cache
from itertools import cycle, islice
from pathlib import Path

DOCUMENTS = Path(__file__).parents[2] / "examples" / "documents"
ENGLISH = ("moon-landings.md", "si-units.md", "server-sent-events.md", "declaration-of-independence.txt")
EXCERPT = 600  # characters; results of retrievers have 300 to 1,500
SENTENCE = (40, 220)  # characters
# Like tokenizers of models: a word with its space, punctuation, or white space; five characters on average.
_TOKEN = re.compile(r" ?\w+|[^\w\s]|\s+")
_WHOLE = re.compile(
    r"[A-Z][^.!?\n|*#]+[a-z]\.(?=\s|$)"
)  # exactly one full stop, at the end, so that arrivals can be counted


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer: `tokens` like those of a model, and `ends`, the indexes of tokens that end a sentence."""

    tokens: tuple[str, ...]
    ends: tuple[int, ...]


@cache
def excerpts(count: int) -> tuple[str, ...]:
    """Return passages of about EXCERPT characters, each from one document. Documents are repeated if necessary."""
    found: list[str] = []
    for name in ENGLISH:
        held = ""
        for paragraph in (DOCUMENTS / name).read_text("utf-8").split("\n\n"):
            held = f"{held}\n\n{paragraph}".strip()
            if len(held) >= EXCERPT:
                found.append(held)
                held = ""
    return tuple(islice(cycle(found), count))


@cache
def answer(count: int) -> Answer:
    """Return an answer with this many tokens, in which every other sentence is cited."""
    text = ""
    tokens: list[str] = []
    while len(tokens) < count:
        text += _sentences()
        tokens = _TOKEN.findall(text)
    kept = tuple(tokens[:count])
    ends = (at for at, token in enumerate(kept[:-1]) if token == ".")  # noqa: S105 # nosec B105 # a full stop
    return Answer(kept, tuple(ends))


@cache
def _sentences() -> str:
    written = ""
    texts = excerpts(5)
    for number, sentence in enumerate(islice(_interleaved(texts), 40)):
        marker = "" if number % 2 else f" [{texts.index(sentence[0]) + 1}]"
        written += sentence[1].removesuffix(".") + marker + "." + ("\n\n" if number % 3 == 2 else " ")
    return written


def _interleaved(texts: tuple[str, ...]) -> list[tuple[str, str]]:
    """Yield pairs of an excerpt and one of its sentences, alternating between excerpts."""
    least, most = SENTENCE
    whole = [[(text, found) for found in _WHOLE.findall(text) if least <= len(found) <= most] for text in texts]
    longest = max(map(len, whole))
    return [of_one[at] for at in range(longest) for of_one in whole if at < len(of_one)]
