"""The judge of a configuration: a language model of any provider, or a cross-encoder on this machine."""

import secrets
from pathlib import Path

from citestream.citation.evidence import FieldError
from citestream.citation.support.judge_prompt import JudgeTemplate
from citestream.citation.support.judging import ALL, JudgeBand
from citestream.providers.errors import ProviderError
from citestream.providers.judging.cross_encoder import EntailmentModel
from citestream.providers.judging.language_model import LanguageModelJudge

from .checkers import checker_folder, is_local
from .config import ConfigError
from .config.evidence_options import ScoringConfig
from .model_routes import Routes
from .pipeline.deciding.judge_models import CrossEncoder, JudgeModel, PromptedModel
from .pipeline.deciding.judging import Judge, JudgeLimits

SECRET_BYTES = 32  # as long as the key of blake2b may usefully be


def make_judge(config: ScoringConfig, routes: Routes) -> Judge | None:
    """Return the configured judge, None if there is none. Raise ConfigError if it cannot be created."""
    if not config.judge:
        return None
    band = ALL if config.judge_band == "all" else JudgeBand(*config.judge_band)
    limits = JudgeLimits(
        config.judge_deadline_seconds,
        config.judge_concurrent_calls,
        config.judge_calls_per_answer,
        config.judge_cached_verdicts,
    )
    return Judge(judge_model(config, routes), band, limits)


def judge_model(config: ScoringConfig, routes: Routes) -> JudgeModel:
    """Return the model that `config.judge` names. Raise ConfigError, or RequestError for an unknown model."""
    if is_local(config.judge):
        try:
            return CrossEncoder(EntailmentModel(checker_folder(config.judge)))
        except ProviderError as error:
            raise ConfigError(f"scoring.judge: {error.message}") from None
    route = routes.find(config.judge)
    model = LanguageModelJudge(route.stream, route.model)
    return PromptedModel(model, _template(config.judge_template, route.model), secrets.token_bytes(SECRET_BYTES))


def _template(path: str, model: str) -> JudgeTemplate:
    if not path:
        return JudgeTemplate.for_model(model)
    try:
        return JudgeTemplate(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigError(f"scoring.judge_template: {path}: {error.strerror}") from None
    except FieldError as error:
        raise ConfigError(f"scoring.judge_template: {path} {error.message}") from None
