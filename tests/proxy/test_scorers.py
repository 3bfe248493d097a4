"""Creation and selection of scorers according to the configuration."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from citestream.citation.evidence import Evidence
from citestream.citation.options import Options
from citestream.citation.support.scorers import Claim
from citestream.citation.support.scorers.checker import CheckerScorer, default_weights
from citestream.citation.support.scorers.ragflow import RagflowScorer
from citestream.providers.judging.checkers.model_format import InstalledFile, Manifest, ModelFormat
from citestream.proxy.checkers import Measured, best_installed
from citestream.proxy.cli.commands.serving import verification
from citestream.proxy.config import Config, ConfigError, ProviderConfig, ScoringConfig, parse
from citestream.proxy.scorers import Scorers
from tests.upstreams.embeddings import Embeddings
from tests.upstreams.onnx_models import labels_model, write_folder
from tests.upstreams.wire import Server

EVIDENCE = [Evidence(1, "The harbour bridge was opened in 1932.", "bridge")]
CLAIM = Claim("The harbour bridge was opened in 1932.")


async def test_the_embedder_is_one_of_the_configured_providers() -> None:
    upstream = Embeddings()
    async with Server(upstream) as server:
        mine = ProviderConfig(kind="openai", base_url=f"{server.url}/v1")
        config = Config(providers={"mine": mine}, scoring=ScoringConfig(embedder="mine/a-model", deadline_seconds=10))
        scorers = Scorers(config)
        scoring = scorers.open(Options(scorer="hybrid"), EVIDENCE)
        assert not (await scoring.score_all([CLAIM]))[0].degraded
        await scorers.aclose()
    assert upstream.batches == [[EVIDENCE[0].text]], "sentence and evidence are the same text"


def test_an_embedder_of_an_unknown_provider_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"scoring\.embedder: 'nobody' is neither local nor a provider that embeds"):
        parse({"scoring": {"embedder": "nobody/model"}})


def test_the_token_weight_of_ragflow_is_configurable() -> None:
    made = Scorers(Config(scoring=ScoringConfig(ragflow_token_weight=0.7))).scorer("ragflow")
    assert isinstance(made, RagflowScorer)
    assert made.token_weight == 0.7


def test_a_default_scorer_without_its_model_is_a_configuration_error(tmp_path: Path) -> None:
    for folder, path in (("", "citations.scorer"), (str(tmp_path), "scoring.checker")):
        config = Config(citations=Options(scorer="checker"), scoring=ScoringConfig(checker=folder))
        with pytest.raises(ConfigError, match=f"{path}: checker: The"):
            Scorers(config)


async def test_a_request_for_an_unavailable_scorer_is_degraded() -> None:
    scorers = Scorers(Config())
    scoring = scorers.open(Options(scorer="checker"), EVIDENCE)
    await scoring.score_all([CLAIM])
    assert scoring.degraded
    await scorers.aclose()


def test_the_folder_of_a_model_can_contain_its_weights(tmp_path: Path) -> None:
    own = {**default_weights().as_dict(), "entailed": 2.0}
    (tmp_path / "citestream.json").write_text(json.dumps(own), "utf-8")
    made = Scorers(Config(scoring=ScoringConfig(checker=str(tmp_path)))).scorer("checker")
    assert isinstance(made, CheckerScorer)
    (tmp_path / "citestream.json").write_text('{"entailed": 2}', "utf-8")
    with pytest.raises(ConfigError, match=r"citestream\.json"):
        Scorers(Config(scoring=ScoringConfig(checker=str(tmp_path)))).scorer("checker")


async def test_a_checker_that_is_not_required_may_be_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HOME", str(tmp_path))
    options = Options(scorer="checker")
    config = Config(citations=options, scoring=ScoringConfig(checker="nli-small", checker_required=False))
    scorers = Scorers(config)
    assert scorers.resolve(options).scorer == "hybrid"
    await scorers.aclose()


VERIFIED: dict[str, tuple[dict[str, str | bool], str]] = {
    "words": ({}, "by its words; --judge MODEL or CITESTREAM_JUDGE adds a language model"),
    "a judge": ({"judge": "ollama/minicheck"}, "by its words and by the judge ollama/minicheck"),
    "a checker": ({"checker": "onnx:/models/nli"}, "by its words and by the checker onnx:/models/nli"),
    "a checker that another scorer replaces": (
        {"checker": "onnx:/models/nli", "scorer": "lexical"},
        "by its words; citations.scorer: checker would also use onnx:/models/nli",
    ),
    "a checker that is missing": (
        {"checker": "nli-small", "checker_required": False},
        "by its words, without nli-small: citestream models pull nli-small",
    ),
}


@pytest.mark.parametrize(("scoring", "text"), VERIFIED.values(), ids=VERIFIED)
def test_the_server_says_how_sentences_are_verified(
    scoring: dict[str, Any], text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_HOME", str(tmp_path))
    scoring = dict(scoring)
    options = Options(scorer=scoring.pop("scorer", "checker" if scoring.get("checker") else "lexical"))
    config = Config(
        citations=options, scoring=ScoringConfig(**scoring), providers={"ollama": ProviderConfig(kind="ollama")}
    )
    assert verification(config) == f"each sentence is verified {text}"


AUTOMATIC = {
    "the local embedder is installed": ({}, "hybrid"),
    "a cross-encoder was fitted": ({"checker": "fitted"}, "checker"),
    "a cross-encoder was not fitted": ({"checker": "plain"}, "hybrid"),
}


@pytest.mark.parametrize(("scoring", "chosen"), AUTOMATIC.values(), ids=AUTOMATIC)
async def test_auto_selects_the_best_available_scorer(
    tmp_path: Path, scoring: dict[str, Any], chosen: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for folder in ("fitted", "plain"):
        (tmp_path / folder).mkdir()
    (tmp_path / "fitted" / "citestream.json").write_text(json.dumps(default_weights().as_dict()))
    scorers = Scorers(Config(scoring=ScoringConfig(**scoring)))
    assert scorers.resolve(Options(scorer="auto")).scorer == chosen
    assert scorers.resolve(Options(scorer="ragflow")).scorer == "ragflow"
    await scorers.aclose()


CONFIGURED = {
    "a checker is used as soon as it is configured": ("scoring: {checker: nli-small}", "checker"),
    "a scorer that is named is not replaced": (
        "{scoring: {checker: nli-small}, citations: {scorer: hybrid}}",
        "hybrid",
    ),
    "other options of citations stay": ("{scoring: {checker: nli-small}, citations: {strictness: strict}}", "checker"),
    "without a checker": ("{}", "lexical"),
}


@pytest.mark.parametrize(("content", "scorer"), CONFIGURED.values(), ids=CONFIGURED)
def test_the_configuration_of_a_checker_selects_its_scorer(content: str, scorer: str) -> None:
    assert parse(yaml.safe_load(content)).citations.scorer == scorer


GAINS: dict[str, tuple[dict[str, float], str, str]] = {
    "the model that improves most": ({"small": 0.05, "large": 0.08}, "checker", "tiny--large@main"),
    "no model that changes little": ({"small": 0.01}, "hybrid", ""),
    "no model that has not been measured": ({}, "hybrid", ""),
}


@pytest.mark.parametrize(("gains", "chosen", "folder"), GAINS.values(), ids=GAINS)
async def test_auto_uses_the_best_installed_checker(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, gains: dict[str, float], chosen: str, folder: str
) -> None:
    monkeypatch.setenv("HF_HOME", str(tmp_path))
    (tmp_path / "citestream" / "broken").mkdir(parents=True)
    (tmp_path / "citestream" / "broken" / "checker.json").write_text("{")
    for name in ("small", "large"):
        path = write_folder(tmp_path / "citestream" / f"tiny--{name}@main", labels_model(2, 0))
        files = {file.name: InstalledFile(file.name, "", file.stat().st_size) for file in path.iterdir()}
        model_format = ModelFormat(labels=("entailment", "not_entailment"))
        Manifest(model_format, f"tiny/{name}", files=files).write(path)
        if name in gains:
            Measured(48, 0.8, 0.8 + gains[name]).write(str(path))
    scorers = Scorers(Config(citations=Options(scorer="auto")))
    assert scorers.resolve(Options(scorer="auto")).scorer == chosen
    assert best_installed().endswith(folder)
    assert bool(best_installed()) == bool(folder)
    await scorers.aclose()


async def test_auto_is_lexical_without_an_embedder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("citestream.proxy.scorers.LOCAL_EMBEDDER", "not_installed")
    scorers = Scorers(Config(citations=Options(scorer="auto")))
    assert scorers.resolve(Options(scorer="auto")).scorer == "lexical"
    await scorers.aclose()
