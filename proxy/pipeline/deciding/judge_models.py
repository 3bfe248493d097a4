"""The models that can judge: a language model that is asked in words, and a cross-encoder."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from math import exp

from citestream.citation.support.decision import JUDGE_THRESHOLD
from citestream.citation.support.judge_prompt import (
    Excerpt,
    Extent,
    JudgeTemplate,
    Question,
    Reply,
    probability,
    read_reply,
)
from citestream.providers.judging.cross_encoder import EntailmentModel
from citestream.providers.judging.language_model import LanguageModelJudge

MAX_LOG_ODDS = 30.0  # beyond it the probability is 0 or 1 in double precision, and `exp` may overflow


@dataclass(frozen=True, slots=True)
class Opinion:
    """The reply to a question, None if it cannot be read; the probability of support; and what it cost."""

    reply: Reply | None
    support: float = 1.0  # probability
    tokens: int = 0


class JudgeModel(ABC):
    """A model that reads a sentence and several excerpts together."""

    @abstractmethod
    async def read(self, question: Question) -> Opinion:
        """Return the opinion on one question. Raise ProviderError."""

    async def aclose(self) -> None:
        """Release what the model holds."""
        return


class PromptedModel(JudgeModel):
    """A language model that is asked in words."""

    def __init__(self, model: LanguageModelJudge, template: JudgeTemplate, secret: bytes) -> None:
        """`secret`: key of the nonces around excerpts."""
        self._model = model
        self._template = template
        self._secret = secret

    async def read(self, question: Question) -> Opinion:
        """See JudgeModel."""
        answer = await self._model.ask(self._template.messages(question, secret=self._secret))
        reply = read_reply(answer.text, len(question.excerpts), numbers=self._template.names_excerpts)
        likely = probability(answer.top)
        return Opinion(reply, 1.0 if likely is None else likely, answer.tokens)


class CrossEncoder(JudgeModel):
    """A local model in ONNX that returns log odds of entailment. It reads each excerpt, and all of them together."""

    def __init__(self, model: EntailmentModel) -> None:
        """`model`: closed with this one."""
        self._model = model

    async def read(self, question: Question) -> Opinion:
        """See JudgeModel."""
        passages = [_passage(excerpt) for excerpt in question.excerpts]
        union = [" ".join(passages)] if len(passages) > 1 else []
        log_odds = await self._model.entailed([(passage, question.claim) for passage in (*passages, *union)])
        likely = [1 / (1 + exp(-max(-MAX_LOG_ODDS, min(MAX_LOG_ODDS, value)))) for value in log_odds]
        support = max(likely)
        if support < JUDGE_THRESHOLD:
            return Opinion(Reply(Extent.NONE), support)
        alone = [position for position, value in enumerate(likely[: len(passages)], 1) if value >= JUDGE_THRESHOLD]
        return Opinion(Reply(Extent.WHOLE, tuple(alone)), support)

    async def aclose(self) -> None:
        """Stop the model's thread."""
        await self._model.aclose()


def _passage(excerpt: Excerpt) -> str:
    return f"{excerpt.title}. {excerpt.passage}" if excerpt.title else excerpt.passage
