"""The question that a judge is asked about one sentence and several excerpts, and the reading of its reply.

A judge is a model that answers only which excerpts support a claim, alone or together. The excerpts come before the
claim and in the order of the evidence, so that questions of one answer share a prefix, for a provider's prompt cache.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from hashlib import blake2b
from importlib.resources import files
from math import exp
from string import Template
from typing import Any

from ..evidence import FieldError
from ..prompt.sanitize import sanitize, sanitize_line

Message = dict[str, Any]

DEFAULT, MINICHECK = "judge", "judge_minicheck"
NONCE_BYTES = 4  # 8 hexadecimal digits: the author of an excerpt would have to guess one of 4 billion

MAX_PASSAGE_CHARACTERS = (
    2_000  # characters: about 500 tokens; a passage is at most three sentences and what surrounds them
)
MAX_CLAIM_CHARACTERS = 1_000  # characters of a claim, of the sentence before it, and of the question


class Extent(StrEnum):
    """The part of a sentence that the excerpts support."""

    WHOLE = "supported"
    PART = "partly"
    NONE = "unsupported"
    CONTRADICTED = "contradicted"


@dataclass(frozen=True, slots=True)
class Excerpt:
    """One piece of evidence for the judge: its number, its title, and the passage with a sentence on each side."""

    number: int
    title: str
    passage: str


@dataclass(frozen=True, slots=True)
class Question:
    """A sentence and the excerpts that may support it. The judge sees them as 1, 2, 3, in this order."""

    claim: str
    excerpts: tuple[Excerpt, ...]
    context: str = ""  # the sentence before the claim, to which its pronouns may refer
    question: str = ""  # the user's question


@dataclass(frozen=True, slots=True)
class Reply:
    """The reply of a judge to a question. Excerpts are counted from 1, as it sees them."""

    extent: Extent
    supporting: tuple[int, ...] = ()  # empty with WHOLE: the excerpts support the claim, but it does not say which
    contradicting: int | None = None  # the excerpt that says otherwise


@dataclass(frozen=True, slots=True)
class JudgeTemplate:
    """A prompt with `$claim` and either `$excerpts` or `$document`, optionally `$context`, `$question` and `$nonce`.

    To `$excerpts`, which have numbers, the judge replies with numbers. `$document` is the text of all excerpts without
    numbers, to which it replies Yes or No. A line `---` separates system and user message. A line whose placeholder has
    no value is left out.
    """

    text: str

    def __post_init__(self) -> None:
        """Raise FieldError if a placeholder is missing."""
        names = set(Template(self.text).get_identifiers())
        if "passage" in names:
            raise FieldError(
                "judge_template",
                "contains $passage, but a judge now reads several excerpts at once. Write $excerpts, and ask for the "
                "numbers of those that support the claim or none; or write $document, and ask for Yes or No",
            )
        if "claim" not in names or names.isdisjoint({"excerpts", "document"}):
            raise FieldError("judge_template", "must contain $claim, and $excerpts or $document")

    @classmethod
    def for_model(cls, model: str) -> "JudgeTemplate":
        """Return the built-in template that fits the model: MiniCheck models expect their own format."""
        return _built_in(MINICHECK if "minicheck" in model.lower() else DEFAULT)

    @property
    def names_excerpts(self) -> bool:
        """Whether the judge replies with numbers of excerpts; else it replies Yes or No."""
        return "excerpts" in Template(self.text).get_identifiers()

    def messages(self, question: Question, *, secret: bytes = b"") -> list[Message]:
        """Return the messages of one question.

        `secret`: key of the nonce around excerpts, so that the author of an excerpt cannot predict it. The questions
        of one answer have the same nonce, as prompt caches need it.
        """
        key = question.question.encode("utf-8", "replace")
        nonce = blake2b(key, digest_size=NONCE_BYTES, key=secret).hexdigest()
        values = {
            "excerpts": "\n".join(_numbered(question.excerpts, nonce)),
            "document": self._document(question.excerpts, nonce),
            "claim": sanitize_line(question.claim, nonce, MAX_CLAIM_CHARACTERS),
            "context": sanitize_line(question.context, nonce, MAX_CLAIM_CHARACTERS),
            "question": sanitize_line(question.question, nonce, MAX_CLAIM_CHARACTERS),
            "nonce": nonce,
        }
        # Divided before the values are inserted, because an excerpt can contain the separator.
        system, separator, user = self.text.partition("\n---\n")
        roles = {"system": system, "user": user} if separator else {"user": self.text}
        return [{"role": role, "content": _filled(part, values)} for role, part in roles.items()]

    def _document(self, excerpts: Sequence[Excerpt], nonce: str) -> str:
        """Return the text of all excerpts with their titles."""
        parts = [part for excerpt in excerpts for part in _parts(excerpt, nonce) if part]
        if "nonce" in Template(self.text).get_identifiers():
            return "\n".join(parts)
        return " ".join(" ".join(parts).split())  # on one line, so that it cannot begin a line such as "Claim:"


def _parts(excerpt: Excerpt, nonce: str) -> tuple[str, str]:
    return sanitize_line(excerpt.title, nonce), sanitize(excerpt.passage[:MAX_PASSAGE_CHARACTERS], nonce)


def _numbered(excerpts: Sequence[Excerpt], nonce: str) -> Iterable[str]:
    for number, excerpt in enumerate(excerpts, 1):
        title, passage = _parts(excerpt, nonce)
        yield f"[{number}] {title}".rstrip()
        yield from (nonce, passage, nonce)


def _filled(part: str, values: Mapping[str, str]) -> str:
    """Return a part of the template with its values, without the lines of placeholders that have none."""
    lines = [
        line
        for line in part.split("\n")
        if not (names := Template(line).get_identifiers()) or any(values.get(name, "-") for name in names)
    ]
    return Template("\n".join(lines)).safe_substitute(values).strip()


@cache
def _built_in(name: str) -> JudgeTemplate:
    return JudgeTemplate(files("citestream.citation.support").joinpath("prompts", f"{name}.md").read_text("utf-8"))


_TOKEN = re.compile(r"\d+|[^\W\d_]+")
_YES_OR_NO = {"yes": Reply(Extent.WHOLE), "no": Reply(Extent.NONE)}
_WORDS = {
    "none": Extent.NONE,
    **dict.fromkeys(("partly", "partially"), Extent.PART),
    **dict.fromkeys(("contradicted", "contradicts", "contradiction"), Extent.CONTRADICTED),
}
_AROUND_NUMBERS = frozenset({"excerpt", "excerpts", "number", "numbers", "and", "by"})
_EXPLANATION_BEGINS = re.compile(r"\d\W*[.:;()–—-]\W*$")


def read_reply(text: str, excerpts: int, *, numbers: bool = True) -> Reply | None:
    """Return what the first line of a reply says; None if it cannot be read.

    `excerpts`: how many the judge saw. `numbers`: whether it was asked for numbers; else for Yes or No.
    """
    line = next((line for line in text.splitlines() if line.strip()), "").lower()
    if not numbers:
        return _YES_OR_NO.get(next(iter(_TOKEN.findall(line)), ""))
    tokens = _numbers_and_words(line)
    if tokens is None or any(not 1 <= token <= excerpts for token in tokens if isinstance(token, int)):
        return None
    first_word = next((position for position, token in enumerate(tokens) if isinstance(token, Extent)), len(tokens))
    numbers_before = tuple(dict.fromkeys(token for token in tokens[:first_word] if isinstance(token, int)))
    words = [token for token in tokens if isinstance(token, Extent)]
    if Extent.CONTRADICTED in words:
        after = tokens[tokens.index(Extent.CONTRADICTED) :]
        return Reply(Extent.CONTRADICTED, (), next((token for token in after if isinstance(token, int)), None))
    if Extent.NONE in words:
        return Reply(Extent.NONE)
    return Reply(Extent.PART if words else Extent.WHOLE, numbers_before) if numbers_before else None


def _numbers_and_words(line: str) -> list[int | Extent] | None:
    """Return the numbers and the words of a reply up to an explanation; None if it is a sentence instead."""
    tokens: list[int | Extent] = []
    for match in _TOKEN.finditer(line):
        token = match[0]
        if token.isdecimal():
            tokens.append(int(token))
        elif token in _WORDS:
            tokens.append(_WORDS[token])
        elif token not in _AROUND_NUMBERS:
            has_answer = any(isinstance(entry, Extent) for entry in tokens)
            if not has_answer and not _EXPLANATION_BEGINS.search(line[: match.start()]):
                return None  # "1 does not support the claim"
            break
    return tokens


def probability(top: Iterable[Mapping[str, Any]]) -> float | None:
    """Return the probability that the claim is supported, by the alternatives for the first token; None without any.

    `top`: entries with `token` and `logprob`, as OpenAI's `top_logprobs`. A number or Yes counts for support, No and
    the beginning of "none" against it. Several spellings of a word are added up.
    """
    mass = {True: 0.0, False: 0.0}
    for entry in top:
        token, logprob = entry.get("token"), entry.get("logprob")
        tokens = _TOKEN.findall(token.lower()) if isinstance(token, str) else []
        if tokens and isinstance(logprob, int | float):
            supports = tokens[0].isdecimal() or tokens[0] == "yes"
            if supports or "none".startswith(tokens[0]):
                mass[supports] += exp(min(0.0, float(logprob)))
    total = mass[True] + mass[False]
    return mass[True] / total if total > 0 else None
