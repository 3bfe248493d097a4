"""The errors that clients receive when a provider fails, without confidential details."""

import json
import socket
from typing import Any

import aiohttp
import pytest
from hypothesis import given
from hypothesis import strategies as st

from citestream.providers import provider
from citestream.providers.errors import (
    BrokenStream,
    IncompleteAnswer,
    ProviderError,
    Rejected,
    ReportedError,
    TimedOut,
    Unreachable,
    passed_headers,
    rejected,
    reported,
    translate,
)
from citestream.providers.masking import KeyFilter, mask, mask_start, register_secrets

REJECTIONS: dict[str, tuple[int, Any, dict[str, Any]]] = {
    "an error of OpenAI keeps all fields": (
        400,
        {
            "error": {
                "message": "Too long",
                "type": "invalid_request_error",
                "param": "messages",
                "code": "context_length_exceeded",
            }
        },
        {
            "status": 400,
            "message": "Too long",
            "type": "invalid_request_error",
            "param": "messages",
            "code": "context_length_exceeded",
        },
    ),
    "a status of 5xx becomes 502": (
        500,
        {"error": {"message": "Failed", "type": "server_error"}},
        {"status": 502, "message": "Failed", "type": "server_error"},
    ),
    "an overloaded provider": (
        503,
        {"error": {"message": "Overloaded", "type": "server_error"}},
        {"status": 503, "message": "Overloaded", "type": "server_error"},
    ),
    "Ollama's error is a string": (
        404,
        {"error": "model 'x' not found"},
        {"status": 404, "message": "model 'x' not found", "type": "not_found_error"},
    ),
    "Gemini's error names a status": (
        429,
        {
            "error": {
                "code": 429,
                "message": "Quota",
                "status": "RESOURCE_EXHAUSTED",
                "details": [{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "7.2s"}],
            }
        },
        {"status": 429, "message": "Quota", "code": "RESOURCE_EXHAUSTED", "retry_after": "7"},
    ),
    "Gemini's error in an array": (
        400,
        [{"error": {"message": "Bad", "status": "INVALID_ARGUMENT"}}],
        {"message": "Bad", "code": "INVALID_ARGUMENT"},
    ),
    "the older error of vLLM": (
        400,
        {"object": "error", "message": "Bad", "type": "BadRequestError", "code": 400},
        {"message": "Bad", "type": "BadRequestError"},
    ),
    "FastAPI's detail": (404, {"detail": "Not Found"}, {"status": 404, "message": "Not Found"}),
    "FastAPI's list of details": (
        422,
        {"detail": [{"loc": ["body", "n"], "msg": "too large"}]},
        {"status": 422, "message": "body.n: too large"},
    ),
    "a detail whose location is not a list": (400, {"detail": [{"loc": 5, "msg": "bad"}]}, {"message": "bad"}),
    "an empty body": (500, "", {"status": 502, "message": "The provider answered 500 without an explanation."}),
    "null": (401, None, {"status": 401, "type": "authentication_error"}),
}


@pytest.mark.parametrize("case", REJECTIONS)
def test_an_error_status_becomes_an_error_with_its_explanation(case: str) -> None:
    status, body, expected = REJECTIONS[case]
    error = rejected(status, {}, json.dumps(body).encode() if body != "" else b"")
    assert {name: getattr(error, name) for name in expected} == expected


def test_the_content_of_a_web_page_is_not_in_the_message() -> None:
    page = b"<html><h1>502 Bad Gateway</h1>upstream vllm-7.internal:8000 refused sk-secret</html>"
    error = rejected(502, {"Content-Type": "text/html"}, page)
    assert error.message == "The provider answered 502 without an explanation."


def test_the_error_for_a_redirect_does_not_contain_its_target() -> None:
    error = rejected(302, {"Location": "http://169.254.169.254/"}, b"")
    assert error.status == 502
    assert "169" not in error.message


def test_only_headers_about_retries_limits_the_account_and_the_request_are_kept() -> None:
    kept = {
        "retry-after": "7",
        "retry-after-ms": "6500",
        "x-ratelimit-remaining": "0",
        "ratelimit-policy": "10;w=60",
        "x-should-retry": "true",
        "x-request-id": "req_1",
        "openai-organization": "acme",
        "server-timing": "gfet4t7; dur=123",
    }
    others = {"Set-Cookie": "a=b", "Via": "x", "openai-model": "m", "x-envoy-upstream": "10.0.0.1"}
    error = rejected(429, {name.title(): value for name, value in {**kept, **others}.items()}, b"")
    assert error.retry_after == "7"
    assert error.headers == kept


def test_headers_with_control_characters_are_not_passed() -> None:
    assert passed_headers({"retry-after": "7\x7f", "x-ratelimit-a": "é"}) == {}


SECRETS = {
    "OpenAI's key": ("Incorrect API key provided: sk-proj-abcDEF1234567890.", "sk-"),
    "OpenAI's key, masked by OpenAI": ("provided: sk-abcd***************wxyz.", "wxyz"),
    "Google's key": ("API key AIzaSyD-1234567890abcdefghijklmnopqrstu not valid", "SyD-"),
    "Google's key in an address": ("GET https://host.example/v1?key=AIzaSyD-123&alt=sse", "SyD-"),
    "another key in an address": ("GET https://host.example/v1?api_key=hunter2hunter2&x=1", "hunter2"),
    "a bearer token": ("Authorization: Bearer abc.def-ghi rejected", "abc.def"),
    "an access token": ("token ya29.a0AfH6SMBx expired", "a0AfH"),
    "a web token": ("invalid eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc", "hbGci"),
    "a password in an address": ("https://user:passw0rd@host.example/", "passw0rd"),
    "an internal IPv4 address": ("connect to 10.1.2.3:8000 failed", "10.1.2.3"),
    "an IPv6 address": ("connect to http://[fd00::1]:8000/v1 failed", "fd00"),
    "an internal host name": ("upstream vllm-0.vllm.svc.cluster.local:8000 timed out", "vllm-0"),
    "a host name without a domain": ("POST http://vllm:8000/v1/chat failed", "vllm:8000"),
    "localhost": ("dial tcp localhost:11434: refused", "localhost"),
    "LiteLLM's hash of a key": (f"Received API Key = sk-...8aSP, Key Hash (Token) ={'5699' * 16}. Unable", "5699"),
    "the end of a key from LiteLLM": ("Received API Key = sk-...8aSP, Key", "8aSP"),
    "the end of a key from DeepSeek": ("Authentication Fails, Your API key: ****6eA3 is invalid", "6eA3"),
    "both ends of a key from xAI": ("Incorrect API key provided: na***ys. You can obtain", "ys"),
    "a key without a digit": ("Incorrect API key provided: abcdefgh. You can", "abcdefgh"),
    "a key in quotation marks": ("key 'abcd1234efgh5678' is revoked", "abcd"),
    "a password in quotation marks": ("password='s3cr3tpass'", "s3cr3t"),
    "a signature in an address": ("https://r.example/x?v=1&sig=abc%2Fdef", "abc%2Fdef"),
    "Google's newer format of keys": ("API key AQ.Ab8RN6Jabcdefg not valid", "Ab8RN6J"),
    "GitHub's token": ("token ghp_16C7e42F292c6912E7710c838347Ae178B4a expired", "16C7e4"),
    "Amazon's key": ("AccessKeyId AKIAIOSFODNN7EXAMPLE", "IOSFODNN"),
    "an organization": ("Rate limit reached in organization org-AbCdEf1234567890 on tokens", "AbCdEf"),
    "a project": ("You are not a member of project proj_abcDEF123456789", "abcDEF"),
    "Google's project": ("Permission denied on resource project acme-prod-1234.", "acme"),
    "a DNS lookup in Go": ("dial tcp: lookup vllm-gpu-7 on 10.0.0.2:53: no such host", "vllm-gpu-7"),
    "aiohttp's host": ("Cannot connect to host gpu7:8000 ssl:default", "gpu7"),
    "urllib3's host": ("HTTPConnectionPool(host='gpu7', port=8000): Max retries", "gpu7"),
    "an IPv6 address without brackets": ("connect to fe80::1%eth0 failed", "fe80"),
    "an IPv4-mapped IPv6 address": ("connect to ::ffff:10.1.2.3 failed", ".2.3"),
    "a path of a source file": ('File "/usr/local/lib/python3.12/site-packages/vllm/api.py", line 3', "vllm"),
    "a path of a model": ("open /root/.ollama/models/blobs/sha256-abc: no such file", "ollama"),
    "a Windows path": (r"cannot open C:\Users\me\models\x.gguf", "me"),
}


@pytest.mark.parametrize("case", SECRETS)
def test_secrets_are_masked_in_every_error(case: str) -> None:
    text, secret = SECRETS[case]
    assert secret not in mask(text).replace("sk-***", "")
    assert secret not in rejected(400, {}, json.dumps({"error": {"message": text}}).encode()).message.replace(
        "sk-***", ""
    )
    assert secret not in reported({"error": text}).message.replace("sk-***", "")


@pytest.mark.parametrize(
    "text",
    [
        "Temperature must be between 0 and 2.",
        "See https://platform.openai.com/docs/models.",
        "task-list is 12:30 long",
        "model 'llama3.2' not found",
        "std::bad_alloc at 12:30:45, ratio 3:4",
        "Try **again** later; see /v1/chat/completions and example.com/home/x",
        "user-authentication of organization-wide settings; token limit exceeded",
        "invalid x-api-key",
    ],
)
def test_text_without_secrets_is_not_changed(text: str) -> None:
    assert mask(text) == text


def test_configured_keys_are_masked_in_any_format() -> None:
    text = 'say "correct horse battery" to gpu, or "a header of ours", or "short"'
    assert mask(text) == text
    provider("openai", api_key="correct horse battery", headers={"X-Key": "a header of ours", "X-Short": "short"})
    assert mask(text) == 'say "***" to gpu, or "***", or "short"'


@given(
    st.lists(st.sampled_from(["keykeykey9", "keykey", "key9", "other-key-1", "other", "x", "\n"]), max_size=12),
    st.data(),
)
def test_keys_in_passed_through_bytes_are_masked_however_the_bytes_are_split(
    words: list[str], data: st.DataObject
) -> None:
    register_secrets("keykeykey9", "other-key-1")
    text = "".join(words).encode()
    key_filter, passed = KeyFilter(), b""
    while text:
        size = data.draw(st.integers(1, len(text)))
        passed += key_filter.feed(text[:size]) + key_filter.feed(b"")
        text = text[size:]
    masked = "".join(words).replace("keykeykey9", "***").replace("other-key-1", "***")
    assert (passed + key_filter.flush()).decode() == masked


@pytest.mark.parametrize("before", [0, 100, 1_000, 2_990, 3_000, 3_990, 4_000, 10_000])
def test_the_start_of_a_message_contains_no_part_of_a_secret(before: int) -> None:
    register_secrets("x-9XB7-QZ5K")
    text = f"{'token: a1b2c3d4e5f6 ' * (before // 21)}{'-' * (before % 21)} x-9XB7-QZ5K says {'no ' * 4_000}"
    start = mask_start(text, 1_000)
    assert start == mask(text)[: len(start)]
    assert len(start) <= 1_000
    assert not any("x-9XB7-QZ5K"[:length] in start for length in range(5, 12))


def test_a_short_message_is_masked_completely() -> None:
    assert mask_start("so " * 1_300, 1_000) == ("so " * 1_300)[:1_000]
    assert mask_start("the token: a1b2c3d4e5f6", 1_000) == mask("the token: a1b2c3d4e5f6")


def test_only_the_start_of_a_long_message_is_read() -> None:
    assert mask_start("so " * 50_000_000, 100) == ("so " * 50)[:100]


def test_masking_hostile_text_takes_linear_time() -> None:
    for hostile in (
        "a." * 50_000,
        "http://" * 15_000,
        "1." * 50_000,
        "sk-" * 30_000,
        "key=" * 25_000,
        "-a" * 50_000,
        "*" * 99_999,
    ):
        mask(hostile)
    for hostile in ("::" * 50_000, "a:" * 50_000, "key " * 25_000, "host " * 20_000, "/home/" * 20_000, "f" * 99_999):
        mask(hostile)


FAILURES: dict[str, tuple[BaseException, type[ProviderError], int]] = {
    "no answer in time": (TimeoutError(), TimedOut, 504),
    "no answer in time, aiohttp": (aiohttp.ServerTimeoutError(), TimedOut, 504),
    "no connection": (ConnectionRefusedError(111, "10.0.0.1 refused"), Unreachable, 502),
    "no connection, aiohttp": (aiohttp.ServerDisconnectedError(), Unreachable, 502),
    "an invalid address": (aiohttp.InvalidURL("http://:x"), Unreachable, 502),
    "another exception": (KeyError("x"), ProviderError, 502),
    "an error that is already translated": (IncompleteAnswer("cut"), IncompleteAnswer, 502),
}


@pytest.mark.parametrize("case", FAILURES)
def test_exceptions_are_translated(case: str) -> None:
    raised, kind, status = FAILURES[case]
    error = translate(raised)
    assert type(error) is kind
    assert error.status == status
    assert "10.0.0.1" not in error.message


REASONS: dict[str, tuple[OSError, str]] = {
    "refused": (ConnectionRefusedError(111, "10.0.0.1"), ": its host refused the connection"),
    "an unknown host name": (socket.gaierror(-2, "proxy.internal"), ": its host name is unknown"),
    "another error": (OSError(5, "/etc/x"), ""),
}


@pytest.mark.parametrize("case", REASONS)
def test_the_reason_for_no_connection_is_given_without_the_address(case: str) -> None:
    raised, reason = REASONS[case]
    try:
        raise aiohttp.ClientError("10.0.0.1:80") from raised
    except aiohttp.ClientError as failure:
        error = translate(failure)
    assert error.message == f"The provider could not be reached{reason}."
    assert error.brief == f"The provider could not be reached{reason}"


def test_the_message_names_the_service() -> None:
    messages = [translate(error, "retriever").message for error in (TimeoutError(), OSError(), KeyError())]
    messages += [rejected(status, {}, b"", "retriever").message for status in (302, 500)]
    assert all(message.startswith("The retriever ") for message in messages)


def test_exceptions_of_the_sdks_are_translated_without_importing_them() -> None:
    openai = pytest.importorskip("openai")
    ollama = pytest.importorskip("ollama")
    genai = pytest.importorskip("google.genai.errors")
    httpx = pytest.importorskip("httpx2")
    request = httpx.Request("POST", "http://10.0.0.1/v1")
    response = httpx.Response(429, headers={"retry-after": "3"}, request=request)
    limited = translate(
        openai.RateLimitError("x", response=response, body={"message": "Slow down", "code": "rate_limit"})
    )
    assert (limited.status, limited.message, limited.code, limited.retry_after) == (429, "Slow down", "rate_limit", "3")
    assert type(translate(openai.APITimeoutError(request))) is TimedOut
    assert type(translate(openai.APIConnectionError(request=request))) is Unreachable
    missing = translate(ollama.ResponseError("model 'x' not found", 404))
    assert (type(missing), missing.status, missing.message) == (Rejected, 404, "model 'x' not found")
    body = {"error": {"code": 403, "message": "No", "status": "PERMISSION_DENIED"}}
    denied = translate(genai.ClientError(403, body))
    assert (denied.status, denied.message, denied.code) == (403, "No", "PERMISSION_DENIED")


def test_an_error_is_attributed_to_client_operator_or_provider() -> None:
    faults: dict[str, list[ProviderError]] = {
        "client": [Rejected("", status=400), Rejected("", status=404)],
        "operator": [Rejected("", status=401), Rejected("", status=403)],
        "provider": [Rejected("", status=429), Unreachable(""), TimedOut(""), BrokenStream(""), ReportedError("")],
    }
    for fault, errors in faults.items():
        assert {error.fault for error in errors} == {fault}


def test_an_incomplete_answer_is_an_upstream_error() -> None:
    # Clients do not retry after invalid_request_error.
    assert IncompleteAnswer("").type == "upstream_error"
