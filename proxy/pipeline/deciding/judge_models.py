"""The models that can judge: a language model that is asked in words, and a cross-encoder."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from math import exp

from citestream.citation.support.judge_prompt import JudgeTemplate, probability, read_answer
from citestream.providers.judging.cross_encoder import EntailmentModel
from citestream.providers.judging.language_model import LanguageModelJudge

MAX_LOG_ODDS = 30.0  # beyond it the probability is 0 or 1 in double precision, and `exp` may overflow


@dataclass(frozen=True, slots=True)
class Question:
    """One claim and one passage of evidence."""

    claim: str
    context: str  # the sentence before the claim
    title: str
    passage: str


@dataclass(frozen=True, slots=True)
class Opinion:
    """The probability that the passage supports the claim, None if the reply cannot be read; and what it cost."""

    probability: float | None
    tokens: int = 0


class JudgeModel(ABC):
    """A model that reads a claim and a passage together."""

    @abstractmethod
    async def read(self, question: Question) -> Opinion:
        """Return the opinion on one question. Raise ProviderError."""

    async def aclose(self) -> None:
        """Release what the model holds."""
        return


class PromptedModel(JudgeModel):
    """A language model that is asked in words."""

    def __init__(self, model: LanguageModelJudge, template: JudgeTemplate, secret: bytes) -> None:
        """`secret`: key of the nonces around passages."""
        self._model = model
        self._template = template
        self._secret = secret

    async def read(self, question: Question) -> Opinion:
        """See JudgeModel."""
        messages = self._template.messages(
            question.claim, question.passage, title=question.title, context=question.context, secret=self._secret
        )
        reply = await self._model.ask(messages)
        likely = probability(reply.top)
        if likely is None and (answer := read_answer(reply.text)) is not None:
            likely = float(answer)
        return Opinion(likely, reply.tokens)


class CrossEncoder(JudgeModel):
    """A local model in ONNX that returns log odds of entailment."""

    def __init__(self, model: EntailmentModel) -> None:
        """`model`: closed with this one."""
        self._model = model

    async def read(self, question: Question) -> Opinion:
        """See JudgeModel."""
        passage = f"{question.title}. {question.passage}" if question.title else question.passage
        (log_odds,) = await self._model.entailed([(passage, question.claim)])
        return Opinion(1 / (1 + exp(-max(-MAX_LOG_ODDS, min(MAX_LOG_ODDS, log_odds)))))

    async def aclose(self) -> None:
        """Stop the model's thread."""
        await self._model.aclose()
