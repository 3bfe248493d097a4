"""What deploys it is valid: by the schemas of Kubernetes and Compose, by a linter, and by our own configuration."""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import kubernetes_validate
import pytest
import yaml

from proxy.config import parse
from proxy.config.loading import load
from proxy.metrics import Metrics

ROOT = Path(__file__).parents[1]
DEPLOY = ROOT / "deploy"
KUBERNETES = "1.34"  # what clusters run; the validator knows newer ones too
MANIFESTS = sorted(set((DEPLOY / "kubernetes").glob("*.yaml")) - {DEPLOY / "kubernetes/kustomization.yaml"})
COMPOSE = sorted(DEPLOY.glob("compose*.yaml"))


def read(file: Path) -> Any:
    return yaml.safe_load(file.read_text("utf-8"))


@pytest.mark.parametrize("manifest", MANIFESTS, ids=lambda file: file.stem)
def test_manifests_are_valid(manifest: Path) -> None:
    kubernetes_validate.validate(read(manifest), KUBERNETES, strict=True)


def test_every_manifest_is_applied_and_nothing_else() -> None:
    listed = read(DEPLOY / "kubernetes/kustomization.yaml")["resources"]
    assert sorted(listed) == [manifest.name for manifest in MANIFESTS]


def test_the_cluster_s_configuration_is_valid_and_agrees_with_the_manifests() -> None:
    config = parse(yaml.safe_load(read(DEPLOY / "kubernetes/configmap.yaml")["data"]["config.yaml"]))
    pod = read(DEPLOY / "kubernetes/deployment.yaml")["spec"]["template"]["spec"]
    (container,) = pod["containers"]
    assert container["ports"][0]["containerPort"] == config.server.port
    assert pod["terminationGracePeriodSeconds"] > config.server.drain_seconds
    assert container["readinessProbe"]["timeoutSeconds"] > config.readiness.seconds
    mounted = tuple(mount["mountPath"] for mount in container["volumeMounts"])
    for file in (config.server.keys[0].file, config.providers["openai"].api_key_file, container["args"][2]):
        assert file.startswith(mounted)
    assert f"uid {pod['securityContext']['runAsUser']} " in (DEPLOY / "Containerfile").read_text("utf-8")


@pytest.mark.parametrize("file", COMPOSE, ids=lambda file: file.stem)
def test_compose_files_are_valid(file: Path) -> None:
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.compose-spec", str(file)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("file", COMPOSE, ids=lambda file: file.stem)
def test_what_compose_files_set_are_options(file: Path) -> None:
    environment = read(file)["services"]["citestream"]["environment"]
    given = {name: re.sub(r"\$\{\w+(?:[:?-][^}]*)?\}", "value", str(value)) for name, value in environment.items()}
    config = load(None, environ=given, host="0.0.0.0")
    assert config.server.keys


def test_the_container_file_passes_the_linter() -> None:
    linter = Path(sys.executable).with_name("hadolint")
    done = subprocess.run([linter, DEPLOY / "Containerfile"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_dashboard_asks_for_metrics_that_there_are() -> None:
    known = set(Metrics().labels())
    asked = re.findall(r"citestream_\w+", (DEPLOY / "grafana.json").read_text("utf-8"))
    assert {re.sub("_(total|bucket|count)$", "", name) for name in asked} - {"citestream_"} == known
    assert [panel["id"] for panel in json.loads((DEPLOY / "grafana.json").read_text("utf-8"))["panels"]]
