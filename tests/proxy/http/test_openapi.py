"""The OpenAPI document says what the server does: requests made from it get the answers that it promises."""

import sys
from pathlib import Path
from typing import Any

import pytest
import schemathesis
import yaml
from hypothesis import HealthCheck, settings
from schemathesis.specs.openapi.checks import negative_data_rejection, positive_data_acceptance

from citestream.proxy.config import parse
from citestream.proxy.http.application import make_app
from tests.conftest import Launch

DOCUMENT = Path(__file__).parents[3] / "proxy/openapi.yaml"
# The vendors' requests are not described, only our extensions; and no schema describes all valid documents.
PARTLY_DESCRIBED = ("/api/", "/v1beta/", "/v1/messages", "/v2/", "/v1/embeddings", "/v1/evidence/read")
EXACT: list[Any] = [positive_data_acceptance, negative_data_rejection]
EXAMPLES = 10  # requests an operation; each is answered in some milliseconds


def only_what_is_there() -> dict[str, Any]:
    """The document with the one model of the test's server, since most other names are a rightful 404."""
    document: dict[str, Any] = yaml.safe_load(DOCUMENT.read_text("utf-8"))
    document["components"]["schemas"]["Model"] = {"enum": ["extractive"]}
    return document


schema = schemathesis.openapi.from_dict(only_what_is_there())


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
def test_every_operation_answers_as_it_is_described(case: "schemathesis.Case[Any]", server: str) -> None:
    partly = case.path.startswith(PARTLY_DESCRIBED)
    case.call_and_validate(base_url=server, excluded_checks=EXACT if partly else None)


def test_every_documented_path_is_a_route() -> None:
    routes = {resource.canonical for resource in make_app(parse({})).router.resources()}
    for path in yaml.safe_load(DOCUMENT.read_text("utf-8"))["paths"]:
        assert path in routes or path.startswith("/v1beta/models/"), path
