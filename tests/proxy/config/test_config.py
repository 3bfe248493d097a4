"""Configuration: the example contains the defaults, and errors contain paths and suggestions."""

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
    STORE,
    Alias,
    ClientKey,
    Config,
    ConfigError,
    ProviderConfig,
    RetrieverConfig,
    Section,
    default_providers,
    find_loop,
    hash_key,
    load,
    parse,
)

ROOT = Path(__file__).parents[3]
EXAMPLE = ROOT / "config.example.yaml"


def test_the_example_contains_the_defaults() -> None:
    example = load(str(EXAMPLE), environ={})
    assert example.providers == {
        "extractive": ProviderConfig(kind="extractive"),
        "ollama": ProviderConfig(kind="ollama"),
    }
    assert example.model_copy(update={"providers": {}}) == Config()


def test_the_example_names_every_option() -> None:
    example = yaml.safe_load(EXAMPLE.read_text("utf-8"))
    assert set(example) == set(Config.model_fields)
    assert set(example["citations"]) == {field.name for field in fields(Options)}
    assert set(example["providers"]["ollama"]) == set(ProviderConfig.model_fields)
    for section in ("server", "evidence", "limits", "references", "scoring", "log"):
        made: Section = getattr(Config(), section)
        assert set(example[section]) == set(type(made).model_fields), section


def sections(model: type[BaseModel]) -> Iterator[type[BaseModel]]:
    yield model
    for field in model.model_fields.values():
        if isinstance(field.annotation, type) and issubclass(field.annotation, BaseModel):
            yield from sections(field.annotation)


LONG_KEY = "client-key-0123456789"


def test_the_comments_of_the_example_are_the_descriptions_in_the_code() -> None:
    lines = EXAMPLE.read_text("utf-8").splitlines()
    models: list[type[BaseModel]] = [*sections(Config), *sections(ProviderConfig), ClientKey, Alias, RetrieverConfig]
    for model in models:
        for name, field in model.model_fields.items():
            assert field.description, f"{model.__name__}.{name}"
            pattern = re.compile(rf"[#\s-]*{name}:.*  # {re.escape(field.description)}$")
            assert any(map(pattern.match, lines)), f"{model.__name__}.{name}: {field.description}"
    for line in lines:
        assert not re.match(r"\s*[a-z_]+: ", line) or "  # " in line or "extractive" in line, line


def test_the_commented_options_of_the_example_are_valid() -> None:
    text = EXAMPLE.read_text("utf-8")
    uncommented = re.sub(r"(?m)^( *)# ( *(?:- )?[a-z0-9_]+:)", r"\1\2", text)
    for empty in ("  keys: []", "models: {}  # names", "retrievers: {}"):
        uncommented = re.sub(rf"(?m)^{re.escape(empty)}.*\n", "", uncommented)
    raw = yaml.safe_load(uncommented.replace("…", "0" * 64).replace("${SEARCH_KEY}", LONG_KEY))
    config = parse(raw)
    assert [key.name for key in config.server.keys] == ["search app", "notebooks", "support desk"]
    assert config.models["fast"].model == "ollama/llama3.2"
    assert config.retrievers["docs"] == RetrieverConfig(kind="folder")


WRONG = {
    "unknown key with a suggestion": (
        {"server": {"prot": 1}},
        "server.prot: there is no such option; did you mean port?",
    ),
    "unknown section": ({"serve": {}}, "serve: there is no such option; did you mean server?"),
    "option without its section": ({"port": 9000}, "port: there is no such option; did you mean server.port?"),
    "unknown key without a similar one lists the known keys": ({"log": {"xyzzy": 1}}, "known: level, format, access"),
    "unknown key in a custom provider": (
        {"providers": {"mine": {"kind": "openai", "base_ulr": "x"}}},
        "providers.mine.base_ulr: there is no such option; did you mean base_url?",
    ),
    "unknown key in a list": (
        {"server": {"keys": [{"nmae": "x", "key": "client-key-0123456789"}]}},
        "server.keys[0].nmae: there is no such option; did you mean name?",
    ),
    "unknown key in a section of a custom provider": (
        {"providers": {"mine": {"kind": "openai", "timeouts": {"ilde": 1}}}},
        "providers.mine.timeouts.ilde: there is no such option; did you mean idle?",
    ),
    "unknown citation option": (
        {"citations": {"relase": "live"}},
        "citations.relase: is not an option; did you mean release?",
    ),
    "invalid value lists the valid ones": ({"citations": {"release": "word"}}, "must be one of: sentence, live"),
    "invalid kind lists the valid ones": (
        {"providers": {"mine": {"kind": "opnai"}}},
        "providers.mine.kind: must be 'openai', 'ollama', 'gemini', 'anthropic' or 'extractive'",
    ),
    "text in place of a whole number": ({"server": {"port": "many"}}, "server.port: must be a whole number"),
    "text in place of a number": ({"limits": {"held_seconds": "x"}}, "limits.held_seconds: must be a number"),
    "number in place of true or false": (
        {"server": {"allow_anonymous": 7}},
        "server.allow_anonymous: must be true or false",
    ),
    "number in place of a string": ({"server": {"host": 7}}, "server.host: must be a string"),
    "string in place of a list": ({"server": {"keys": "abc"}}, "server.keys: must be a list"),
    "number in place of a section": ({"server": 5}, "server: must be a section with options"),
    "list in place of a mapping": ({"providers": [1]}, "providers: must be a mapping of names to values"),
    "too large": ({"server": {"port": 70000}}, "server.port: must be at most 65535"),
    "too small": ({"server": {"workers": 0}}, "server.workers: must be at least 1"),
    "zero seconds": ({"limits": {"held_seconds": 0}}, "limits.held_seconds: must be more than 0"),
    "infinite number": ({"limits": {"held_seconds": float("inf")}}, "limits.held_seconds: must be a finite number"),
    "provider without a kind": ({"providers": {"mine": {}}}, "providers.mine.kind: is missing"),
    "beyond loopback without keys": ({"server": {"host": "0.0.0.0"}}, "name client keys in server.keys"),
    "host name that can be any address": ({"server": {"host": "box.example"}}, "name client keys in server.keys"),
    "unknown default provider": ({"default_provider": "x"}, "'x' is not among the providers"),
    "alias of an unknown provider": (
        {"providers": {"ollama": {}}, "models": {"fast": {"model": "olama/x"}}},
        "models.fast.model: there is no provider 'olama'; did you mean ollama?",
    ),
    "alias of an alias": (
        {"providers": {"ollama": {}}, "models": {"a": {"model": "b"}, "b": {"model": "ollama/x"}}},
        "models.a.model: 'b' is an alias; name a provider/model",
    ),
    "alias with invalid options": (
        {"providers": {"ollama": {}}, "models": {"fast": {"model": "ollama/x", "citations": {"marker": "stars"}}}},
        "models.fast.citations.marker: must be one of",
    ),
    "unknown default retriever": (
        {"retrievers": {"docs": {"kind": "folder"}}, "default_retriever": "dosc"},
        "default_retriever 'dosc' is not among the retrievers; did you mean docs?",
    ),
    "unknown model for rewriting": (
        {"providers": {"ollama": {}}, "retrievers": {"docs": {"kind": "folder", "rewrite": "olama/x"}}},
        "retrievers.docs.rewrite: there is no provider 'olama'; did you mean ollama?",
    ),
    "a provider that does not embed": (
        {"providers": {"extractive": None}, "scoring": {"embedder": "extractive"}},
        "scoring.embedder: 'extractive' is neither local nor a provider that embeds",
    ),
    "a client key given twice": (
        {"server": {"keys": [{"key": "a", "file": "b"}]}},
        "server.keys[0]: give exactly one of key, file and sha256",
    ),
    "an empty client key": ({"server": {"keys": [{"key": ""}]}}, "server.keys[0]: give exactly one"),
    "a short client key": (
        {"server": {"keys": [{"key": "0123456789abcde"}]}},
        "server.keys[0]: a client key must have",
    ),
    "a client key of an example": ({"server": {"keys": [{"key": "change-me"}]}}, "server.keys[0]: a client key must"),
    "a longer placeholder": (
        {"server": {"keys": [{"key": "please-change-me-soon"}]}},
        "server.keys[0]: a client key is the placeholder of an example; `citestream make-key` prints one",
    ),
    "a client key of spaces": ({"server": {"keys": [{"key": " " * 20}]}}, "no client can present this key"),
    "a client key with a space at its end": ({"server": {"keys": [{"key": f"{LONG_KEY} "}]}}, "no client can present"),
    "a client key with a line break": ({"server": {"keys": [{"key": f"{LONG_KEY}\nx"}]}}, "no client can present"),
    "a client key that is not ASCII": ({"server": {"keys": [{"key": f"{LONG_KEY}ü"}]}}, "no client can present"),
    "the hash of an empty client key": (
        {"server": {"keys": [{"sha256": hash_key("")}]}},
        "sha256 is the hash of an empty",
    ),
    "the hash of a placeholder": (
        {"server": {"keys": [{"sha256": hash_key("change-me")}]}},
        "sha256 is the hash of an empty",
    ),
    "two equal client keys": (
        {"server": {"keys": [{"name": "a", "key": LONG_KEY}, {"sha256": "0" * 64}, {"name": "b", "key": LONG_KEY}]}},
        "server.keys[2] is the same key as server.keys[0]",
    ),
    "a client key and its hash": (
        {"server": {"keys": [{"key": LONG_KEY}, {"sha256": hash_key(LONG_KEY).upper()}]}},
        "server.keys[1] is the same key as server.keys[0]",
    ),
    "a short secret for links": (
        {"server": {"link_secret": "a"}},
        "server.link_secret: must have at least 16 characters",
    ),
    "a client key that signs links": (
        {"server": {"keys": [{"key": LONG_KEY}], "link_secret": LONG_KEY}},
        "server.link_secret must not be a client key",
    ),
    "invalid hash": ({"server": {"keys": [{"sha256": "abc"}]}}, "sha256 must be 64 hexadecimal digits"),
    "a provider's key given twice": (
        {"providers": {"openai": {"api_key": "a", "api_key_file": "b"}}},
        "providers.openai: give only one of api_key, api_key_env and api_key_file",
    ),
    "a password in an address": (
        {"providers": {"openai": {"base_url": "https://me:pass@host/v1"}}},
        "base_url must not hold a user or password",
    ),
    "an address without a scheme": (
        {"providers": {"openai": {"base_url": "vllm:8000/v1"}}},
        "providers.openai: base_url must be an address such as http://",
    ),
    "an address of another protocol": ({"providers": {"gemini": {"base_url": "ftp://host"}}}, "base_url must be an"),
    "an address with an impossible port": ({"providers": {"openai": {"base_url": "http://h:99999"}}}, "base_url must"),
    "Ollama with an impossible port": ({"providers": {"ollama": {"base_url": "gpu:99999"}}}, "base_url must be an"),
    "an origin without a scheme": (
        {"server": {"cors_origins": ["https://a.example", "app.example"]}},
        "server.cors_origins: 'app.example' is not an origin; write scheme and host",
    ),
    "an origin with a path": ({"server": {"cors_origins": ["https://app.example/chat"]}}, "is not an origin"),
    "client keys together with pass_client_key": (
        {"server": {"keys": [{"key": "client-key-0123456789"}]}, "providers": {"openai": {"pass_client_key": True}}},
        "providers.openai.pass_client_key: with server.keys",
    ),
    "provider name with a slash": ({"providers": {"a/b": {"kind": "openai"}}}, "must not be empty or hold"),
    "a certificate's key without the certificate": ({"server": {"tls": {"private_key": "k"}}}, "without certificate"),
}


@pytest.mark.parametrize(("raw", "message"), WRONG.values(), ids=WRONG)
def test_an_invalid_configuration_is_reported_with_its_path(raw: dict[str, object], message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        parse(raw)
    assert message in str(caught.value)
    assert len(str(caught.value).splitlines()) == 1


def test_all_invalid_keys_are_reported_at_once() -> None:
    with pytest.raises(ConfigError) as caught:
        parse({"server": {"prot": 1, "hots": 2}, "log": {"level": "loud"}})
    assert len(str(caught.value).splitlines()) == 3


def test_invalid_values_are_not_quoted_because_they_can_be_keys() -> None:
    with pytest.raises(ConfigError) as caught:
        parse({"providers": {"openai": {"api_key": ["sk-verysecret"], "kind": "sk-verysecret"}}})
    assert "verysecret" not in str(caught.value)


@pytest.mark.parametrize("host", ["127.0.0.1", "127.8.8.8", "::1", "localhost"])
def test_loopback_needs_no_keys(host: str) -> None:
    assert parse({"server": {"host": host}}).server.host == host


def test_listening_beyond_loopback_requires_keys_or_allow_anonymous() -> None:
    assert parse({"server": {"host": "0.0.0.0", "keys": [{"key": "client-key-0123456789"}]}})
    assert parse({"server": {"host": "::", "allow_anonymous": True}})


def test_environment_overrides_file_overrides_defaults(tmp_path: Path) -> None:
    file = tmp_path / "c.yaml"
    file.write_text("server: {port: 1, host: 127.0.0.1}\ncitations: {marker: link}\n")
    config = load(str(file), environ={"CITESTREAM_SERVER__PORT": "2"})
    assert (config.server.port, config.citations) == (2, Options(marker="link"))
    assert load(str(file), environ={"CITESTREAM_SERVER__PORT": "2"}, port=3).server.port == 3


def test_a_short_variable_and_the_command_line_name_the_judge(tmp_path: Path) -> None:
    file = tmp_path / "c.yaml"
    file.write_text("providers: {extractive: }\nscoring: {judge: extractive/a}\n")
    environ = {"CITESTREAM_JUDGE": "extractive/b"}
    assert load(str(file), environ={}).scoring.judge == "extractive/a"
    assert load(str(file), environ=environ).scoring.judge == "extractive/b"
    assert load(str(file), environ=environ, judge="extractive/c").scoring.judge == "extractive/c"


VARIABLES = {
    "a number": ("SERVER__PORT", "9000", lambda c: c.server.port, 9000),
    "a boolean": ("CITATIONS__REFERENCES_IN_TEXT", "true", lambda c: c.citations.references_in_text, True),
    "a text that looks like a number": (
        "PROVIDERS__OPENAI__API_KEY",
        "0123",
        lambda c: c.providers["openai"].api_key,
        "0123",
    ),
    "a text that is not YAML": ("CITATIONS__UNSUPPORTED_NOTE", "[?: ", lambda c: c.citations.unsupported_note, "[?: "),
    "a choice": ("CITATIONS__RELEASE", "live", lambda c: c.citations.release, "live"),
    "a list": ("SERVER__CORS_ORIGINS", "[https://a.example]", lambda c: c.server.cors_origins, ("https://a.example",)),
    "a key in a list": (
        "SERVER__KEYS",
        '[{"name": "a", "key": "client-key-0123456789"}]',
        lambda c: c.server.keys[0].name,
        "a",
    ),
    "an additional provider": (
        "PROVIDERS__MINE__KIND",
        "openai",
        lambda c: sorted(c.providers),
        ["extractive", "mine", "ollama"],
    ),
    "the address of a default provider": (
        "PROVIDERS__OLLAMA__BASE_URL",
        "http://gpu:11434",
        lambda c: c.providers["ollama"].base_url,
        "http://gpu:11434",
    ),
    "a header": ("PROVIDERS__OLLAMA__HEADERS__X-TEAM", "7", lambda c: c.providers["ollama"].headers, {"x-team": "7"}),
}


@pytest.mark.parametrize(("name", "value", "read", "expected"), VARIABLES.values(), ids=VARIABLES)
def test_an_environment_variable_sets_an_option(name: str, value: str, read: Any, expected: object) -> None:
    assert read(load(environ={f"CITESTREAM_{name}": value})) == expected


def test_an_invalid_variable_is_named() -> None:
    for name, value, message in (
        ("CITESTREAM_SERVER__PROT", "1", "did you mean port?"),
        ("CITESTREAM_SERVER__PORT", "x", "must be a whole number (from CITESTREAM_SERVER__PORT)"),
        ("CITESTREAM_SERVER__KEYS", "[", "CITESTREAM_SERVER__KEYS is not YAML"),
        ("CITESTREAM_PORT", "9000", "did you mean server.port? (from CITESTREAM_PORT)"),
        ("CITESTREAM_SERVER", "x", "server: must be a section with options"),
        (
            "CITESTREAM_CITATIONS__RELEASE",
            "x",
            "must be one of: sentence, live, whole (from CITESTREAM_CITATIONS__RELEASE)",
        ),
    ):
        with pytest.raises(ConfigError) as caught:
            load(environ={name: value})
        assert message in str(caught.value)


def test_variables_of_a_kubernetes_service_of_the_same_name_are_ignored() -> None:
    load(
        environ={
            "CITESTREAM_PORT": "tcp://10.0.0.1:8787",
            "CITESTREAM_PORT_8787_TCP_ADDR": "10.0.0.1",
            "CITESTREAM_SERVICE_HOST": "10.0.0.1",
            "CITESTREAM_SERVICE_PORT_HTTP": "8787",
            "CITESTREAM_CONFIG": "some.yaml",
        }
    )


def write_config(folder: Path, text: str) -> str:
    file = folder / "c.yaml"
    file.write_text(text, "utf-8")
    return str(file)


def test_variables_in_the_file_are_replaced(tmp_path: Path) -> None:
    file = write_config(
        tmp_path, "providers: {mine: {kind: openai, api_key: '${SECRET}', base_url: '${BASE:-http://x}/v1'}}\n"
    )
    found = load(file, environ={"SECRET": "s"}).providers["mine"]
    assert (found.api_key, found.base_url) == ("s", "http://x/v1")
    with pytest.raises(ConfigError, match=r"providers\.mine\.api_key: \$\{SECRET\} is not set"):
        load(file, environ={})
    note = load(
        write_config(tmp_path, "citations: {unsupported_note: '$${A} and $5'}"), environ={}
    ).citations.unsupported_note
    assert note == "${A} and $5"


def test_secrets_come_from_variables_and_files_and_a_missing_one_fails_at_once(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("from the secret file\n")
    file = write_config(
        tmp_path,
        f"server: {{keys: [{{name: a, file: {secret}}}]}}\n"
        f"providers:\n  openai: {{api_key_file: {secret}}}\n  gemini: {{api_key_env: G}}\n",
    )
    config = load(file, environ={"G": "from a variable"})
    assert config.providers["openai"].secret() == "from the secret file"
    assert config.providers["gemini"].secret({"G": "from a variable"}) == "from a variable"
    with pytest.raises(ConfigError, match=r"providers\.gemini: the variable G is not set or empty"):
        load(file, environ={})
    secret.write_text(" \n")
    with pytest.raises(ConfigError, match="is empty"):
        load(file, environ={"G": "x"})
    secret.unlink()
    with pytest.raises(ConfigError, match="No such file"):
        load(file, environ={"G": "x"})


NEEDS_SECRET = {
    "retrievers.a": "retrievers: {a: {kind: http, preset: ragflow, url: 'http://127.0.0.1/', api_key_env: MISSING}}",
    "store": "store: {url: 'redis://127.0.0.1/', api_key_env: MISSING}",
}


@pytest.mark.parametrize("section", NEEDS_SECRET)
def test_a_missing_secret_of_a_service_fails_at_once(section: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=rf"{section}: the variable MISSING is not set or empty"):
        load(write_config(tmp_path, NEEDS_SECRET[section]), environ={})


def test_a_short_or_repeated_key_of_a_file_fails_at_once(tmp_path: Path) -> None:
    for name, key in {"short": "a", "long": LONG_KEY}.items():
        (tmp_path / name).write_text(key)
    short = write_config(tmp_path, f"server: {{keys: [{{file: {tmp_path / 'short'}}}]}}")
    with pytest.raises(ConfigError, match=r"server\.keys\[0\]: .*short: a client key must have at least 16 characters"):
        load(short, environ={})
    twice = write_config(tmp_path, f"server: {{keys: [{{key: {LONG_KEY}}}, {{file: {tmp_path / 'long'}}}]}}")
    with pytest.raises(ConfigError, match=r"server\.keys\[1\] is the same key as server\.keys\[0\]"):
        load(twice, environ={})


def test_secrets_are_not_part_of_a_printed_configuration() -> None:
    config = parse(
        {
            "server": {"keys": [{"key": "sk-verysecret-0123"}]},
            "providers": {"openai": {"api_key": "sk-verysecret", "headers": {"x": "sk-verysecret"}}},
        }
    )
    assert "verysecret" not in repr(config)


def test_without_a_file_the_environment_selects_the_providers() -> None:
    assert set(default_providers({})) == {"extractive", "ollama"}
    found = default_providers({"OPENAI_API_KEY": "a", "OPENAI_BASE_URL": "http://x/v1", "GOOGLE_API_KEY": "b"})
    assert set(found) == {"extractive", "ollama", "openai", "gemini"}
    assert found["openai"]["base_url"] == "http://x/v1"
    gemini = default_providers({"GEMINI_API_KEY": "a", "GOOGLE_API_KEY": "b", "GOOGLE_GEMINI_BASE_URL": "http://g"})
    assert gemini["gemini"] == {"kind": "gemini", "api_key": "a", "base_url": "http://g"}
    assert default_providers({"OLLAMA_HOST": "gpu:1"})["ollama"]["base_url"] == "gpu:1"


FENCES: dict[str, dict[str, str]] = {
    "an unknown key": {"opening": "<a>", "x": "</a>"},
    "an unknown key next to both ends": {"opening": "<a>", "closing": "</a>", "x": "y"},
    "an empty opening": {"opening": ""},
    "an empty opening with a closing": {"opening": "", "closing": "</a>"},
}


@pytest.mark.parametrize("fence", FENCES.values(), ids=FENCES)
def test_an_invalid_fence_is_reported(fence: dict[str, str]) -> None:
    with pytest.raises(ConfigError, match=r"evidence\.from_prompt.*: each fence must be"):
        parse({"evidence": {"from_prompt": [fence]}})


def test_off_in_yaml_turns_the_search_of_prompts_off(tmp_path: Path) -> None:
    file = write_config(tmp_path, "evidence: {from_prompt: off}")
    assert load(file, environ={}).evidence.from_prompt == "off"


def test_an_alias_may_have_the_name_of_its_model() -> None:
    models = {"ollama/llama3.2": {"model": "ollama/llama3.2", "citations": {"marker": "link"}}}
    assert parse({"providers": {"ollama": None}, "models": models}).models["ollama/llama3.2"].model == "ollama/llama3.2"


def test_an_index_in_the_working_directory_is_searched_if_no_retriever_is_configured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert load(environ={}).default_retriever == ""
    Path(STORE).parent.mkdir(parents=True)
    Path(STORE).touch()
    assert load(environ={}).default_retriever == "folder"
    own = write_config(tmp_path, "retrievers: {docs: {kind: folder}}")
    assert load(own, environ={}).default_retriever == ""


def test_a_provider_with_an_api_key_is_the_default_provider(tmp_path: Path) -> None:
    assert load(environ={}).default_provider == ""
    assert load(environ={"OPENAI_API_KEY": "a", "GEMINI_API_KEY": "b"}).default_provider == "openai"
    assert load(environ={"GOOGLE_API_KEY": "b"}).default_provider == "gemini"
    anthropic = load(environ={"ANTHROPIC_API_KEY": "c", "ANTHROPIC_BASE_URL": "http://a"})
    assert anthropic.default_provider == "anthropic"
    assert (anthropic.providers["anthropic"].secret({}), anthropic.providers["anthropic"].base_url) == ("c", "http://a")
    named = write_config(tmp_path, "default_provider: ollama\n")
    assert load(named, environ={"OPENAI_API_KEY": "a"}).default_provider == "ollama"
    own = write_config(tmp_path, "providers: {openai: {}}\n")
    assert load(own, environ={"OPENAI_API_KEY": "a"}).default_provider == ""


LOOP_ADDRESSES = {
    "by its name": ("127.0.0.1", "http://localhost:8787/v1", "up"),
    "listening on all addresses": ("0.0.0.0", "http://127.0.0.1:8787/v1", "up"),
    "by its own address": ("192.0.2.1", "http://192.0.2.1:8787/v1", "up"),
    "another port": ("127.0.0.1", "http://127.0.0.1:8788/v1", ""),
    "another machine": ("0.0.0.0", "http://192.0.2.7:8787/v1", ""),
    "another server on this machine": ("192.0.2.1", "http://127.0.0.1:8787/v1", ""),
    "the default address": ("127.0.0.1", "", ""),
}


@pytest.mark.parametrize(("host", "address", "found"), LOOP_ADDRESSES.values(), ids=LOOP_ADDRESSES)
def test_a_provider_with_the_address_of_this_server_is_found(host: str, address: str, found: str) -> None:
    server = {"host": host, "allow_anonymous": True}
    providers = {"up": {"kind": "openai", "base_url": address, "api_key": "k"}}
    assert find_loop(parse({"server": server, "providers": providers})) == found


def test_a_file_with_empty_sections(tmp_path: Path) -> None:
    config = load(write_config(tmp_path, "server:\nproviders:\ncitations:\n"), environ={})
    assert set(config.providers) == {"extractive", "ollama"}
    providers = load(write_config(tmp_path, "providers:\n  extractive:\n  ollama:\n"), environ={}).providers
    assert [provider.kind for provider in providers.values()] == ["extractive", "ollama"]


BROKEN = {
    "unclosed bracket": ("a: [", "is not YAML: line 1"),
    "a key twice": ("server:\n  port: 1\n  port: 2\n", "line 3: port is given twice"),
    "a section twice": ("server: {}\nlog: {}\nserver: {}\n", "line 3: server is given twice"),
    "references": ("a: &a [1]\nb: *a\n", "line 2: references"),
    "a loop of references": ("a: &a [*a]\n", "line 1: references"),
    "a list": ("- server", "must contain sections"),
    "a text": ("server", "must contain sections"),
    "code": ("a: !!python/object/apply:os.system [true]", "is not YAML: line 1"),
    "invalid date": ("a: 2024-13-41", "date"),
    "a tab": ("server:\n\tport: 1", "is not YAML: line 2"),
}


@pytest.mark.parametrize(("text", "message"), BROKEN.values(), ids=BROKEN)
def test_an_invalid_file_is_explained(text: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as caught:
        load(write_config(tmp_path, text), environ={})
    assert message in str(caught.value)


def test_the_content_of_an_invalid_file_is_not_quoted(tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as caught:
        load(write_config(tmp_path, 'api_key: "sk-verysecret" : b\n'), environ={})
    assert "verysecret" not in str(caught.value)


def test_a_missing_file_and_a_binary_file_are_explained(tmp_path: Path) -> None:
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
