"""Every fault of a provider that is used as a judge: the text is the same as without a judge."""

from contextlib import aclosing

import pytest

from citestream.citation.answers.response import Response
from citestream.citation.evidence import Evidence
from citestream.citation.options import Options
from citestream.citation.support.judge_prompt import JudgeTemplate
from citestream.citation.support.judging import ALL
from citestream.citation.support.scorers import scorer
from citestream.providers.events import ChatRequest
from citestream.providers.judging.language_model import LanguageModelJudge
from citestream.providers.scripted import ScriptedProvider
from citestream.providers.transport import Timeouts
from citestream.proxy.pipeline.deciding.judge_models import PromptedModel
from citestream.proxy.pipeline.deciding.judging import Judge, JudgeLimits
from citestream.proxy.pipeline.deciding.scoring import ExternalModels, Scoring
from citestream.proxy.pipeline.outgoing import TextOut
from citestream.proxy.pipeline.respond import respond
from tests.faults.dialects import DIALECTS
from tests.faults.framing import chunked
from tests.faults.scenarios import SCENARIOS, Scenario
from tests.providers.recorded_answer import make_provider
from tests.upstreams.wire import Server, script

REQUEST = ChatRequest("scripted", [])
EVIDENCE = (Evidence(1, "The ferry carries 22 cars.", "e1"), Evidence(2, "Bread is baked at night.", "e2"))
DELTAS = ("The ferry carries ", "22 cars. ", "Bread is baked at night.")
LIMITS = JudgeLimits(deadline_seconds=0.5, concurrent_calls=4, calls_per_answer=100, cached_verdicts=0)
SHORT_TIMEOUTS = Timeouts(connect=1.0, first_token=0.3, idle=0.3)
FAULTS = {name: one for name, one in SCENARIOS.items() if "openai" in one.kinds and not one.refused}


async def answer(judge: Judge | None) -> tuple[str, Response]:
    response = Response(EVIDENCE, Options())
    scoring = Scoring(scorer("lexical"), EVIDENCE, ExternalModels(deadline=1.0, judge=judge))
    response.grounding.judging = scoring.judge_report
    texts = []
    async with aclosing(respond(ScriptedProvider(*DELTAS).stream(REQUEST), response, scoring, 20.0)) as batches:
        async for batch in batches:
            texts += [event.text for event in batch if isinstance(event, TextOut)]
    return "".join(texts), response


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
async def test_a_broken_judge_does_not_change_the_text(fault: Scenario) -> None:
    dialect = DIALECTS["openai"]
    steps = (fault.http or chunked)(dialect, fault.body(dialect))
    async with Server(script(*steps)) as server:
        provider = make_provider("openai", server.url, timeouts=SHORT_TIMEOUTS)
        model = PromptedModel(LanguageModelJudge(provider.stream, "judge"), JudgeTemplate.for_model("judge"), b"key")
        text, response = await answer(Judge(model, ALL, LIMITS))
        await provider.aclose()
    expected, _ = await answer(None)
    assert text == expected
    assert response.grounding.degraded
    judging = response.grounding.judging
    assert judging is not None
    assert judging.failed + judging.late + judging.unreadable == judging.calls > 0
