"""The configuration: defaults in one place, an example that agrees with them, errors that say what was meant."""

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from citestream.citation.options import Options
from citestream.proxy.config import (
    Alias,
    ClientKey,
    Config,
    ConfigError,
    ProviderConfig,
    RetrieverConfig,
    Section,
    default_providers,
    find_loop,
    load,
    parse,
)

ROOT = Path(__file__).parents[3]
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
    for section in ("server", "evidence", "limits", "references", "scoring", "log"):
        made: Section = getattr(Config(), section)
        assert set(written[section]) == set(type(made).model_fields), section


def sections(model: type[BaseModel]) -> Iterator[type[BaseModel]]:
    yield model
    for field in model.model_fields.values():
        if isinstance(field.annotation, type) and issubclass(field.annotation, BaseModel):
            yield from sections(field.annotation)


def test_the_example_explains_every_option_in_the_words_of_the_code() -> None:
    lines = EXAMPLE.read_text("utf-8").splitlines()
    models: list[type[BaseModel]] = [*sections(Config), *sections(ProviderConfig), ClientKey, Alias, RetrieverConfig]
    for model in models:
        for name, field in model.model_fields.items():
            assert field.description, f"{model.__name__}.{name}"
            pattern = re.compile(rf"[#\s-]*{name}:.*  # {re.escape(field.description)}$")
            assert any(map(pattern.match, lines)), f"{model.__name__}.{name}: {field.description}"
    for line in lines:
        assert not re.match(r"\s*[a-z_]+: ", line) or "  # " in line or "extractive" in line, line


def test_the_commented_parts_of_the_example_are_right_too() -> None:
    text = EXAMPLE.read_text("utf-8")
    uncommented = re.sub(r"(?m)^( *)# ( *(?:- )?[a-z0-9_]+:)", r"\1\2", text)
    for empty in ("  keys: []", "models: {}  # names", "retrievers: {}"):
        uncommented = re.sub(rf"(?m)^{re.escape(empty)}.*\n", "", uncommented)
    raw = yaml.safe_load(uncommented.replace("…", "0" * 64))
    config = parse(raw)
    assert [key.name for key in config.server.keys] == ["search app", "notebooks", "support desk"]
    assert config.models["fast"].model == "ollama/llama3.2"
    assert config.retrievers["docs"] == RetrieverConfig(kind="folder")


WRONG = {
    "an unknown key names what was meant": (
        {"server": {"prot": 1}},
        "server.prot: there is no such option; did you mean port?",
    ),
    "an unknown section too": ({"serve": {}}, "serve: there is no such option; did you mean server?"),
    "an option without its section": (
        {"port": 9000},
        "port: there is no such option; did you mean server.port?",
    ),
    "without anything alike, what there is": ({"log": {"xyzzy": 1}}, "known: level, format, access"),
    "also below a name of one's own": (
        {"providers": {"mine": {"kind": "openai", "base_ulr": "x"}}},
        "providers.mine.base_ulr: there is no such option; did you mean base_url?",
    ),
    "also in a list": (
        {"server": {"keys": [{"nmae": "x", "key": "k"}]}},
        "server.keys[0].nmae: there is no such option; did you mean name?",
    ),
    "also two levels below a name of one's own": (
        {"providers": {"mine": {"kind": "openai", "timeouts": {"ilde": 1}}}},
        "providers.mine.timeouts.ilde: there is no such option; did you mean idle?",
    ),
    "citation options are checked like those of a request": (
        {"citations": {"relase": "live"}},
        "citations.relase: is not an option; did you mean release?",
    ),
    "a wrong value lists the right ones": ({"citations": {"release": "word"}}, "must be one of: sentence, live"),
    "a wrong kind lists the right ones": (
        {"providers": {"mine": {"kind": "opnai"}}},
        "providers.mine.kind: must be 'openai', 'ollama', 'gemini' or 'extractive'",
    ),
    "a whole number is asked for": ({"server": {"port": "many"}}, "server.port: must be a whole number"),
    "a number is asked for": ({"limits": {"held_seconds": "x"}}, "limits.held_seconds: must be a number"),
    "a switch is asked for": ({"server": {"allow_anonymous": 7}}, "server.allow_anonymous: must be true or false"),
    "a text is asked for": ({"server": {"host": 7}}, "server.host: must be a string"),
    "a list is asked for": ({"server": {"keys": "abc"}}, "server.keys: must be a list"),
    "a section is asked for": ({"server": 5}, "server: must be a section with options"),
    "names and values are asked for": ({"providers": [1]}, "providers: must be a mapping of names to values"),
    "too large": ({"server": {"port": 70000}}, "server.port: must be at most 65535"),
    "too small": ({"server": {"workers": 0}}, "server.workers: must be at least 1"),
    "zero where nothing is no limit": ({"limits": {"held_seconds": 0}}, "limits.held_seconds: must be more than 0"),
    "endless": ({"limits": {"held_seconds": float("inf")}}, "limits.held_seconds: must be a finite number"),
    "a provider of no kind": ({"providers": {"mine": {}}}, "providers.mine.kind: is missing"),
    "beyond loopback without keys": ({"server": {"host": "0.0.0.0"}}, "name client keys in server.keys"),
    "a name that may be any address": ({"server": {"host": "box.example"}}, "name client keys in server.keys"),
    "a default provider that is not there": ({"default_provider": "x"}, "'x' is not among the providers"),
    "an alias to nowhere": (
        {"providers": {"ollama": {}}, "models": {"fast": {"model": "olama/x"}}},
        "models.fast.model: there is no provider 'olama'; did you mean ollama?",
    ),
    "an alias with options that are none": (
        {"providers": {"ollama": {}}, "models": {"fast": {"model": "ollama/x", "citations": {"marker": "stars"}}}},
        "models.fast.citations.marker: must be one of",
    ),
    "a default retriever that is not there": (
        {"retrievers": {"docs": {"kind": "folder"}}, "default_retriever": "dosc"},
        "default_retriever 'dosc' is not among the retrievers; did you mean docs?",
    ),
    "a model that rewrites and is not there": (
        {"providers": {"ollama": {}}, "retrievers": {"docs": {"kind": "folder", "rewrite": "olama/x"}}},
        "retrievers.docs.rewrite: there is no provider 'olama'; did you mean ollama?",
    ),
    "a client key given twice": (
        {"server": {"keys": [{"key": "a", "file": "b"}]}},
        "server.keys[0]: give exactly one of key, file and sha256",
    ),
    "an empty client key": ({"server": {"keys": [{"key": ""}]}}, "server.keys[0]: give exactly one"),
    "a hash that is none": ({"server": {"keys": [{"sha256": "abc"}]}}, "sha256 must be 64 hexadecimal digits"),
    "a provider's key given twice": (
        {"providers": {"openai": {"api_key": "a", "api_key_file": "b"}}},
        "providers.openai: give only one of api_key, api_key_env and api_key_file",
    ),
    "a password in an address": (
        {"providers": {"openai": {"base_url": "https://me:pass@host/v1"}}},
        "base_url must not hold a user or password",
    ),
    "a client's key that would go to two": (
        {"server": {"keys": [{"key": "a"}]}, "providers": {"openai": {"pass_client_key": True}}},
        "providers.openai.pass_client_key: with server.keys",
    ),
    "a provider whose name holds a slash": ({"providers": {"a/b": {"kind": "openai"}}}, "must not be empty or hold"),
    "a certificate's key without the certificate": ({"server": {"tls": {"private_key": "k"}}}, "without certificate"),
}


@pytest.mark.parametrize(("raw", "said"), WRONG.values(), ids=WRONG)
def test_a_wrong_configuration_says_where_and_what(raw: dict[str, object], said: str) -> None:
    with pytest.raises(ConfigError) as caught:
        parse(raw)
    assert said in str(caught.value)
    assert len(str(caught.value).splitlines()) == 1


def test_every_wrong_key_is_named_at_once() -> None:
    with pytest.raises(ConfigError) as caught:
        parse({"server": {"prot": 1, "hots": 2}, "log": {"level": "loud"}})
    assert len(str(caught.value).splitlines()) == 3


def test_a_wrong_value_is_not_quoted_since_it_may_be_a_key() -> None:
    with pytest.raises(ConfigError) as caught:
        parse({"providers": {"openai": {"api_key": ["sk-verysecret"], "kind": "sk-verysecret"}}})
    assert "verysecret" not in str(caught.value)


@pytest.mark.parametrize("host", ["127.0.0.1", "127.8.8.8", "::1", "localhost"])
def test_loopback_needs_no_keys(host: str) -> None:
    assert parse({"server": {"host": host}}).server.host == host


def test_beyond_loopback_with_keys_or_when_told_so() -> None:
    assert parse({"server": {"host": "0.0.0.0", "keys": [{"key": "k"}]}})
    assert parse({"server": {"host": "::", "allow_anonymous": True}})


def test_environment_over_file_over_defaults(tmp_path: Path) -> None:
    file = tmp_path / "c.yaml"
    file.write_text("server: {port: 1, host: 127.0.0.1}\ncitations: {marker: link}\n")
    config = load(str(file), environ={"CITESTREAM_SERVER__PORT": "2"})
    assert (config.server.port, config.citations) == (2, Options(marker="link"))
    assert load(str(file), environ={"CITESTREAM_SERVER__PORT": "2"}, port=3).server.port == 3


FROM_VARIABLES = {
    "a number": ("SERVER__PORT", "9000", lambda c: c.server.port, 9000),
    "a switch": ("CITATIONS__REFERENCES_IN_TEXT", "true", lambda c: c.citations.references_in_text, True),
    "a text that looks like a number": (
        "PROVIDERS__OPENAI__API_KEY",
        "0123",
        lambda c: c.providers["openai"].api_key,
        "0123",
    ),
    "a text that is no YAML": ("CITATIONS__UNSUPPORTED_NOTE", "[?: ", lambda c: c.citations.unsupported_note, "[?: "),
    "a choice": ("CITATIONS__RELEASE", "live", lambda c: c.citations.release, "live"),
    "a list": ("SERVER__CORS_ORIGINS", "[https://a.example]", lambda c: c.server.cors_origins, ("https://a.example",)),
    "a key in a list": ("SERVER__KEYS", '[{"name": "a", "key": "k"}]', lambda c: c.server.keys[0].name, "a"),
    "a provider beside the usual ones": (
        "PROVIDERS__MINE__KIND",
        "openai",
        lambda c: sorted(c.providers),
        ["extractive", "mine", "ollama"],
    ),
    "a usual provider's address": (
        "PROVIDERS__OLLAMA__BASE_URL",
        "http://gpu:11434",
        lambda c: c.providers["ollama"].base_url,
        "http://gpu:11434",
    ),
    "a header": ("PROVIDERS__OLLAMA__HEADERS__X-TEAM", "7", lambda c: c.providers["ollama"].headers, {"x-team": "7"}),
}


@pytest.mark.parametrize(("name", "value", "read", "expected"), FROM_VARIABLES.values(), ids=FROM_VARIABLES)
def test_a_variable_sets(name: str, value: str, read: Any, expected: object) -> None:
    assert read(load(environ={f"CITESTREAM_{name}": value})) == expected


def test_a_wrong_variable_is_named() -> None:
    for name, value, said in (
        ("CITESTREAM_SERVER__PROT", "1", "did you mean port?"),
        ("CITESTREAM_SERVER__PORT", "x", "must be a whole number (from CITESTREAM_SERVER__PORT)"),
        ("CITESTREAM_SERVER__KEYS", "[", "CITESTREAM_SERVER__KEYS is not YAML"),
        ("CITESTREAM_PORT", "9000", "did you mean server.port? (from CITESTREAM_PORT)"),
        ("CITESTREAM_SERVER", "x", "server: must be a section with options"),
        ("CITESTREAM_CITATIONS__RELEASE", "x", "must be one of: sentence, live (from CITESTREAM_CITATIONS__RELEASE)"),
    ):
        with pytest.raises(ConfigError) as caught:
            load(environ={name: value})
        assert said in str(caught.value)


def test_what_kubernetes_sets_for_a_service_of_the_same_name_is_not_ours() -> None:
    load(
        environ={
            "CITESTREAM_PORT": "tcp://10.0.0.1:8787",
            "CITESTREAM_PORT_8787_TCP_ADDR": "10.0.0.1",
            "CITESTREAM_SERVICE_HOST": "10.0.0.1",
            "CITESTREAM_SERVICE_PORT_HTTP": "8787",
            "CITESTREAM_CONFIG": "some.yaml",
        }
    )


def written(folder: Path, text: str) -> str:
    file = folder / "c.yaml"
    file.write_text(text, "utf-8")
    return str(file)


def test_variables_are_filled_in(tmp_path: Path) -> None:
    file = written(
        tmp_path, "providers: {mine: {kind: openai, api_key: '${SECRET}', base_url: '${BASE:-http://x}/v1'}}\n"
    )
    found = load(file, environ={"SECRET": "s"}).providers["mine"]
    assert (found.api_key, found.base_url) == ("s", "http://x/v1")
    with pytest.raises(ConfigError, match=r"providers\.mine\.api_key: \$\{SECRET\} is not set"):
        load(file, environ={})
    note = load(
        written(tmp_path, "citations: {unsupported_note: '$${A} and $5'}"), environ={}
    ).citations.unsupported_note
    assert note == "${A} and $5"


def test_secrets_come_from_variables_and_files_and_a_missing_one_fails_at_once(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("from a file\n")
    file = written(
        tmp_path,
        f"server: {{keys: [{{name: a, file: {secret}}}]}}\n"
        f"providers:\n  openai: {{api_key_file: {secret}}}\n  gemini: {{api_key_env: G}}\n",
    )
    config = load(file, environ={"G": "from a variable"})
    assert config.providers["openai"].secret() == "from a file"
    assert config.providers["gemini"].secret({"G": "from a variable"}) == "from a variable"
    with pytest.raises(ConfigError, match=r"providers\.gemini: the variable G is not set or empty"):
        load(file, environ={})
    secret.write_text(" \n")
    with pytest.raises(ConfigError, match="is empty"):
        load(file, environ={"G": "x"})
    secret.unlink()
    with pytest.raises(ConfigError, match="No such file"):
        load(file, environ={"G": "x"})


def test_secrets_do_not_show_when_a_configuration_is_printed() -> None:
    config = parse(
        {
            "server": {"keys": [{"key": "sk-verysecret"}]},
            "providers": {"openai": {"api_key": "sk-verysecret", "headers": {"x": "sk-verysecret"}}},
        }
    )
    assert "verysecret" not in repr(config)


def test_without_a_file_the_environment_says_which_providers_there_are() -> None:
    assert set(default_providers({})) == {"extractive", "ollama"}
    found = default_providers({"OPENAI_API_KEY": "a", "OPENAI_BASE_URL": "http://x/v1", "GOOGLE_API_KEY": "b"})
    assert set(found) == {"extractive", "ollama", "openai", "gemini"}
    assert found["openai"]["base_url"] == "http://x/v1"
    gemini = default_providers({"GEMINI_API_KEY": "a", "GOOGLE_API_KEY": "b", "GOOGLE_GEMINI_BASE_URL": "http://g"})
    assert gemini["gemini"] == {"kind": "gemini", "api_key": "a", "base_url": "http://g"}
    assert default_providers({"OLLAMA_HOST": "gpu:1"})["ollama"]["base_url"] == "gpu:1"


def test_applications_of_a_vendor_whose_key_is_there_need_not_change_the_names_of_their_models(tmp_path: Path) -> None:
    assert load(environ={}).default_provider == ""
    assert load(environ={"OPENAI_API_KEY": "a", "GEMINI_API_KEY": "b"}).default_provider == "openai"
    assert load(environ={"GOOGLE_API_KEY": "b"}).default_provider == "gemini"
    named = written(tmp_path, "default_provider: ollama\n")
    assert load(named, environ={"OPENAI_API_KEY": "a"}).default_provider == "ollama"
    own = written(tmp_path, "providers: {openai: {}}\n")
    assert load(own, environ={"OPENAI_API_KEY": "a"}).default_provider == ""


ITSELF = {
    "by its name": ("127.0.0.1", "http://localhost:8787/v1", "up"),
    "listening everywhere": ("0.0.0.0", "http://127.0.0.1:8787/v1", "up"),
    "by its own address": ("192.0.2.1", "http://192.0.2.1:8787/v1", "up"),
    "another port": ("127.0.0.1", "http://127.0.0.1:8788/v1", ""),
    "another machine": ("0.0.0.0", "http://192.0.2.7:8787/v1", ""),
    "this machine, where another listens": ("192.0.2.1", "http://127.0.0.1:8787/v1", ""),
    "a port that is none": ("127.0.0.1", "http://127.0.0.1:x/v1", ""),
    "the vendor's": ("127.0.0.1", "", ""),
}


@pytest.mark.parametrize(("host", "address", "found"), ITSELF.values(), ids=ITSELF)
def test_a_provider_that_is_the_server_itself_is_found(host: str, address: str, found: str) -> None:
    server = {"host": host, "allow_anonymous": True}
    providers = {"up": {"kind": "openai", "base_url": address, "api_key": "k"}}
    assert find_loop(parse({"server": server, "providers": providers})) == found


def test_a_file_with_sections_left_empty(tmp_path: Path) -> None:
    config = load(written(tmp_path, "server:\nproviders:\ncitations:\n"), environ={})
    assert set(config.providers) == {"extractive", "ollama"}
    providers = load(written(tmp_path, "providers:\n  extractive:\n  ollama:\n"), environ={}).providers
    assert [provider.kind for provider in providers.values()] == ["extractive", "ollama"]


BROKEN = {
    "not closed": ("a: [", "is not YAML: line 1"),
    "a key twice": ("server:\n  port: 1\n  port: 2\n", "line 3: port is given twice"),
    "a section twice": ("server: {}\nlog: {}\nserver: {}\n", "line 3: server is given twice"),
    "references": ("a: &a [1]\nb: *a\n", "line 2: references"),
    "a loop of references": ("a: &a [*a]\n", "line 1: references"),
    "a list": ("- server", "must contain sections"),
    "a text": ("server", "must contain sections"),
    "code": ("a: !!python/object/apply:os.system [true]", "is not YAML: line 1"),
    "a date that is none": ("a: 2024-13-41", "date"),
    "a tab": ("server:\n\tport: 1", "is not YAML: line 2"),
}


@pytest.mark.parametrize(("text", "said"), BROKEN.values(), ids=BROKEN)
def test_a_file_that_is_not_what_it_should_be(text: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as caught:
        load(written(tmp_path, text), environ={})
    assert said in str(caught.value)


def test_what_stands_in_a_broken_file_is_not_quoted(tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as caught:
        load(written(tmp_path, 'api_key: "sk-verysecret" : b\n'), environ={})
    assert "verysecret" not in str(caught.value)


def test_a_file_that_is_not_there_or_not_text(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="No such file"):
        load(str(tmp_path / "none.yaml"), environ={})
    (tmp_path / "c.yaml").write_bytes(b"\xff\xfe")
    with pytest.raises(ConfigError, match="not UTF-8"):
        load(str(tmp_path / "c.yaml"), environ={})


KEYS = st.sampled_from(
    ["server", "providers", "models", "citations", "keys", "ollama", "timeouts", "kind", "x", "port"]
)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda below: st.lists(below, max_size=3) | st.dictionaries(KEYS | st.text(max_size=3), below, max_size=4),
    max_leaves=12,
)


@given(st.dictionaries(KEYS | st.text(max_size=3), VALUES, max_size=4))
def test_any_data_is_a_configuration_or_an_explained_error(raw: dict[str, object]) -> None:
    with suppress(ConfigError):
        parse(raw)


@given(st.text(max_size=60))
def test_any_text_is_a_configuration_or_an_explained_error(text: str) -> None:
    with suppress(ConfigError):
        load(environ={"CITESTREAM_SERVER__KEYS": text, "CITESTREAM_LIMITS": text})
