"""The question that a judge is asked about one claim and one passage, and the reading of its reply.

A judge is a language model that answers only whether a passage supports a claim. The passage comes before the claim, so
that several claims about one passage share a prefix and a provider's prompt cache applies.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
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
NONCE_BYTES = 4  # 8 hexadecimal digits: a passage's author would have to guess one of 4 billion

MAX_PASSAGE = 4_000  # characters: about 1,000 tokens; a passage is at most three sentences and what surrounds them
MAX_CLAIM = 1_000  # characters of a claim, and of the sentence before it


@dataclass(frozen=True, slots=True)
class JudgeTemplate:
    """A prompt with `$passage` and `$claim`, optionally `$nonce`. A line `---` separates system and user message."""

    text: str

    def __post_init__(self) -> None:
        """Raise FieldError if a placeholder is missing."""
        missing = {"passage", "claim"} - set(Template(self.text).get_identifiers())
        if missing:
            raise FieldError("judge_template", f"must contain ${' and $'.join(sorted(missing))}")

    @classmethod
    def for_model(cls, model: str) -> "JudgeTemplate":
        """Return the built-in template that fits the model: MiniCheck models expect their own format."""
        return _built_in(MINICHECK if "minicheck" in model.lower() else DEFAULT)

    def messages(
        self, claim: str, passage: str, *, title: str = "", context: str = "", secret: bytes = b""
    ) -> list[Message]:
        """Return the messages of one question.

        `title`: of the evidence. `context`: the sentence before the claim, to which its pronouns may refer. `secret`:
        key of the nonce around the passage, so that the author of a passage cannot predict it. The same passage has
        the same nonce, as prompt caches need it.
        """
        passage = passage[:MAX_PASSAGE]
        nonce = blake2b(
            f"{title}\0{passage}".encode("utf-8", "replace"), digest_size=NONCE_BYTES, key=secret
        ).hexdigest()
        body = "\n".join(part for part in (sanitize_line(title, nonce), sanitize(passage, nonce)) if part)
        if "nonce" not in Template(self.text).get_identifiers():
            body = " ".join(body.split())  # on one line, so that the passage cannot begin a line such as "Claim:"
        claim = sanitize_line(claim, nonce, MAX_CLAIM)
        if context:
            claim = f"{sanitize_line(context, nonce, MAX_CLAIM)} {claim}"
        # Divided before the values are inserted, because a passage can contain the separator.
        system, separator, user = self.text.partition("\n---\n")
        roles = {"system": system, "user": user} if separator else {"user": self.text}
        values = {"passage": body, "claim": claim, "nonce": nonce}
        return [{"role": role, "content": Template(part).substitute(values).strip()} for role, part in roles.items()]


@cache
def _built_in(name: str) -> JudgeTemplate:
    return JudgeTemplate(files("citestream.citation.support").joinpath("prompts", f"{name}.md").read_text("utf-8"))


_ANSWERS = {"yes": True, "no": False}
_AROUND = (
    " \t\r\n\"'`*_.,:;!()[]<>"  # characters that models write around a word: Markdown, quotation marks, a full stop
)


def read_answer(text: str) -> bool | None:
    """Return whether a reply begins with Yes or No; None if it begins with anything else."""
    words = text.strip(_AROUND).split(maxsplit=1)
    return _ANSWERS.get(words[0].strip(_AROUND).lower()) if words else None


def probability(top: Iterable[Mapping[str, Any]]) -> float | None:
    """Return the probability of Yes against No among the alternatives for the first token; None if neither is there.

    `top`: entries with `token` and `logprob`, as OpenAI's `top_logprobs`. Several spellings of a word are added up.
    """
    mass = {True: 0.0, False: 0.0}
    for entry in top:
        token, logprob = entry.get("token"), entry.get("logprob")
        answer = read_answer(token) if isinstance(token, str) else None
        if answer is not None and isinstance(logprob, int | float):
            mass[answer] += exp(min(0.0, float(logprob)))
    total = mass[True] + mass[False]
    return mass[True] / total if total > 0 else None
