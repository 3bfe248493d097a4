"""The store of an answer with many references: the work for each new reference does not grow with their number."""

import pytest

from citestream.citation.answers.response import Response
from citestream.citation.evidence import Evidence
from citestream.citation.options import Options
from citestream.citation.references import Span
from citestream.citation.support.decision import Status
from citestream.providers.events import Finish
from citestream.proxy.config import Config
from citestream.proxy.passages import PassageRecorder
from citestream.proxy.passages.passage_links import ENTRY_PASSAGES, STORED_AS, entry_name
from citestream.proxy.pipeline.completion_chunks import Chunks
from citestream.proxy.pipeline.outgoing import TextOut
from citestream.proxy.storage import RecentReferences

COUNT = 200


class Counting(RecentReferences):
    """Counts the passages that are stored."""

    passages = 0

    def put(self, client: str, name: str, fields: dict[str, list[object]]) -> None:
        self.passages += len(fields["passages"])
        super().put(client, name, fields)


@pytest.mark.parametrize("order", [range(1, COUNT + 1), range(COUNT, 0, -1)], ids=["in order", "in reverse order"])
async def test_each_new_reference_stores_a_bounded_number_of_passages(order: range) -> None:
    evidence = [Evidence(number, f"The lamp {number} is lit.", id=f"e{number}") for number in range(1, COUNT + 1)]
    response = Response(evidence, Options())
    recent = Counting(Config().references)
    recorder = PassageRecorder(recent, Chunks(response, usage=False, passage_token="token"))
    for number in order:
        response.references.add(number, Span(0, number, number + 1, 0.9, Status.ADDED, (0, 1), (0, 8)))
        recorder.observe(TextOut(0, "It is lit. ", {}), [])
        stored = await recent.get(STORED_AS, entry_name("token", number))
        assert stored is not None
        assert evidence[number - 1].text in [one["text"] for one in stored["passages"]]
    assert recent.passages <= COUNT * (ENTRY_PASSAGES + 1) / 2
    recorder.observe(Finish(0, "stop", {}), [])
    assert recent.passages <= COUNT * (ENTRY_PASSAGES + 1) / 2 + COUNT
    recent.close()
