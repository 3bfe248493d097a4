"""`citestream models`: published checkers from a real hub on this machine, which also breaks."""

import json
import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from click.testing import CliRunner, Result

from citestream.citation import Evidence, Options
from citestream.citation.support.scorers.checker import CheckerWeights
from citestream.providers.judging.checkers import PRESETS
from citestream.providers.judging.cross_encoder import EntailmentModel
from citestream.proxy.cli.checking.labelled_pairs import halves, labelled_pairs
from citestream.proxy.cli.checking.model_check import CHECKER, JUDGE, WORDS, recommendation
from citestream.proxy.cli.checking.model_check import Result as Measurement
from citestream.proxy.cli.commands import main
from citestream.proxy.config import Config, ScoringConfig
from citestream.proxy.pipeline.cite_text import score_text
from citestream.proxy.scorers import Scorers
from tests.conftest import Start
from tests.upstreams.model_hub import COMMIT, NEXT_COMMIT, Fault, Hub, running_hub
from tests.upstreams.onnx_models import config, first_token_model, labels_model, logit_model, tokenizer, write_folder

ROOT = Path(__file__).parents[3]
MODEL = "onnx/model.onnx"
NLI = ("contradiction", "entailment", "neutral")
LARGE = 24 << 20  # bytes: the client of the hub writes 10 MiB at a time, so that half of it is more than one part
PICKLE = {"pytorch_model.bin": b"\x80\x04.", "model.safetensors": b"{}", "README.md": b"# Model"}
SMALL, HHEM = PRESETS["nli-small"], PRESETS["hhem"]


def files(onnx: bytes, *labels: str, path: str = MODEL) -> dict[str, bytes]:
    return {path: onnx, "tokenizer.json": tokenizer(), "config.json": config(*labels), **PICKLE}


@pytest.fixture
def hub() -> Iterator[Hub]:
    models = {
        "tiny/labels": files(labels_model(3, 1), *NLI),
        "tiny/binary": files(labels_model(2, 0), "entailment", "not_entailment", path="onnx/model_quantized.onnx"),
        "tiny/logit": files(logit_model(), path="model.onnx"),
        "tiny/unnamed": files(labels_model(2, 0), "LABEL_0", "LABEL_1"),
        "tiny/pickle": {"tokenizer.json": tokenizer(), "config.json": config(*NLI), **PICKLE},
        "tiny/words": {MODEL: labels_model(3, 1), "config.json": config(*NLI)},
        "tiny/large": files(bytes(LARGE), *NLI),
        SMALL.id: {path: labels_model(3, 1) for path in SMALL.onnx.values()}
        | {"tokenizer.json": tokenizer(), "config.json": config(*NLI)},
        HHEM.id: {"model.onnx": first_token_model(), "tokenizer.json": tokenizer()},
        PRESETS["nli-xsmall"].id: files(labels_model(2, 0), "not_entailment", "entailment"),
    }
    with running_hub(models) as hub:
        yield hub


def environment(hub: Hub, home: Path, **variables: str) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("HF_", "HUGGING"))}
    return {**kept, "HF_HOME": str(home), "HF_ENDPOINT": hub.url, **variables}


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "citestream", *arguments]


def models(hub: Hub, home: Path, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command("models", *arguments),
        cwd=ROOT,
        env=environment(hub, home, **variables),
        capture_output=True,
        text=True,
        check=False,
    )


def folder(home: Path, model: str = "tiny/labels", revision: str = "main") -> Path:
    return home / "citestream" / f"{model.replace('/', '--')}@{revision}"


KINDS: dict[str, tuple[str, str, float]] = {
    "several labels": ("hf:tiny/labels", "tiny/labels@main", 5 - 10 - 0.693),
    "two labels": ("hf:tiny/binary@main", "tiny/binary@main", 5 - 10),
    "one logit": ("hf:tiny/logit", "tiny/logit@main", 5 - 10),
    "labels of every token, with a template": ("hhem", f"{HHEM.id}@{HHEM.revision}", 17 - 10),
}


@pytest.mark.parametrize(("name", "installed", "log_odds"), KINDS.values(), ids=KINDS)
async def test_a_model_of_every_kind_is_downloaded_and_used(
    hub: Hub, tmp_path: Path, name: str, installed: str, log_odds: float
) -> None:
    done = models(hub, tmp_path, "pull", name)
    assert done.returncode == 0, done.stderr
    found = folder(tmp_path, *installed.split("@"))
    assert done.stdout == f"installed in {found}\nuse it with scoring.checker: {name}\n"
    assert {path.name for path in found.iterdir()} <= {"model.onnx", "tokenizer.json", "config.json", "checker.json"}
    assert not {path for path, _ in hub.downloads} & PICKLE.keys()
    model = EntailmentModel(found)
    assert await model.entailed([("the bridge", "is very red")]) == [pytest.approx(log_odds, abs=0.01)]
    await model.aclose()


def test_a_model_is_listed_pulled_again_without_a_download_and_removed(hub: Hub, tmp_path: Path) -> None:
    assert models(hub, tmp_path, "pull", "hf:tiny/labels").returncode == 0
    listed = json.loads(models(hub, tmp_path, "list", "--json").stdout)
    assert [row["name"] for row in listed if row["installed"]] == ["hf:tiny/labels@main"]
    assert [row["name"] for row in listed if not row["installed"]] == list(PRESETS)
    hub.downloads.clear()
    hub.commit = NEXT_COMMIT
    hub.files["tiny/labels"][MODEL] = logit_model()
    assert models(hub, tmp_path, "pull", "hf:tiny/labels").returncode == 0
    assert hub.downloads == [], "the commit of the first download stays until the model is removed"
    recorded = json.loads((folder(tmp_path) / "checker.json").read_text("utf-8"))
    assert (recorded["commit"], recorded["files"]["model.onnx"]["source"]) == (COMMIT, MODEL)
    assert models(hub, tmp_path, "remove", "hf:tiny/labels").stdout.startswith("removed 0.0 MB")
    assert not folder(tmp_path).exists()
    assert "hf:tiny/labels is not installed" in models(hub, tmp_path, "remove", "hf:tiny/labels").stderr


def test_an_interrupted_download_is_continued_by_the_next_command(hub: Hub, tmp_path: Path) -> None:
    hub.faults[MODEL] = Fault.STALL
    pulling = subprocess.Popen(
        command("models", "pull", "hf:tiny/large"),
        cwd=ROOT,
        env=environment(hub, tmp_path),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    parts = folder(tmp_path, "tiny/large")
    while not any(path.stat().st_size for path in parts.glob("model.onnx.*.part")):
        assert pulling.poll() is None
    pulling.kill()
    pulling.wait()
    (part,) = parts.glob("model.onnx.*.part")
    written = part.stat().st_size
    hub.downloads.clear()
    done = models(hub, tmp_path, "pull", "hf:tiny/large")
    assert done.returncode == 0, done.stderr
    assert hub.downloads == [(MODEL, f"bytes={written}-")]
    assert (parts / "model.onnx").stat().st_size == LARGE
    assert [path.name for path in parts.iterdir() if path.suffix == ".part"] == []


def test_a_connection_that_breaks_in_the_middle_is_opened_again(hub: Hub, tmp_path: Path) -> None:
    hub.faults[MODEL] = Fault.HALF
    done = models(hub, tmp_path, "pull", "hf:tiny/large")
    assert done.returncode == 0, done.stderr
    assert hub.downloads[-2:] == [(MODEL, ""), (MODEL, f"bytes={10 << 20}-")]


REFUSED: dict[str, tuple[str, str]] = {
    "a file with another hash than the known one": ("nli-small", "config.json .*SHA-256 .* instead of 885d0dceae8f"),
    "labels in another order than the known one": ("nli-xsmall", "labels of the checker are not_entailment, entailm"),
    "labels without a name for entailment": ("hf:tiny/unnamed", "do not say which one is entailment: LABEL_0, LABEL_1"),
    "no tokenizer": ("hf:tiny/words", "A file of tiny/words is missing on the hub"),
    "no ONNX file": ("hf:tiny/pickle", "publishes no ONNX file"),
    "a model that has to be exported": ("factcg", "publishes no ONNX file. Export it once"),
    "a model that does not exist": ("hf:tiny/nothing", "no model tiny/nothing, or it is not public: HF_TOKEN"),
    "a revision that does not exist": ("hf:tiny/labels@missing", "has no revision missing"),
    "a name that is no model": ("nli-medium", "not the name of a model: it must be hf:"),
}


@pytest.mark.parametrize(("name", "message"), REFUSED.values(), ids=REFUSED)
def test_a_wrong_model_is_refused_in_one_line_and_not_installed(
    hub: Hub, tmp_path: Path, name: str, message: str
) -> None:
    done = models(hub, tmp_path, "pull", name)
    assert done.returncode != 0
    last = done.stderr.splitlines()[-1]
    assert last.startswith("citestream: ")
    assert re.search(message, last), last
    assert not [path for path in tmp_path.rglob("*.onnx") if name != "hf:tiny/words"]


def test_a_full_disk_is_an_error_and_leaves_nothing_that_could_be_used(hub: Hub, tmp_path: Path) -> None:
    hub.faults[MODEL] = Fault.BOUNDLESS
    done = models(hub, tmp_path, "pull", "hf:tiny/labels")
    assert "MB of free space, and 1000000000000 MB are needed" in done.stderr
    hub.faults.clear()
    part = folder(tmp_path) / f"model.onnx.{COMMIT[:12]}.part"
    part.symlink_to("/dev/full")
    done = models(hub, tmp_path, "pull", "hf:tiny/labels")
    assert "No space is left on the disk" in done.stderr
    part.unlink()
    assert not (folder(tmp_path) / "model.onnx").exists()
    assert models(hub, tmp_path, "pull", "hf:tiny/labels").returncode == 0


def test_without_a_network_the_cache_of_other_programs_is_used(hub: Hub, tmp_path: Path) -> None:
    for home, offline in ((tmp_path / "a", "0"), (tmp_path / "b", "1")):
        done = models(hub, home, "pull", "hf:tiny/labels", HF_ENDPOINT="http://127.0.0.1:9", HF_HUB_OFFLINE=offline)
        assert done.returncode == 1
        assert "HF_HUB_OFFLINE" in done.stderr if offline == "1" else "could not be reached" in done.stderr
    snapshot = tmp_path / "hub" / "models--tiny--labels" / "snapshots" / COMMIT
    for path, content in hub.files["tiny/labels"].items():
        (snapshot / path).parent.mkdir(parents=True, exist_ok=True)
        (snapshot / path).write_bytes(content)
    (snapshot.parents[1] / "refs").mkdir()
    (snapshot.parents[1] / "refs" / "main").write_text(COMMIT, "utf-8")
    done = models(hub, tmp_path, "pull", "hf:tiny/labels", HF_HUB_OFFLINE="1")
    assert done.returncode == 0, done.stderr
    assert hub.downloads == []
    assert json.loads((folder(tmp_path) / "checker.json").read_text("utf-8"))["commit"] == COMMIT


def test_a_private_model_needs_the_token(hub: Hub, tmp_path: Path) -> None:
    hub.token = "hf_secret"
    refused = models(hub, tmp_path, "pull", "hf:tiny/labels")
    assert "HF_TOKEN" in refused.stderr
    done = models(hub, tmp_path, "pull", "hf:tiny/labels", HF_TOKEN="hf_secret")
    assert done.returncode == 0, done.stderr
    assert "hf_secret" not in done.stderr + done.stdout


def check(tmp_path: Path, *arguments: str) -> Result:
    """Measure a model of three labels in this process."""
    model = f"onnx:{write_folder(tmp_path, labels_model(3, 1), *NLI)}"
    return CliRunner().invoke(main, ["models", "check", model, *arguments])


def test_a_model_is_measured_on_natural_answers_and_the_result_is_stored(tmp_path: Path) -> None:
    report = json.loads(check(tmp_path, "--sample", "1", "--json").stdout)
    assert report["as_the_judge"]["kept"] > 0.9, "this model finds that every long passage entails everything"
    assert report["as_the_judge"]["removed"] == 0.0
    assert report["as_the_checker"]["milliseconds_per_answer"] > 0
    assert (report["answers"], report["as_the_checker"]["degraded"]) == (1, 0)
    stored = json.loads((tmp_path / "check.json").read_text("utf-8"))
    assert stored == {
        "answers": 1,
        "without": report["words_alone"]["F1"],
        "with_checker": report["as_the_checker"]["F1"],
    }
    table = check(tmp_path, "--sample", "1").stdout
    words = ("of the models", "words alone", "as the checker", "as the judge", "kept", "removed", "ms per answer")
    assert [word for word in words if word not in table] == []


def test_the_weight_of_a_checker_is_fitted_and_stored(tmp_path: Path) -> None:
    assert "needs more answers: " in check(tmp_path, "--sample", "1", "--fit").stderr
    assert check(tmp_path, "--sample", "4", "--fit", "--json").exit_code == 0
    stored = json.loads((tmp_path / "citestream.json").read_text("utf-8"))
    assert stored["first"] > 0
    assert 0 <= stored["entailed"] < 0.275, "a model that counts tokens deserves less weight than one that reads"
    assert stored["provenance"]["answers"] == 4


def test_a_model_that_is_not_installed_cannot_be_measured(tmp_path: Path) -> None:
    done = CliRunner(env={"HF_HOME": str(tmp_path)}).invoke(main, ["models", "check", "nli-small"])
    assert done.exit_code == 1
    assert "is not installed: citestream models pull nli-small" in done.stderr


LONG = "The ferry crosses the fjord every hour, takes forty cars and two hundred people, and needs twenty minutes."
SHORT = "It sails."  # too short for the log odds of this model to be positive


def test_a_server_uses_an_installed_model_as_its_judge(hub: Hub, tmp_path: Path, citestream_server: Start) -> None:
    assert models(hub, tmp_path, "pull", "hf:tiny/labels").returncode == 0
    url = citestream_server({"scoring": {"judge": "hf:tiny/labels", "judge_band": "all"}}, HF_HOME=str(tmp_path))
    body = {
        "text": "The ferry takes forty cars [1]. The boat sails to the island [2].",
        "evidence": [{"id": "long", "text": LONG}, {"id": "short", "text": SHORT}],
    }
    answer = httpx.post(f"{url}/v1/cite", json=body).json()
    assert answer["text"] == "The ferry takes forty cars. [1] The boat sails to the island. [1]"
    judged = answer["grounding"]["judge"]
    assert {name: judged[name] for name in ("confirmed", "refused", "late", "failed")} == {
        "confirmed": 2,
        "refused": 2,
        "late": 0,
        "failed": 0,
    }


def test_a_server_does_not_start_without_a_configured_model(hub: Hub, tmp_path: Path) -> None:
    (tmp_path / "c.yaml").write_text("scoring: {checker: nli-small}", "utf-8")
    done = subprocess.run(
        command("serve", "--port", "0", "--config", str(tmp_path / "c.yaml")),
        cwd=ROOT,
        env=environment(hub, tmp_path),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert "scoring.checker: The model nli-small is not installed: citestream models pull nli-small" in done.stderr
    assert done.stdout == ""


def test_a_server_starts_without_a_model_that_is_not_required(tmp_path: Path, citestream_server: Start) -> None:
    config = {"scoring": {"checker": "nli-small", "checker_required": False}, "citations": {"scorer": "checker"}}
    url = citestream_server(config, HF_HOME=str(tmp_path))
    assert httpx.get(f"{url}/readyz").status_code == 200
    log = (tmp_path / "citestream-0.log").read_text("utf-8")
    assert "verified without the checker: The model nli-small is not installed" in log


OPENED, DEAR = "The harbour bridge was opened in 1932.", "The bridge is dear."
ANSWER = {
    "sentences": [
        {"text": OPENED, "sep": " ", "model_cites": [1], "label": "supported", "gold": [[1]], "also": [3]},
        {"text": DEAR, "sep": "", "model_cites": [], "label": "unrelated"},
    ]
}


async def test_only_labelled_pairs_that_the_checker_read_are_fitted_to(tmp_path: Path) -> None:
    evidence = (
        Evidence(1, "The harbour bridge was built by many and opened in 1932 by the premier.", "a"),
        Evidence(2, "The harbour was opened in 1932.", "b"),
        Evidence(3, "In 1932, the bridge in the harbour was opened.", "c"),
    )
    checker = f"onnx:{write_folder(tmp_path, labels_model(3, 1), *NLI)}"
    weights = CheckerWeights(0.0, 1.0, intercept=0.0, first=1.0, entailed=0.0)
    scorers = Scorers(Config(scoring=ScoringConfig(checker=checker, deadline_seconds=10)), checker_weights=weights)
    options = Options(scorer="checker")
    scored = await score_text(f"{OPENED} {DEAR}", evidence, options, scorers=scorers)
    first, entailed, labels = labelled_pairs(ANSWER, scored)
    assert sorted(labels) == [False, True], "excerpt 3 counts neither way, and the second sentence has no label"
    assert len(first) == len(entailed) == 2
    await scorers.aclose()


HALVES = {
    "whole authors": (["ann", "bob", "ann", "cy"], [0, 1, 0, 0]),
    "every second answer of one author": (["ann", "ann", "ann"], [0, 1, 0]),
}


@pytest.mark.parametrize(("authors", "parts"), HALVES.values(), ids=HALVES)
def test_weights_are_measured_on_answers_to_which_they_were_not_fitted(authors: list[str], parts: list[int]) -> None:
    assert halves([{"author": author} for author in authors]) == parts


def counted(kept: int, removed: int, degraded: int = 0) -> Measurement:
    """Return the result of 100 right and 100 wrong citations."""
    shown = kept + 100 - removed
    right = {"right": kept, "cited": shown, "recalled": kept, "supported": 100, "kept": kept, "model right": 100}
    return Measurement(Counter({**right, "removed": removed, "model wrong": 100}), degraded=degraded)


RECOMMENDATIONS = {
    "it removes more as the judge": ((95, 60), (97, 97), 0, r"Use it \(scoring.judge: nli\): it removes 97% instead"),
    "it removes more as the checker": (
        (97, 97),
        (95, 60),
        0,
        r"Use it \(scoring.checker: nli and citations.s",
    ),
    "it refuses right ones": ((40, 60), (10, 90), 0, "Do not use it: as the checker it removes 60%"),
    "it changes nothing": ((90, 20), (85, 20), 0, "It changes little: as the checker"),
    "it is too slow": ((97, 97), (97, 97), 3, "Not usable as it is: it was too slow or failed in 3 answers"),
}


@pytest.mark.parametrize(("checker", "judge", "degraded", "beginning"), RECOMMENDATIONS.values(), ids=RECOMMENDATIONS)
def test_the_recommendation_names_the_better_role(
    checker: tuple[int, int], judge: tuple[int, int], degraded: int, beginning: str
) -> None:
    results = {WORDS: counted(90, 20), CHECKER: counted(*checker, degraded), JUDGE: counted(*judge, degraded)}
    assert re.match(beginning, recommendation("nli", results))


async def test_a_file_that_changed_after_the_download_is_not_used(hub: Hub, tmp_path: Path) -> None:
    assert models(hub, tmp_path, "pull", "hf:tiny/labels").returncode == 0
    (folder(tmp_path) / "model.onnx").write_bytes(labels_model(3, 2))
    model = EntailmentModel(folder(tmp_path))
    with pytest.raises(Exception, match="has been changed since it was downloaded"):
        await model.entailed([("the bridge", "is red")])
    await model.aclose()
