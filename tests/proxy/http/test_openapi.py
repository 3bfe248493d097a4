"""The OpenAPI document is correct: requests made from it get the documented answers."""

import re
import sys
from pathlib import Path
from typing import Any, Literal, get_args, get_origin, get_type_hints

import pytest
import schemathesis
import yaml
from hypothesis import HealthCheck, settings
from schemathesis.specs.openapi.checks import negative_data_rejection, positive_data_acceptance

from citestream.citation.options import Options
from citestream.citation.support.gates.disagreement import Reason
from citestream.proxy.config import parse
from citestream.proxy.http.application import make_app
from tests.conftest import Launch

DOCUMENT = Path(__file__).parents[3] / "proxy/openapi.yaml"
# The requests of other APIs are not described, only our extensions. No schema describes all valid documents.
PARTLY_DESCRIBED = (
    "/api/",
    "/v1beta/",
    "/v1/messages",
    "/v1/responses/compact",
    "/v2/",
    "/v1/embeddings",
    "/v1/evidence/read",
    "/mcp",
    "/beta/",
)
EXACT: list[Any] = [positive_data_acceptance, negative_data_rejection]
TIMEOUT_SECONDS = 100.0  # for a machine under load
EXAMPLES = 10  # requests per operation; each takes a few milliseconds


def document_of_the_test_server() -> dict[str, Any]:
    """Return the document with the only model of the test server, because other names are a correct 404."""
    document: dict[str, Any] = yaml.safe_load(DOCUMENT.read_text("utf-8"))
    document["components"]["schemas"]["Model"] = {"enum": ["extractive"]}
    return document


schema = schemathesis.openapi.from_dict(document_of_the_test_server())


@pytest.fixture(scope="module")
def server(launch: Launch, tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("openapi")
    (folder / "config.yaml").write_text("providers: {extractive: {}}\nlog: {access: false}\n")
    command = [sys.executable, "-m", "citestream", "serve", "--port", "0", "--config", str(folder / "config.yaml")]
    with launch(command, folder / "log") as url:
        yield url


@pytest.mark.slow
@schema.parametrize()
@settings(max_examples=EXAMPLES, suppress_health_check=list(HealthCheck))
def test_every_operation_returns_the_documented_answers(case: "schemathesis.Case[Any]", server: str) -> None:
    is_socket = (case.method, case.path) == ("GET", "/v1/responses")  # a request without an upgrade is refused
    partly = is_socket or case.path.startswith(PARTLY_DESCRIBED)
    case.call_and_validate(base_url=server, excluded_checks=EXACT if partly else None, timeout=TIMEOUT_SECONDS)


def test_every_documented_path_is_a_route() -> None:
    routes = {resource.canonical for resource in make_app(parse({})).router.resources()}
    for path in yaml.safe_load(DOCUMENT.read_text("utf-8"))["paths"]:
        assert path in routes or path.startswith("/v1beta/models/"), path


def test_every_reason_is_documented_and_has_a_text_on_the_page() -> None:
    schemas = yaml.safe_load(DOCUMENT.read_text("utf-8"))["components"]["schemas"]
    (rejected,) = (one["properties"]["rejected"] for one in schemas.values() if "rejected" in one.get("properties", {}))
    assert rejected["items"]["properties"]["reason"]["enum"] == list(Reason)
    page = (DOCUMENT.parent / "component/notes.js").read_text("utf-8")
    texts = page.partition("function reasonText(")[2].partition("\n}")[0]
    assert re.findall(r'case "(\w+)":', texts) == list(Reason)
    manual = (DOCUMENT.parents[1] / "docs/operations.md").read_text("utf-8")
    row = manual.partition("| `citestream_citations_rejected_total` |")[2].partition("\n")[0]
    assert set(re.findall(r"`(\w+)`", row)) == set(Reason)


def test_the_options_of_citations_have_the_values_of_the_document() -> None:
    schemas = yaml.safe_load(DOCUMENT.read_text("utf-8"))["components"]["schemas"]
    (described,) = (one["properties"] for one in schemas.values() if "max_per_sentence" in one.get("properties", {}))
    options = get_type_hints(Options)
    assert described.keys() == options.keys()
    choices = {name: list(get_args(kind)) for name, kind in options.items() if get_origin(kind) is Literal}
    assert {name: described[name]["enum"] for name in choices} == choices
