"""The sections of the configuration about evidence and scoring."""

from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, model_validator

from citestream.citation.evidence import LABELS, MAX_CHARACTERS, MAX_EVIDENCE, EvidenceLimits
from citestream.citation.evidence.hosts import KNOWN_FENCES, Fence
from citestream.citation.support.judging import JudgeBand
from citestream.citation.support.scorers.ragflow import TOKEN_WEIGHT
from citestream.providers.embedding.embedder import CACHE_BYTES

from .section import Section


class PromptFiles(Section):
    """Files that replace the built-in prompt templates. Empty: use the built-in template."""

    system: str = Field(default="", description="citation rules")
    unmarked: str = Field(default="", description="rules for answers without markers, such as JSON")
    evidence: str = Field(default="", description="text around the excerpts, with $excerpts and optionally $nonce")
    results: str = Field(
        default="", description="text around the excerpts in a tool message, with the same placeholders"
    )


def _parse_from_prompt(value: object) -> object:
    """Return `hosts`, `off` or a tuple of fences. Raise ValueError."""
    if value is False:
        return "off"  # YAML reads `off` as false
    if value in ("hosts", "off"):
        return value
    if not isinstance(value, list | tuple):
        raise ValueError("must be hosts, off or a list of fences")
    return tuple(_parse_fence(fence) for fence in value)


def _parse_fence(value: object) -> Fence:
    match value:
        case Fence():
            return value
        case str() if value in KNOWN_FENCES:
            return KNOWN_FENCES[value]
        case {"opening": str(opening), "closing": str(closing), **unknown} if opening and closing and not unknown:
            return Fence(opening, closing)
        case {"opening": str(opening), **unknown} if opening and not unknown:
            return Fence(opening)
    raise ValueError(f"each fence must be {{opening, closing}}, {{opening}} or one of: {', '.join(KNOWN_FENCES)}")


class EvidenceConfig(Section):
    """Sources and limits of evidence, and its presentation to the model."""

    from_prompt: Annotated[Literal["hosts", "off"] | tuple[Fence, ...], BeforeValidator(_parse_from_prompt)] = Field(
        default="hosts",
        description="use evidence that RAG hosts put into prompts: hosts (known ones), off, or a list of fences to add",
    )
    from_tools: bool = Field(default=False, description="also use tool results in the conversation as evidence")
    skip_housekeeping: bool = Field(
        default=True,
        description="pass through requests of chat pages for titles and tags without evidence and citations",
    )
    housekeeping: tuple[Annotated[str, Field(min_length=1)], ...] = Field(
        default=(), description="beginnings of further prompts of this kind, in addition to those of known pages"
    )
    limit: int = Field(default=MAX_EVIDENCE, ge=1, description="maximum number of evidence items in a request")
    max_characters: int = Field(
        default=MAX_CHARACTERS, ge=1, description="maximum characters of all evidence texts together"
    )
    max_tokens: int = Field(
        default=24_000,
        ge=100,
        description="maximum tokens of excerpts and prompt together; further evidence is dropped",
    )
    labels: dict[str, str] = Field(
        default_factory=lambda: dict(LABELS), description="names of the kinds of evidence on web pages"
    )
    prompt_files: PromptFiles = Field(
        default_factory=PromptFiles, description="files that replace the built-in prompt templates"
    )

    @property
    def limits(self) -> EvidenceLimits:
        """The maximum size of all evidence of a request."""
        return EvidenceLimits(items=self.limit, characters=self.max_characters)


ONNX = "onnx:"  # prefix of a folder with a model, where a model's name may also stand


class ScoringConfig(Section):
    """Settings of the scorers."""

    embedder: str = Field(
        default="local", description="embedding model: local, or provider/model such as ollama/nomic-embed-text"
    )
    cache_bytes: int = Field(
        default=CACHE_BYTES, ge=0, description="size of the embedding cache; 64 MiB hold 30,000 sentences"
    )
    kept_characters: int = Field(
        default=2_000_000,
        ge=0,
        description="characters of analyzed excerpts in the cache (30 MB); Chinese characters count eightfold",
    )
    # At most 10: successive sentences that miss the deadline wait up to 4/3 of it in total, and the client must
    # receive something every 15 s.
    deadline_seconds: float = Field(
        default=2.0,
        gt=0,
        le=10,
        description="maximum seconds to wait for embeddings or a model per sentence; then the lexical scorer decides",
    )
    ragflow_token_weight: float = Field(
        default=TOKEN_WEIGHT,
        ge=0,
        le=1,
        description="weight of words in the ragflow scorer, the rest is the weight of embeddings; RAGFlow uses 0.7",
    )
    checker: str = Field(
        default="",
        description="local model of the scorer checker: a name of `citestream models list`, hf:ORGANISATION/MODEL, "
        "or onnx:FOLDER with model.onnx and tokenizer.json",
    )
    checker_required: bool = Field(
        default=True, description="do not start if the checker is missing; false: start and verify without it"
    )
    judge: str = Field(
        default="",
        description="model that decides which excerpts support a sentence: provider/model, or a local "
        "model, named as for `checker`",
    )
    judge_band: tuple[float, float] | Literal["all"] = Field(
        default=(JudgeBand().low, JudgeBand().high),
        description="scorer probabilities that are uncertain, so that the judge is asked; all: about every sentence",
    )
    judge_deadline_seconds: float = Field(
        default=2.0, gt=0, le=10, description="maximum seconds to wait for the judge per sentence; then it is ignored"
    )
    judge_concurrent_calls: int = Field(
        default=8, ge=1, description="maximum concurrent calls of one worker; one answer uses at most half of them"
    )
    judge_calls_per_answer: int = Field(
        default=100, ge=1, description="maximum calls for one answer; at most one is needed for each sentence"
    )
    judge_template: str = Field(default="", description="file with a prompt for the judge; empty: chosen by model name")
    judge_cached_verdicts: int = Field(
        default=20_000, ge=0, description="number of verdicts in the cache; 20,000 take about 3 MB"
    )
    work_milliseconds: int = Field(
        default=10_000,
        ge=1,
        description="work for the decisions about one answer, estimated from lengths; past it only the best evidence "
        "is compared, past twice of it nothing, and the answer is degraded",
    )

    @model_validator(mode="after")
    def _check_band(self) -> "ScoringConfig":
        if self.judge_band != "all" and not 0 <= self.judge_band[0] < self.judge_band[1] <= 1:
            raise ValueError("scoring.judge_band must be two numbers 0 <= low < high <= 1, or all")
        return self
