"""Every fault of a provider, in every client API, has the result that docs/faults.md documents."""

from random import Random

import pytest

from tests.faults.checks import NOTHING, check
from tests.faults.clients import CLIENTS, Received
from tests.faults.dialects import DIALECTS
from tests.faults.framing import SPLITS
from tests.faults.matrix import COLUMNS, PASSED_THROUGH, Cell, closes, column
from tests.faults.scenarios import CITED, HALF, SCENARIOS, Scenario, length
from tests.faults.table import PAGE, documented_result, documented_results, table

FAST = ("chat", PASSED_THROUGH)  # the other client APIs differ only in their encoder
CLOSES = 8  # positions of a close for each provider and client API


def errors(cells: dict[str, Cell]) -> dict[str, list[str]]:
    return {fault: cell.errors for fault, cell in cells.items() if cell.errors}


@pytest.mark.parametrize("kind", DIALECTS)
@pytest.mark.parametrize(
    "name", [name if name in FAST else pytest.param(name, marks=pytest.mark.slow) for name in COLUMNS]
)
async def test_every_fault_has_the_documented_result(kind: str, name: str) -> None:
    cells = await column(kind, name)
    assert errors(cells) == {}
    page = documented_results(PAGE.read_text("utf-8"))
    shown = {fault: cell.shown for fault, cell in cells.items() if cell.shown != NOTHING}
    assert {fault: documented_result(page[fault, name], kind) for fault in shown} == shown


@pytest.mark.slow
@pytest.mark.parametrize("kind", DIALECTS)
@pytest.mark.parametrize("split", [name for name in SPLITS if name != "as they are written"])
async def test_splitting_the_bytes_does_not_change_the_result(kind: str, split: str) -> None:
    assert errors(await column(kind, "chat", SPLITS[split])) == {}


@pytest.mark.slow
@pytest.mark.parametrize("kind", DIALECTS)
async def test_a_close_after_any_byte_has_the_expected_result(kind: str) -> None:
    rng = Random(kind)
    for name in COLUMNS:
        assert errors(await closes(kind, name, rng.sample(range(length(kind) + 1), CLOSES))) == {}


def test_the_page_has_every_fault_and_every_client_api() -> None:
    page = documented_results(PAGE.read_text("utf-8"))
    assert list(page) == [(fault, name) for fault in SCENARIOS for name in COLUMNS]
    shown = {
        (kind, name): {fault: Cell(documented_result(page[fault, name], kind)) for fault in SCENARIOS}
        for kind in DIALECTS
        for name in COLUMNS
    }
    assert table(shown) in PAGE.read_text("utf-8")


@pytest.mark.parametrize("page", ["README.md", "docs/benchmarks.md"])
def test_pages_state_the_number_of_faults(page: str) -> None:
    assert f" {len(SCENARIOS)} kinds of provider failure " in (PAGE.parents[1] / page).read_text("utf-8")


DEFECTS: dict[str, Received] = {
    "text is missing": Received(200, {0: CITED}, error="broke", cited=["bridge"], ended=True),
    "text was added": Received(200, {0: f"{HALF}x"}, error="broke", cited=["bridge"], ended=True),
    "no error": Received(200, {0: HALF}, cited=["bridge"], ended=True),
    "a finish reason that was not sent": Received(200, {0: HALF}, {"stop"}, "broke", ["bridge"], ended=True),
    "no reference": Received(200, {0: HALF}, error="broke", ended=True),
    "another reference": Received(200, {0: HALF}, error="broke", cited=["other"], ended=True),
    "no end marker": Received(200, {0: HALF}, error="broke", cited=["bridge"]),
    "another status": Received(502, error="broke"),
}


@pytest.mark.parametrize("case", DEFECTS)
def test_the_check_reports_defects_of_an_incomplete_answer(case: str) -> None:
    cut = Scenario(text=HALF, error=True)
    good = Received(200, {0: f"{CITED} [1] It car"}, error="broke", cited=["bridge"], ended=True)
    assert check(cut, "openai", CLIENTS["chat"], good, b"", {}) == []
    assert check(cut, "openai", CLIENTS["chat"], DEFECTS[case], b"", {})


def test_the_check_reports_defects_of_a_complete_answer_and_of_an_error() -> None:
    answer = Received(200, {0: f"{CITED} [1] It carries eight tracks."}, {"stop"}, cited=["bridge"], ended=True)
    assert check(Scenario(), "openai", CLIENTS["chat"], answer, b"", {}) == []
    assert check(Scenario(reason="length"), "openai", CLIENTS["chat"], answer, b"", {})
    assert check(Scenario(status=429, retry_after=True), "openai", CLIENTS["chat"], answer, b"", {})
    refused = Received(429, error="Slow down")
    assert (
        check(Scenario(status=429, retry_after=True), "openai", CLIENTS["chat"], refused, b"", {"retry-after": "7"})
        == []
    )
    assert check(Scenario(status=429, retry_after=True), "openai", CLIENTS["chat"], refused, b"", {}) == [
        "Retry-After is missing"
    ]
    assert check(Scenario(status=429), "openai", CLIENTS["chat"], refused, b"at host.internal", {})
