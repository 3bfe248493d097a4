"""`POST /beta/litellm_basic_guardrail_api`: LiteLLM's generic guardrail API.

LiteLLM calls it twice for each completion: with the messages before the model is called, and with the texts of the
answer after that. The second call contains no messages, so the evidence of the first one is stored under the id of
the completion. The references of the answer are stored under the same id, for `GET /v1/references/{id}`.
https://docs.litellm.ai/docs/adding_provider/generic_guardrail_api
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import Any, Final

from aiohttp import web

from citestream.citation.cite import CitedText
from citestream.citation.evidence import Evidence, FieldError
from citestream.citation.options import Options

from ..app import App
from ..http.encoding import json_response_in_steps
from ..http.request_body import hold, read_json
from ..observability.logs import TENANT
from ..pipeline.cite_text import score_text
from ..pipeline.request.job import Job, Retrieval
from ..pipeline.request.long_input import parse_body
from ..pipeline.request.questions import question as question_of
from ..storage import STORED_FIELDS
from .extensions import parse_extensions

Fields = dict[str, Any]

PARAMETERS: Final = "additional_provider_specific_params"
MAX_ID_CHARACTERS: Final = 200  # characters of the id of a completion
MAX_TEXTS: Final = 128  # choices of an answer, or parts of its content
MAX_REPORTED: Final = 3  # unsupported sentences in the reason for blocking an answer
_OWN: Final = ("evidence", "documents", "citations", "retrieval", "fail_under")


@dataclass(frozen=True, slots=True)
class _Parameters:
    """The parameters in LiteLLM's configuration of the guardrail."""

    evidence: tuple[Evidence, ...]
    retrieval: Retrieval
    options: Options
    fail_under: float  # share of supported claims below which an answer is blocked; 0: none is


async def guardrail(request: web.Request, app: App) -> web.Response:
    """Store the evidence of a request, or cite the texts of an answer and block it if too few claims are supported."""
    body = await read_json(request)
    parameters = await parse_body(partial(_parameters, body, app), body, request.content.total_bytes)
    call = body.get("litellm_call_id")
    if not isinstance(call, str | None) or len(call or "") > MAX_ID_CHARACTERS:
        raise FieldError("litellm_call_id", f"must be a string of at most {MAX_ID_CHARACTERS} characters")
    match body.get("input_type"):
        case "request":
            reply = await _receive_request(request, app, body, parameters, call or "")
        case "response":
            reply = await _check_answer(request, app, body, parameters, call or "")
        case _:
            raise FieldError("input_type", "must be request or response")
    hold(request, reply)
    return await json_response_in_steps(reply)


async def _receive_request(request: web.Request, app: App, body: Fields, parameters: _Parameters, call: str) -> Fields:
    """Store the evidence in the messages, or that of a search for the last question."""
    messages = body.get("structured_messages") or []
    if not isinstance(messages, list) or not all(isinstance(message, dict) for message in messages):
        raise FieldError("structured_messages", "must be a list of messages")
    if messages and call:
        job = Job(
            "", messages, evidence=parameters.evidence, retrieval=parameters.retrieval, options=parameters.options
        )
        collected = await app.collect_evidence(job, native=False, from_tools=True)
        fields = {
            "evidence": [asdict(item) for item in collected.evidence],
            "question": (collected.prompt and collected.prompt.question) or question_of(messages),
            "host": collected.prompt is not None,
        }
        app.recent.put(request.get(TENANT, ""), _name(call), fields)
    return {"action": "NONE"}


async def _check_answer(request: web.Request, app: App, body: Fields, parameters: _Parameters, call: str) -> Fields:
    texts = body.get("texts") or []
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts) or len(texts) > MAX_TEXTS:
        raise FieldError("texts", f"must be a list of at most {MAX_TEXTS} strings")
    tenant = request.get(TENANT, "")
    stored = (await app.recent.get(tenant, _name(call)) if call else None) or {}
    evidence = tuple(Evidence(**item) for item in stored.get("evidence", ())) or parameters.evidence
    if not evidence or not parameters.options.enabled:
        return {"action": "NONE"}
    options = replace(parameters.options, numbering="evidence") if stored.get("host") else parameters.options
    cited = [await _cited(app, text, evidence, options, stored.get("question", "")) for text in texts]
    reply: Fields = {"action": "NONE"}
    if cited:
        fields = {key: cited[0].fields[key] for key in STORED_FIELDS if key in cited[0].fields}
        reply |= {key: fields[key] for key in ("references", "grounding")}
        if call:
            app.recent.put(tenant, call, fields)
    if reason := _reason_to_block(cited, parameters.fail_under):
        return reply | {"action": "BLOCKED", "blocked_reason": reason}
    if [answer.text for answer in cited] != texts:
        return reply | {"action": "GUARDRAIL_INTERVENED", "texts": [answer.text for answer in cited]}
    return reply


async def _cited(app: App, text: str, evidence: tuple[Evidence, ...], options: Options, question: str) -> CitedText:
    config = app.config
    scored = await score_text(
        text, evidence, options, config.evidence.labels, app.scorers, config.output.links, question=question
    )
    cited = await scored.cited()
    scored.free()
    return cited


def _parameters(body: Fields, app: App) -> _Parameters:
    """Parse the parameters. Raise FieldError. Those of other guardrails are ignored."""
    raw = body.get(PARAMETERS) or {}
    if not isinstance(raw, dict):
        raise FieldError(PARAMETERS, "must be an object")
    our_parameters = {key: value for key, value in raw.items() if key in _OWN}
    # A guardrail can only change texts, so that the list of references has no other place.
    defaults = replace(app.config.citations, references_in_text=True, explain=False)
    try:
        _, extensions = parse_extensions(our_parameters, defaults, app.config.evidence.limits)
    except FieldError as error:
        raise FieldError(f"{PARAMETERS}.{error.path}", error.message) from None
    share = our_parameters.get("fail_under") or 0.0
    if not isinstance(share, int | float) or isinstance(share, bool) or not 0 <= share <= 1:
        raise FieldError(f"{PARAMETERS}.fail_under", "must be a number from 0 to 1")
    return _Parameters(extensions.evidence, extensions.retrieval, extensions.options, share)


def _reason_to_block(cited: Sequence[CitedText], fail_under: float) -> str:
    """Return why an answer is blocked, "" if it is not."""
    claims = sum(answer.fields["grounding"]["claims"] for answer in cited)
    supported = sum(answer.fields["grounding"]["supported"] for answer in cited)
    if not claims or supported >= fail_under * claims:
        return ""
    sentences = [sentence for answer in cited for sentence in _unsupported(answer.text, answer.fields["grounding"])]
    listed = " ".join(f"“{sentence}”" for sentence in sentences[:MAX_REPORTED])
    return f"The evidence supports {supported} of {claims} claims of the answer. It does not support: {listed}"


def _unsupported(text: str, grounding: Mapping[str, Any]) -> list[str]:
    return [" ".join(text[place["start"] : place["end"]].split()) for place in grounding["unsupported"]]


def _name(call: str) -> str:
    """Return the name under which the evidence of a completion is stored. No id of an answer contains a space."""
    return f"evidence of {call}"
