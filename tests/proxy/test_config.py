"""The configuration: defaults in one place, an example that agrees with them, errors that say what was meant."""

from dataclasses import fields
from pathlib import Path

import pytest
import yaml

from citation.options import Options
from proxy.config import Config, ConfigError, ProviderConfig, Section, default_providers, load, parse

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "config.example.yaml"


def test_the_example_is_the_defaults() -> None:
    example = load(str(EXAMPLE), environ={})
    assert example.providers == {
        "extractive": ProviderConfig(kind="extractive"),
        "ollama": ProviderConfig(kind="ollama"),
    }
    assert example.model_copy(update={"providers": {}}) == Config()


def test_the_example_names_every_option() -> None:
    written = yaml.safe_load(EXAMPLE.read_text("utf-8"))
    assert set(written) == set(Config.model_fields)
    assert set(written["citations"]) == {field.name for field in fields(Options)}
    assert set(written["providers"]["ollama"]) == set(ProviderConfig.model_fields)
    for section in ("server", "evidence", "limits"):
        made: Section = getattr(Config(), section)
        assert set(written[section]) == set(type(made).model_fields), section


WRONG = {
    "an unknown key names what was meant": (
        {"server": {"prot": 1}},
        "server.prot: there is no such option; did you mean port?",
    ),
    "an unknown section too": ({"serve": {}}, "serve: there is no such option; did you mean server?"),
    "also below a name of one's own": (
        {"providers": {"mine": {"kind": "openai", "base_ulr": "x"}}},
        "providers.mine.base_ulr: there is no such option; did you mean base_url?",
    ),
    "citation options are checked like those of a request": (
        {"citations": {"relase": "live"}},
        "citations.relase: is not an option; did you mean release?",
    ),
    "a wrong value lists the right ones": ({"citations": {"release": "word"}}, "must be one of: sentence, live"),
    "a wrong type has its path": ({"server": {"port": "many"}}, "server.port: Input should be a valid integer"),
    "beyond loopback without keys": ({"server": {"host": "0.0.0.0"}}, "name client keys in server.keys"),
    "a default provider that is not there": ({"default_provider": "x"}, "'x' is not among the providers"),
    "a client key given twice": (
        {"server": {"keys": [{"key": "a", "file": "b"}]}},
        "exactly one of key, file and sha256",
    ),
}


@pytest.mark.parametrize(("raw", "said"), WRONG.values(), ids=WRONG)
def test_a_wrong_configuration_says_where_and_what(raw: dict[str, object], said: str) -> None:
    with pytest.raises(ConfigError) as caught:
        parse(raw)
    assert said in str(caught.value)


def test_every_wrong_key_is_named_at_once() -> None:
    with pytest.raises(ConfigError) as caught:
        parse({"server": {"prot": 1, "hots": 2}})
    assert len(str(caught.value).splitlines()) == 2


def test_environment_over_file_over_defaults(tmp_path: Path) -> None:
    file = tmp_path / "c.yaml"
    file.write_text("server: {port: 1, host: 127.0.0.1}\ncitations: {marker: link}\n")
    config = load(str(file), environ={"CITESTREAM_SERVER__PORT": "2"})
    assert (config.server.port, config.citations) == (2, Options(marker="link"))
    assert load(str(file), environ={"CITESTREAM_SERVER__PORT": "2"}, port=3).server.port == 3


def test_variables_are_filled_in(tmp_path: Path) -> None:
    file = tmp_path / "c.yaml"
    file.write_text("providers: {mine: {kind: openai, api_key: '${SECRET}'}}\n")
    assert load(str(file), environ={"SECRET": "s"}).providers["mine"].api_key == "s"
    with pytest.raises(ConfigError, match="SECRET"):
        load(str(file), environ={})


def test_without_a_file_the_environment_says_which_providers_there_are() -> None:
    assert set(default_providers({})) == {"extractive", "ollama"}
    found = default_providers({"OPENAI_API_KEY": "a", "OPENAI_BASE_URL": "http://x/v1", "GOOGLE_API_KEY": "b"})
    assert set(found) == {"extractive", "ollama", "openai", "gemini"}
    assert found["openai"]["base_url"] == "http://x/v1"


def test_a_file_that_is_not_there_or_not_yaml(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="No such file"):
        load(str(tmp_path / "none.yaml"), environ={})
    broken = tmp_path / "broken.yaml"
    broken.write_text("a: [")
    with pytest.raises(ConfigError, match="not YAML"):
        load(str(broken), environ={})
