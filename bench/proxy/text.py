"""What is asked and answered: excerpts of real documents, and an answer made of their sentences, in tokens."""

import re
from dataclasses import dataclass
from functools import cache
from itertools import cycle, islice
from pathlib import Path

DOCUMENTS = Path(__file__).parents[2] / "examples" / "documents"
ENGLISH = ("moon-landings.md", "si-units.md", "server-sent-events.md", "declaration-of-independence.txt")
EXCERPT = 600  # characters: what retrievers hand over is between 300 and 1,500
SENTENCE = (40, 220)  # characters
# As tokenizers of models cut: a word with the space before it, a mark, white space; five characters on average.
_TOKEN = re.compile(r" ?\w+|[^\w\s]|\s+")
_WHOLE = re.compile(r"[A-Z][^.!?\n|*#]+[a-z]\.(?=\s|$)")  # one full stop, at its end: so arrivals can be counted


@dataclass(frozen=True, slots=True)
class Answer:
    """`tokens` as a model would send them; `ends`: which of them end a sentence."""

    tokens: tuple[str, ...]
    ends: tuple[int, ...]


@cache
def excerpts(count: int) -> tuple[str, ...]:
    """Passages of about EXCERPT characters, each from one document; repeated documents once there are no more."""
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
    """An answer of this many tokens. The model cites every other sentence."""
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
    """(excerpt, sentence of it), taking turns."""
    least, most = SENTENCE
    whole = [[(text, found) for found in _WHOLE.findall(text) if least <= len(found) <= most] for text in texts]
    longest = max(map(len, whole))
    return [of_one[at] for at in range(longest) for of_one in whole if at < len(of_one)]
