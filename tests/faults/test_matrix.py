"""Every fault of a provider, in every client API, has the result that docs/faults.md documents."""

from random import Random

import pytest

from tests.faults.clients import CLIENTS, Seen
from tests.faults.dialects import DIALECTS
from tests.faults.framing import CUTS
from tests.faults.judging import NOTHING, judged
from tests.faults.matrix import COLUMNS, PASSED_THROUGH, Cell, closes, column
from tests.faults.scenarios import CITED, HALF, SCENARIOS, Scenario, length
from tests.faults.table import PAGE, of, table, told

EVERY_DAY = ("chat", PASSED_THROUGH)  # the other client APIs only get their bytes from another encoder
PLACES = 8  # positions of a close for each provider and client API


def wrong(cells: dict[str, Cell]) -> dict[str, list[str]]:
    return {fault: cell.wrong for fault, cell in cells.items() if cell.wrong}


@pytest.mark.parametrize("kind", DIALECTS)
@pytest.mark.parametrize(
    "name", [name if name in EVERY_DAY else pytest.param(name, marks=pytest.mark.slow) for name in COLUMNS]
)
async def test_what_arrived_is_delivered_and_no_end_is_invented(kind: str, name: str) -> None:
    cells = await column(kind, name)
    assert wrong(cells) == {}
    page = told(PAGE.read_text("utf-8"))
    shown = {fault: cell.shown for fault, cell in cells.items() if cell.shown != NOTHING}
    assert {fault: of(page[fault, name], kind) for fault in shown} == shown


@pytest.mark.slow
@pytest.mark.parametrize("kind", DIALECTS)
@pytest.mark.parametrize("cut", [cut for cut in CUTS if cut != "as they are written"])
async def test_the_same_however_its_bytes_are_cut(kind: str, cut: str) -> None:
    assert wrong(await column(kind, "chat", CUTS[cut])) == {}


@pytest.mark.slow
@pytest.mark.parametrize("kind", DIALECTS)
async def test_the_same_wherever_the_provider_closes(kind: str) -> None:
    rng = Random(kind)
    for name in COLUMNS:
        assert wrong(await closes(kind, name, rng.sample(range(length(kind) + 1), PLACES))) == {}


def test_the_page_has_every_fault_and_every_client_api() -> None:
    page = told(PAGE.read_text("utf-8"))
    assert list(page) == [(fault, name) for fault in SCENARIOS for name in COLUMNS]
    shown = {
        (kind, name): {fault: Cell(of(page[fault, name], kind)) for fault in SCENARIOS}
        for kind in DIALECTS
        for name in COLUMNS
    }
    assert table(shown) in PAGE.read_text("utf-8")


@pytest.mark.parametrize("page", ["README.md", "docs/benchmarks.md"])
def test_pages_state_the_number_of_faults(page: str) -> None:
    assert f" {len(SCENARIOS)} kinds of provider failure " in (PAGE.parents[1] / page).read_text("utf-8")


LOSSES: dict[str, Seen] = {
    "text is missing": Seen(200, {0: CITED}, error="broke", cited=["bridge"], last=True),
    "text was added": Seen(200, {0: f"{HALF}x"}, error="broke", cited=["bridge"], last=True),
    "no error": Seen(200, {0: HALF}, cited=["bridge"], last=True),
    "an invented stop": Seen(200, {0: HALF}, {"stop"}, "broke", ["bridge"], last=True),
    "no reference": Seen(200, {0: HALF}, error="broke", last=True),
    "another reference": Seen(200, {0: HALF}, error="broke", cited=["other"], last=True),
    "no end of the stream": Seen(200, {0: HALF}, error="broke", cited=["bridge"]),
    "another status": Seen(502, error="broke"),
}


@pytest.mark.parametrize("case", LOSSES)
def test_what_is_lost_of_a_cut_answer_is_noticed(case: str) -> None:
    cut = Scenario(text=HALF, error=True)
    good = Seen(200, {0: f"{CITED} [1] It car"}, error="broke", cited=["bridge"], last=True)
    assert judged(cut, "openai", CLIENTS["chat"], good, b"", {}) == []
    assert judged(cut, "openai", CLIENTS["chat"], LOSSES[case], b"", {})


def test_what_is_lost_of_a_whole_answer_or_a_refusal_is_noticed() -> None:
    answer = Seen(200, {0: f"{CITED} [1] It carries eight tracks."}, {"stop"}, cited=["bridge"], last=True)
    assert judged(Scenario(), "openai", CLIENTS["chat"], answer, b"", {}) == []
    assert judged(Scenario(reason="length"), "openai", CLIENTS["chat"], answer, b"", {})
    assert judged(Scenario(status=429, waits=True), "openai", CLIENTS["chat"], answer, b"", {})
    refused = Seen(429, error="Slow down")
    assert judged(Scenario(status=429, waits=True), "openai", CLIENTS["chat"], refused, b"", {"retry-after": "7"}) == []
    assert judged(Scenario(status=429, waits=True), "openai", CLIENTS["chat"], refused, b"", {}) == [
        "Retry-After is lost"
    ]
    assert judged(Scenario(status=429), "openai", CLIENTS["chat"], refused, b"at host.internal", {})
