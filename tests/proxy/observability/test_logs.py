"""The log: one line per request, without questions and keys."""

import json
import logging
import sqlite3
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager, closing
from io import StringIO
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest
import yaml

from citestream.proxy.observability.log_limits import LINES, PERIOD_SECONDS, LimitedHandler
from citestream.proxy.observability.logs import JsonFormatter, RedactingFormatter

Launch = Callable[..., AbstractContextManager[str]]

CONFIG: dict[str, Any] = {
    "providers": {
        "extractive": None,
        "down": {
            "kind": "openai",
            "base_url": "http://127.0.0.1:9/v1",
            "api_key": "sk-provider-secret",
            "retries": {"most": 0},
        },
    }
}
REQUEST = {
    "model": "extractive",
    "messages": [{"role": "user", "content": "What colour is my secret house?"}],
    "evidence": [{"text": "The colour of the secret house is red."}],
}


def log_of_requests(launch: Launch, folder: Path, log: dict[str, Any]) -> str:
    """Return the log of a server with this configuration after a few requests."""
    file = folder / "c.yaml"
    file.write_text(yaml.safe_dump({**CONFIG, "log": log}))
    command = [sys.executable, "-m", "citestream", "serve", "--port", "0", "--config", str(file)]
    with launch(command, folder / "log") as url:
        for number, (path, body) in enumerate(
            (
                ("/v1/models?key=sk-client-secret", None),
                ("/v1/chat/completions", REQUEST),
                ("/v1/chat/completions", {**REQUEST, "model": "down/x"}),
                ("/v1/chat/completions", {**REQUEST, "evidence": "secret"}),
            )
        ):
            data = json.dumps(body).encode() if body else None
            headers = {"Authorization": "Bearer sk-client-secret", "x-request-id": f"req-{number}"}
            request = Request(f"{url}{path}", data, headers)  # noqa: S310 - a server of this test
            try:
                urlopen(request).read()  # noqa: S310
            except HTTPError as error:
                error.close()
    return (folder / "log").read_text()


def test_each_request_is_one_line_without_content_at_every_level(launch: Launch, tmp_path: Path) -> None:
    text = log_of_requests(launch, tmp_path, {"level": "debug"})
    lines = [line for line in text.splitlines() if "citestream.access" in line]
    assert [line.split("'-' ")[1].split(" ")[:3] for line in lines] == [
        ["GET", "/v1/models", "200"],
        ["POST", "/v1/chat/completions", "200"],
        ["POST", "/v1/chat/completions", "502"],
        ["POST", "/v1/chat/completions", "400"],
    ]
    assert "secret" not in text
    assert "Traceback" not in text


def test_json_lines_have_fields_with_the_request_id(launch: Launch, tmp_path: Path) -> None:
    entries = [json.loads(line) for line in log_of_requests(launch, tmp_path, {"format": "json"}).splitlines()]
    lines = [line for line in entries if line["logger"] == "citestream.access"]
    assert [(line["method"], line["path"], line["status"], line["client"]) for line in lines] == [
        ("GET", "/v1/models", 200, None),
        ("POST", "/v1/chat/completions", 200, None),
        ("POST", "/v1/chat/completions", 502, None),
        ("POST", "/v1/chat/completions", 400, None),
    ]
    assert [line["request_id"] for line in lines] == ["req-0", "req-1", "req-2", "req-3"]
    assert all(line["level"] == "info" and line["ms"] > 0 and line["time"].endswith("+00:00") for line in lines)
    assert "secret" not in json.dumps(entries)


def test_an_exception_is_one_json_line_without_its_message() -> None:
    try:
        failing()
    except RuntimeError as error:
        info: Any = (type(error), error, None)
    record = logging.LogRecord("proxy", logging.ERROR, "", 1, "Failed\n\u202e%s", ("x",), info)
    line = JsonFormatter(RedactingFormatter()).format(record)
    assert line.isascii()
    assert "\n" not in line
    entry = json.loads(line)
    assert (entry["message"], entry["level"]) == ("Failed", "error")
    assert "RuntimeError" in entry["exception"]


@pytest.mark.parametrize("log", [{"access": False}, {"level": "warning"}])
def test_the_access_log_can_be_disabled(launch: Launch, tmp_path: Path, log: dict[str, Any]) -> None:
    assert log_of_requests(launch, tmp_path, log) == ""


def test_content_is_logged_only_if_configured_with_a_warning_at_the_start(launch: Launch, tmp_path: Path) -> None:
    log = log_of_requests(launch, tmp_path, {"content": True, "level": "warning"}).splitlines()
    assert "WARNING citestream.content: log.content is on" in log[0]
    questions = [line for line in log if " asked {" in line]
    answers = [line for line in log if " answered {" in line]
    assert len(questions) == 2
    assert "What colour is my secret house?" in questions[0]
    assert "The colour of the secret house is red." in questions[0]
    entry = json.loads(answers[0].split(" answered ")[1])
    assert "red" in entry["choices"]["0"]
    assert questions[0].split()[4] == answers[0].split()[4]  # the id of the request
    assert "sk-" not in "".join(log)


def failing() -> None:
    try:
        int("a secret number")
    except ValueError as error:
        try:
            raise KeyError("a secret key") from error
        except KeyError:
            raise RuntimeError("a secret state")  # noqa: B904 - the test checks its context


def test_an_exception_is_logged_with_its_type_and_traceback_without_its_message() -> None:
    try:
        failing()
    except RuntimeError as error:
        record = logging.LogRecord(
            "asyncio", logging.ERROR, "", 1, "Task failed\ntask: <a %s>", ("secret",), (type(error), error, None)
        )
    text = RedactingFormatter("%(levelname)s %(message)s").format(record)
    assert text.startswith("ERROR Task failed\n")
    assert [kind in text for kind in ("RuntimeError", "KeyError", "ValueError")] == [True] * 3
    assert text.index("ValueError") < text.index("KeyError") < text.index("RuntimeError")
    assert text.count(", in failing") == 3
    assert "secret" not in text.replace('int("a secret number")', "").replace('("a secret key")', "").replace(
        '("a secret state")', ""
    )  # the traceback shows these lines of code


def test_a_condition_that_repeats_for_every_request_is_logged_a_few_times_and_counted(
    launch: Launch, tmp_path: Path
) -> None:
    file, requests = tmp_path / "c.yaml", 30
    references = {"file": str(tmp_path / "references.sqlite")}
    file.write_text(yaml.safe_dump({"providers": {"extractive": None}, "references": references}))
    command = [sys.executable, "-m", "citestream", "serve", "--port", "0", "--config", str(file)]
    with launch(command, tmp_path / "log") as url:
        with closing(sqlite3.connect(references["file"])) as database:
            database.execute("DROP TABLE answers")  # from now on, no answer can be stored
        for _ in range(requests):
            request = Request(f"{url}/v1/chat/completions", json.dumps(REQUEST).encode())  # noqa: S310
            name = json.loads(urlopen(request).read())["id"]  # noqa: S310
            with pytest.raises(HTTPError):
                urlopen(f"{url}/v1/references/{name}")  # noqa: S310 - after it, the answer before is written
    log = (tmp_path / "log").read_text()
    assert log.count("POST /v1/chat/completions 200") == requests
    assert log.count("the references of 1 answers could not be stored") == LINES
    assert f"{requests - LINES} further lines were left out: the references of %d answers could not be stored" in log


def test_each_condition_has_lines_of_its_own_in_each_period() -> None:
    now, written = [0.0], StringIO()
    handler = LimitedHandler(written, lambda: now[0])
    log = logging.Logger("citestream")
    log.addHandler(handler)

    def fill_disk(count: int) -> None:
        for number in range(count):
            log.warning("the disk is full: %d", number)

    fill_disk(LINES + 5)
    log.warning("the judge is down")
    assert written.getvalue().splitlines() == [*(f"the disk is full: {n}" for n in range(LINES)), "the judge is down"]
    now[0] = PERIOD_SECONDS + 1
    fill_disk(1)
    assert written.getvalue().splitlines()[-2:] == [
        "5 further lines were left out: the disk is full: %d",
        "the disk is full: 0",
    ]
    fill_disk(LINES)
    handler.close()
    assert written.getvalue().splitlines()[-1] == "1 further lines were left out: the disk is full: %d"


def test_the_access_log_is_not_limited() -> None:
    written = StringIO()
    log = logging.Logger("citestream.access")
    log.addHandler(LimitedHandler(written))
    for _ in range(LINES * 3):
        log.info("GET /v1/models 200")
    assert written.getvalue().count("200") == LINES * 3
