"""Check that the programs of the documentation run and that its tables agree with the code."""

import importlib.util
import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest
import yaml

from citestream.citation import Evidence, Options, cite
from citestream.citation.dialects import Dialect
from citestream.citation.references import References
from citestream.citation.support.scorers import SCORERS
from citestream.providers.events import ChatRequest, Finish, TextDelta
from citestream.providers.judging.checkers.model_format import read_format
from citestream.providers.retrieval import RETRIEVERS
from citestream.providers.retrieval.http.presets import PRESETS
from citestream.providers.retrieval.readers import READERS
from citestream.proxy.config import load, parse
from citestream.proxy.observability.metrics import Metrics
from tests.citation.support.gates.refusals import refusal_of
from tests.conftest import Start
from tests.upstreams.servers import STREAMS

DOCS = Path(__file__).parents[1] / "docs"


def programs(page: str) -> list[str]:
    """Return the Python programs of a page, in order."""
    return re.findall(r"```python\n(.*?)```", (DOCS / page).read_text("utf-8"), re.DOTALL)


def run(program: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=DOCS.parent, check=True, capture_output=True, text=True, timeout=60
    )
    return done.stdout


def module(program: str, name: str, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """Return a module with this name and the code of a page."""
    made = ModuleType(name)
    made.__package__ = name.rpartition(".")[0]
    exec(compile(program, name, "exec"), made.__dict__)  # noqa: S102 - our own page
    monkeypatch.setitem(sys.modules, name, made)
    return made


def test_the_first_program_prints_a_cited_answer(citestream_server: Start) -> None:
    (program,) = programs("start.md")
    output = run(program.replace("http://127.0.0.1:8787", citestream_server()))
    assert output.startswith("The Harlan bridge was opened on 4 May 1932. [1]\n[1] bridge.md: The Harlan bridge")


def test_every_format_with_a_reader_is_described() -> None:
    page = (DOCS / "documents.md").read_text("utf-8")
    assert [suffix for suffix in READERS if f"`{suffix}`" not in page and suffix] == []


def test_the_format_of_a_checker_in_the_page_is_read(tmp_path: Path) -> None:
    (block,) = re.findall(r'```json\n(\{"labels".*?)```', (DOCS / "verify.md").read_text("utf-8"), re.DOTALL)
    (tmp_path / "checker.json").write_text(block)
    described = read_format(tmp_path)
    assert described.entailment_index == 1
    assert described.text("It is red.", "It is blue.").startswith("It is red.\n\nChoose your answer")


def test_the_library_does_what_its_page_says() -> None:
    cited, streamed = map(run, programs("library.md"))
    assert cited.startswith("The bridge was opened in 1932. [1] It carries four lanes.\nThe Harlan bridge was opened")
    assert "1 refused" in cited
    assert len([line for line in programs("library.md")[0].splitlines() if line]) == 10, "the example is short"
    assert streamed.startswith("Water boils at 100 °C. [1] It is wet.\n[{'number': 1,")


def test_the_traced_sentences_are_decided_as_their_page_says(tmp_path: Path) -> None:
    page = (DOCS / "attribution.md").read_text("utf-8")
    (text,) = re.findall(r'`b.md`: "(.*?)" The model', page.replace("\n", " "))
    (command,) = re.findall(r"\$ citestream (cite .*)", page)
    (tmp_path / "b.md").write_text(f"# The bridge\n\n{text}\n")
    arguments = [sys.executable, "-m", "citestream", *shlex.split(command)]
    environment = {**os.environ, "PYTHONPATH": str(DOCS.parent)}
    output = subprocess.run(arguments, cwd=tmp_path, env=environment, check=True, capture_output=True, text=True).stdout
    rows = re.findall(r"^\| (.+?\.) \| (\d\.\d\d) \| (\d\.\d\d) \| (.+?) \|$", page, re.MULTILINE)
    assert len(rows) == 4
    for sentence, words, support, decided in rows:
        explained = output[output.rindex(f"\n{sentence}\n") :].splitlines()[3].split()
        assert explained[:2] == [support, words], sentence
        assert " ".join(explained).find(decided) > 0, sentence


def test_the_example_of_each_refusal_reason_is_refused_for_that_reason() -> None:
    page = (DOCS / "attribution.md").read_text("utf-8")
    table = page.split("| reason | example of a claim | passage |\n|---|---|---|\n")[1].split("\n\n")[0]
    reason = ""
    for row in table.splitlines():
        named, claim, passage = (cell.strip(" `") for cell in row.strip("|").split("|"))
        reason = named or reason
        refusal = refusal_of(passage, claim)
        assert refusal is not None, claim
        assert refusal.reason == reason, claim


def test_the_readme_has_the_figures_of_the_page_on_quality() -> None:
    page = (DOCS / "quality.md").read_text("utf-8")
    readme = (DOCS.parent / "README.md").read_text("utf-8")
    table = re.findall(r"^\| author \| .*\n(?:\|.*\n)+", page, re.MULTILINE)[0]
    assert table in readme
    (cited,) = re.findall(r"\*\*whole documents, held out\*\* \| (\d+) of 142", page)
    assert f"{int(cited) / 142:.0%}".replace("%", " %") in readme


def test_the_labelled_record_of_the_page_can_be_measured(tmp_path: Path) -> None:
    (record,) = re.findall(r"```json\n(.*?)```", (DOCS / "benchmarks.md").read_text("utf-8"), re.DOTALL)
    (tmp_path / "data.jsonl").write_text(record.replace("\n", ""))
    command = [sys.executable, "-m", "citestream", "eval", str(tmp_path / "data.jsonl"), "--json"]
    output = subprocess.run(command, cwd=DOCS.parent, check=True, capture_output=True, text=True, timeout=60).stdout
    quality = json.loads(output)["quality"]["ALL"]
    assert (quality["supported"], quality["unsupported"], quality["f1"]) == (1, 1, 1.0)


def test_the_scorer_of_the_page_cites_quotations(monkeypatch: pytest.MonkeyPatch) -> None:
    module(programs("extend.md")[0], "citestream.citation.support.scorers.verbatim", monkeypatch)
    monkeypatch.setitem(SCORERS, "verbatim", "citestream.citation.support.scorers.verbatim:VerbatimScorer")
    evidence = [Evidence(1, "It was long ago. The bridge is red, they say.", "e1"), Evidence(2, "Red bridges.", "e2")]
    cited = cite("The bridge is red. The bridge looks red.", evidence, Options(scorer="verbatim"))
    assert cited.text == "The bridge is red. [1] The bridge looks red."
    assert cited.fields["references"][0]["snippet"] == "The bridge is red"


def test_the_dialect_of_the_page_adds_its_field(monkeypatch: pytest.MonkeyPatch) -> None:
    made = module(programs("extend.md")[1], "citestream.citation.dialects.footnotes", monkeypatch)
    dialect: Dialect = made.DIALECT
    references = References([Evidence(1, "It is red.", "e1", url="https://example.org/a")])
    assert dialect.finish(references, 0) == {"footnotes": {}}
    cited = cite("It is red.", [Evidence(1, "It is red.", "e1")], Options(**dialect.options))
    assert cited.text == "It is red [1]."


async def test_the_provider_of_the_page_streams(monkeypatch: pytest.MonkeyPatch) -> None:
    made = module(programs("extend.md")[2], "citestream.providers.echo", monkeypatch)
    events = [event async for event in made.EchoProvider().stream(ChatRequest("echo", [], question="Is it red?"))]
    assert "".join(event.text for event in events if isinstance(event, TextDelta)) == "Is it red? "
    assert isinstance(events[-1], Finish)


def test_every_row_of_the_comparison_has_its_sources() -> None:
    page, _, sources = (DOCS / "compare.md").read_text("utf-8").partition("## Sources")
    products = page.partition("## Published figures")[0]
    compared = re.findall(r"^\| (\w[^|]*?) \|", products, re.MULTILINE)
    assert compared == [name for name, _ in re.findall(r"^- ([^:]+):[^-]*?(https://)", sources, re.MULTILINE)]


def test_every_metric_is_documented() -> None:
    page = (DOCS / "operations.md").read_text("utf-8")
    rows = re.findall(r"^\| `(citestream_\w+)` \|([\w, ]*)\|", page, re.MULTILINE)
    documented = {name.removesuffix("_total"): tuple(filter(None, labels.strip().split(", "))) for name, labels in rows}
    assert documented == Metrics().labels()


def test_the_retrievers_of_the_page_can_be_configured() -> None:
    page = (DOCS / "evidence.md").read_text("utf-8")
    examples = [yaml.safe_load(example) for example in re.findall(r"```yaml\n(.*?)```", page, re.DOTALL)]
    kinds = {one.kind for example in examples for one in parse(example).retrievers.values()}
    assert kinds == RETRIEVERS.keys()
    presets = {name for row in re.findall(r"^\| (`[^|]+) \| `POST", page, re.MULTILINE) for name in row.split(", ")}
    assert {name.strip("`") for name in presets} == {name for name in PRESETS if name}


def test_every_configuration_of_the_providers_page_loads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = (DOCS / "providers.md").read_text("utf-8")
    configurations = re.findall(r"```yaml\n(.*?)```", page, re.DOTALL)
    for name in re.findall(r"\$\{(\w+)\}", page):
        monkeypatch.setenv(name, "sk-1234")
    for number, text in enumerate(configurations):
        file = tmp_path / f"{number}.yaml"
        file.write_text(text, "utf-8")
        assert load(str(file)).providers
    kinds = set(re.findall(r"^## (.+)$", page, re.MULTILINE))
    assert len(configurations) == len(kinds) == 9


def test_the_providers_page_lists_every_server_whose_stream_is_tested() -> None:
    page = (DOCS / "providers.md").read_text("utf-8")
    assert re.findall(r"^\| ((?!server)[^|-].*?) \|", page, re.MULTILINE) == list(STREAMS)


def test_the_page_of_options_has_every_option() -> None:
    spec = importlib.util.spec_from_file_location("generate_configuration", DOCS / "generate_configuration.py")
    assert spec is not None
    assert spec.loader is not None
    generate = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(generate)
    page = generate.page()
    for option in ("server.keys[].sha256", "providers.NAME.timeouts.idle", "citations.explain", "log.level"):
        assert f"| `{option}` |" in page


@pytest.mark.parametrize("page", sorted(path.name for path in DOCS.glob("*.md")))
def test_every_test_that_a_page_names_exists(page: str) -> None:
    named = re.findall(r"`(tests/[\w./-]+)(?:::(\w+))?`", (DOCS / page).read_text("utf-8"))
    for path, function in named:
        assert (DOCS.parent / path).exists(), path
        assert not function or f"def {function}(" in (DOCS.parent / path).read_text("utf-8"), function
    assert named or page not in ("security.md", "operations.md", "evidence.md", "faults.md")


@pytest.mark.parametrize("page", ["operations.md", "evidence.md"])
def test_every_section_names_the_tests_of_its_claims(page: str) -> None:
    text, _, table = (DOCS / page).read_text("utf-8").partition("\n## Tests\n")
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in table.splitlines()
        if line[:3] in ("| [", "|  ")
    ]
    sections = [re.sub(r"\[(.*)\]\(#.*\)", r"\1", row[0]) for row in rows if row[0]]
    assert set(re.findall(r"^## (.+)$", text, re.MULTILINE)) <= set(sections)
    for _, claim, status, tests in rows:
        assert status.startswith(("tested", "mitigated", "measured")), claim
        assert all(name.startswith("`tests/") for name in tests.split(", ")) or status == "measured", claim
