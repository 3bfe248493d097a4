"""The files in deploy/ are valid: checked with schemas of Kubernetes and Compose, a linter and our configuration."""

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import kubernetes_validate
import pytest
import yaml
from aiohttp.test_utils import TestClient, TestServer

from citestream.providers.retrieval.readers.isolated import MEMORY_BYTES
from citestream.proxy.config import Config, parse
from citestream.proxy.config.loading import load
from citestream.proxy.http.application import make_app
from citestream.proxy.http.document_queue import READERS
from citestream.proxy.observability.metrics import Metrics
from tests.upstreams.postgres import postgres

ROOT = Path(__file__).parents[1]
DEPLOY = ROOT / "deploy"
SERVER_BYTES = 512 * 2**20  # a worker without documents, see docs/operations.md
KUBERNETES = "1.34"  # a common version of clusters; the validator also knows newer ones
MANIFESTS = sorted(set((DEPLOY / "kubernetes").glob("*.yaml")) - {DEPLOY / "kubernetes/kustomization.yaml"})
COMPOSE = sorted(DEPLOY.glob("compose*.yaml"))


def read(file: Path) -> Any:
    return yaml.safe_load(file.read_text("utf-8"))


@pytest.mark.parametrize("manifest", MANIFESTS, ids=lambda file: file.stem)
def test_manifests_are_valid(manifest: Path) -> None:
    kubernetes_validate.validate(read(manifest), KUBERNETES, strict=True)


def test_the_kustomization_lists_all_manifests() -> None:
    listed = read(DEPLOY / "kubernetes/kustomization.yaml")["resources"]
    assert sorted(listed) == [manifest.name for manifest in MANIFESTS]


def test_the_configuration_of_the_cluster_is_valid_and_agrees_with_the_manifests() -> None:
    config = parse(yaml.safe_load(read(DEPLOY / "kubernetes/configmap.yaml")["data"]["config.yaml"]))
    pod = read(DEPLOY / "kubernetes/deployment.yaml")["spec"]["template"]["spec"]
    (container,) = pod["containers"]
    assert container["ports"][0]["containerPort"] == config.server.port
    assert pod["terminationGracePeriodSeconds"] > config.server.drain_seconds
    assert container["readinessProbe"]["timeoutSeconds"] > config.readiness.seconds
    mounted = tuple(mount["mountPath"] for mount in container["volumeMounts"])
    secrets = (config.server.keys[0].file, config.providers["openai"].api_key_file, config.store.api_key_file)
    for file in (*secrets, container["args"][2]):
        assert file.startswith(mounted)
    assert f"uid {pod['securityContext']['runAsUser']} " in (DEPLOY / "Containerfile").read_text("utf-8")


def test_the_pods_of_the_cluster_have_memory_for_the_readers_of_documents() -> None:
    config = parse(yaml.safe_load(read(DEPLOY / "kubernetes/configmap.yaml")["data"]["config.yaml"]))
    (container,) = read(DEPLOY / "kubernetes/deployment.yaml")["spec"]["template"]["spec"]["containers"]
    limit = container["resources"]["limits"]["memory"]
    assert limit.endswith("Gi")
    assert int(limit.removesuffix("Gi")) * 2**30 >= config.server.workers * (SERVER_BYTES + READERS * MEMORY_BYTES)


def test_the_pods_of_the_cluster_can_reach_redis() -> None:
    config = parse(yaml.safe_load(read(DEPLOY / "kubernetes/configmap.yaml")["data"]["config.yaml"]))
    service, pods = read(DEPLOY / "kubernetes/redis-service.yaml"), read(DEPLOY / "kubernetes/redis.yaml")["spec"]
    (port,) = service["spec"]["ports"]
    assert f"redis://{service['metadata']['name']}:{port['port']}/" in config.store.url
    assert pods["template"]["metadata"]["labels"] == service["spec"]["selector"]
    (container,) = pods["template"]["spec"]["containers"]
    assert container["ports"] == [{"name": port["targetPort"], "containerPort": port["port"]}]
    limit = int(container["args"][-1].removesuffix("mb")) * 2**20
    assert limit > 1.5 * config.references.max_bytes, "Redis needs memory for more than the stored answers"
    egress = read(DEPLOY / "kubernetes/network.yaml")["spec"]["egress"]
    assert {"podSelector": {"matchLabels": service["spec"]["selector"]}} in [
        peer for rule in egress for peer in rule["to"]
    ]
    clients = read(DEPLOY / "kubernetes/redis-network.yaml")["spec"]["ingress"][0]["from"][0]["podSelector"]
    ours = read(DEPLOY / "kubernetes/deployment.yaml")["spec"]["template"]["metadata"]["labels"]
    assert clients["matchLabels"].items() <= ours.items()


def test_the_autoscaler_uses_an_existing_metric() -> None:
    (metric,) = read(DEPLOY / "kubernetes/autoscaler.yaml")["spec"]["metrics"]
    assert metric["pods"]["metric"]["name"] in Metrics().labels()


@pytest.mark.parametrize("file", COMPOSE, ids=lambda file: file.stem)
def test_compose_files_are_valid(file: Path) -> None:
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.compose-spec", str(file)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def configured(file: Path) -> Config:
    """Return the configuration from the environment of a compose file. Variables of the host are long enough."""
    environment = read(file)["services"]["citestream"]["environment"]
    given = {
        name: re.sub(r"\$\{\w+(?:[:?-][^}]*)?\}", "0123456789abcdef" * 3, str(value))
        for name, value in environment.items()
    }
    return load(None, environ=given, host="0.0.0.0")


@pytest.mark.parametrize("file", COMPOSE, ids=lambda file: file.stem)
def test_compose_files_set_valid_options(file: Path) -> None:
    config, service = configured(file), read(file)["services"]["citestream"]
    assert config.server.keys
    assert int(service["stop_grace_period"].removesuffix("s")) > config.server.drain_seconds


@pytest.mark.parametrize("file", COMPOSE, ids=lambda file: file.stem)
def test_services_with_dependents_have_a_health_check(file: Path) -> None:
    services = read(file)["services"]
    for service in services.values():
        waited = service.get("depends_on", {})
        for name in waited if isinstance(waited, dict) else {}:
            # The health check of our own image is in the container file.
            assert "healthcheck" in services[name] or "build" in services[name], name


def test_the_example_environment_contains_all_variables_of_the_cluster() -> None:
    used = set(re.findall(r"\$\{(\w+)", (DEPLOY / "compose.cluster.yaml").read_text("utf-8")))
    listed = set(re.findall(r"^(\w+)=$", (DEPLOY / "cluster.env.example").read_text("utf-8"), re.MULTILINE))
    assert listed == used


@pytest.mark.slow
async def test_the_database_role_of_the_cluster_can_search_but_not_change_the_table(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("CITESTREAM_READER_PASSWORD", "it's secret")
    config = configured(DEPLOY / "compose.cluster.yaml").retrievers["documents"].model_dump()
    with postgres() as server:
        server.run((DEPLOY / "postgres.sql").read_text("utf-8"))
        server.run(
            "INSERT INTO evidence (id, document_id, file_name, title, text, page_number) "
            "VALUES ('b#0', 'b', 'bridge.pdf', 'Bridge', 'The Harlan bridge was opened on 4 May 1932.', 12)"
        )
        url = {"url": server.url_of("postgres", role="citestream_reader"), "api_key_env": ""}
        parsed = parse({"providers": {"extractive": {}}, "retrievers": {"documents": config | url}})
        messages = [{"role": "user", "content": "When was the Harlan bridge opened?"}]
        request = {"model": "extractive", "messages": messages}
        async with TestClient(TestServer(make_app(parsed))) as client:
            answer = await client.post("/v1/chat/completions", json=request | {"retrieval": {"source": "documents"}})
            (reference,) = (await answer.json())["references"]
        assert (reference["id"], reference["file_name"], reference["page_number"]) == ("b#0", "bridge.pdf", 12)
        server.run("SET ROLE citestream_reader; DELETE FROM evidence;")
        assert server.run("SELECT count(*) FROM evidence").split()[2] == "1"


def test_the_container_contains_the_optional_packages_of_the_server() -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
    assert extras["server"] == ["citestream[otel,postgres,redis]"]
    assert "--extra server" in (ROOT / "Makefile").read_text("utf-8")


def test_the_container_file_passes_the_linter() -> None:
    linter = Path(sys.executable).with_name("hadolint")
    done = subprocess.run([linter, DEPLOY / "Containerfile"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_dashboard_uses_all_existing_metrics() -> None:
    known = set(Metrics().labels())
    used = re.findall(r"citestream_\w+", (DEPLOY / "grafana.json").read_text("utf-8"))
    assert {re.sub("_(total|bucket|count)$", "", name) for name in used} - {"citestream_"} == known
    assert [panel["id"] for panel in json.loads((DEPLOY / "grafana.json").read_text("utf-8"))["panels"]]
