"""The check of a configuration finds missing files and packages, and opens no connections."""

import asyncio
import sys
from pathlib import Path

import pytest
import yaml

from citestream.citation.options import Options
from citestream.providers.judging import cross_encoder
from citestream.proxy.config import Config, ConfigError, ScoringConfig
from citestream.proxy.config.loading import parse
from citestream.proxy.config_check import check_requirements


def check(content: str) -> dict[str, str]:
    return asyncio.run(check_requirements(parse(yaml.safe_load(content))))


MISSING: dict[str, tuple[str, str]] = {
    "a scorer without its model": (
        "citations: {scorer: checker}",
        r"citations\.scorer: checker: The scorer `checker` needs a model",
    ),
    "a scorer of an alias without its model": (
        "{providers: {ollama: {}}, models: {fast: {model: ollama/x, citations: {scorer: checker}}}}",
        r"models\.fast\.citations\.scorer: checker: The scorer `checker` needs a model",
    ),
    "an unknown scorer of an alias": (
        "{providers: {ollama: {}}, models: {fast: {model: ollama/x, citations: {scorer: lexicl}}}}",
        r"models\.fast\.citations\.scorer: must be one of: auto, ",
    ),
    "a cross-encoder that is not the default scorer": (
        "scoring: {checker: 'onnx:/nowhere'}",
        r"scoring\.checker: .* lacks model\.onnx and tokenizer\.json",
    ),
    "a checker that is not installed": (
        "scoring: {checker: nli-small}",
        r"scoring\.checker: The model nli-small is not installed: citestream models pull nli-small",
    ),
    "a judge that is not installed": (
        "scoring: {judge: 'hf:tiny/model@v1'}",
        r"scoring\.judge: The model hf:tiny/model@v1 is not installed: citestream models pull hf:tiny/model@v1",
    ),
    "a checker that does not exist": (
        "scoring: {checker: nli-smal}",
        r"'nli-smal' is unknown\. It must be onnx:FOLDER, ",
    ),
    "a judge whose folder is empty": ("scoring: {judge: onnx:/nowhere}", r"scoring\.judge: "),
    "a template that does not exist": (
        "evidence: {prompt_files: {system: /nowhere.md}}",
        r"evidence\.prompt_files\.system: /nowhere\.md: No such file",
    ),
    "a certificate that does not exist": (
        "server: {tls: {certificate: /nowhere.pem}}",
        r"server\.tls: /nowhere\.pem: No such file or directory",
    ),
    "certificate authorities of a provider": (
        "providers: {ollama: {ca_file: /nowhere.pem}}",
        r"providers\.ollama\.ca_file: /nowhere\.pem is not a readable PEM file",
    ),
    "certificate authorities of a retriever": (
        "retrievers: {docs: {kind: http, preset: opensearch, index: a, url: https://a.example, ca_file: /nowhere.pem}}",
        r"retrievers\.docs\.ca_file: /nowhere\.pem is not a readable PEM file",
    ),
    "a folder of stored answers": (
        "references: {file: /nowhere/answers.db}",
        r"references\.file: /nowhere is not a folder",
    ),
}


@pytest.mark.parametrize("case", MISSING)
def test_the_error_names_what_is_missing(case: str) -> None:
    content, message = MISSING[case]
    with pytest.raises(ConfigError, match=message):
        check(content)


def test_the_error_names_everything_that_is_missing() -> None:
    with pytest.raises(ConfigError) as raised:
        check(
            "server: {tls: {certificate: /nowhere.pem}}\n"
            "references: {file: /nowhere/answers.db}\n"
            "citations: {scorer: checker}"
        )
    paths = [line.partition(":")[0] for line in str(raised.value).splitlines()]
    assert paths == ["server.tls", "references.file", "citations.scorer"]


def test_the_error_says_how_to_install_the_package_of_traces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "citestream.proxy.observability.tracing", raising=False)
    monkeypatch.setitem(sys.modules, "opentelemetry", None)
    with pytest.raises(ConfigError, match=r"^traces\.endpoint needs a package: pip install"):
        check("traces: {endpoint: 'http://127.0.0.1:4318'}")


def test_the_error_says_how_to_install_the_packages_of_a_scorer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cross_encoder, "PACKAGES", ("a_package_that_is_not_installed",))
    for options in (Options(scorer="checker"), Options()):
        config = Config(citations=options, scoring=ScoringConfig(checker="onnx:/models/nli"))
        with pytest.raises(ConfigError, match=r"needs packages: pip install"):
            asyncio.run(check_requirements(config))


def test_unreachable_services_are_no_error(tmp_path: Path) -> None:
    file = tmp_path / "answers.db"
    assert check(f"providers: {{ollama: {{base_url: 'http://127.0.0.1:1'}}}}\nreferences: {{file: {file}}}") == {}
    assert not file.exists()


def test_a_retriever_without_its_store_is_reported() -> None:
    reasons = check("retrievers: {docs: {kind: folder, store: /nowhere/evidence.db}}")
    assert reasons.keys() == {"retrievers.docs"}
    assert "citestream index" in reasons["retrievers.docs"]
