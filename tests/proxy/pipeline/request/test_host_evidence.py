"""Evidence in the prompts of RAG hosts, through a real server with OpenAI's client."""

import asyncio
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, cast

import pytest
import yaml
from openai import OpenAI as Client

from citestream.citation.evidence.hosts import Refusal
from citestream.proxy.config import EvidenceConfig
from citestream.proxy.pipeline.request.host_evidence import host_evidence
from citestream.proxy.pipeline.request.job import JobEvidence
from citestream.proxy.pipeline.request.long_input import is_long
from tests.citation.evidence.hosts.prompts import (
    AZURE_SYSTEM,
    AZURE_USER,
    FERRY,
    GOLDEN,
    HARBOUR,
    OPEN_WEBUI,
    OPEN_WEBUI_ONE_FILE,
    QUESTION,
    RAGFLOW,
    Messages,
    system,
    user,
)
from tests.citation.evidence.hosts.tool_prompts import TOOL_GOLDEN
from tests.conftest import launched
from tests.upstreams.openai import KEY, OpenAI
from tests.upstreams.wire import Server, serving

SAILING = "The Norland ferry sails every 40 minutes in summer."
SECOND_CHUNK = f'<source id="1" name="ferries.md" resource-type="file" resource-id="u1">{SAILING}</source>\n'
SHARED_LABEL = [user(OPEN_WEBUI.replace('<source id="2"', f'{SECOND_CHUNK}<source id="2"'))]
RAGFLOW_PROMPT = [system(RAGFLOW), user(QUESTION)]
AZURE_PROMPT = [system(AZURE_SYSTEM), user(AZURE_USER)]
ANYTHINGLLM_PROMPT = GOLDEN["AnythingLLM ends its system message with the context"].messages
CALL = {"id": "c1", "type": "function", "function": {"name": "file_search", "arguments": "{}"}}
LIBRECHAT_USER, LIBRECHAT_RESULT = GOLDEN["LibreChat's file search gives anchors"].messages
LIBRECHAT_PROMPT = [LIBRECHAT_USER, {"role": "assistant", "content": None, "tool_calls": [CALL]}, LIBRECHAT_RESULT]
PRIVATEGPT_USER, PRIVATEGPT_RESULT = GOLDEN["PrivateGPT lists citation identifiers"].messages
PRIVATEGPT_PROMPT = [PRIVATEGPT_USER, {"role": "assistant", "content": None, "tool_calls": [CALL]}, PRIVATEGPT_RESULT]
UPLOADS_PROMPT = GOLDEN["LibreChat groups the passages of its uploads by file"].messages
FENCED = [user(f"[[context]]\n{FERRY}\n\n{HARBOUR}\n[[end]]\n{QUESTION}")]

CARS = FERRY.removesuffix(".")
DREDGED = HARBOUR.removesuffix(".")


def tool_results(name: str) -> Messages:
    """Return the conversation of a host, with the id of the call in each result."""
    messages = TOOL_GOLDEN[name].messages
    calls = iter([call["id"] for message in messages for call in message.get("tool_calls", ())])
    return [{**one, "tool_call_id": next(calls)} if one["role"] == "tool" else one for one in messages]


@dataclass(frozen=True)
class Case:
    """The prompt of a host, the answer of the model, and the expected answer to the host."""

    messages: Messages
    model_answer: str
    shown: str
    host: str
    labels: tuple[str | None, ...] = ()  # labels of the references


CASES = {
    "Open WebUI: a right marker stays": Case(SHARED_LABEL, f"{CARS} [1].", f"{FERRY} [1]", "open-webui", ("1",)),
    "Open WebUI: the second chunk of a file has the label of the first": Case(
        SHARED_LABEL, f"{SAILING} {HARBOUR}", f"{SAILING} [1] {HARBOUR} [2]", "open-webui", ("1", "2")
    ),
    "Open WebUI: two chunks of a file that support a sentence have one marker": Case(
        [user(OPEN_WEBUI_ONE_FILE.replace(HARBOUR, FERRY))],
        f"{CARS} [1].",
        f"{FERRY} [1]",
        "open-webui",
        ("1", "1"),
    ),
    "Open WebUI: a wrong marker is removed and the right one added": Case(
        SHARED_LABEL, f"{DREDGED} [1].", f"{HARBOUR} [2]", "open-webui", ("2",)
    ),
    "Open WebUI: of several markers the right ones stay": Case(
        SHARED_LABEL, f"{CARS} [1][2]. {DREDGED} [1, 2].", f"{FERRY} [1] {HARBOUR} [2]", "open-webui", ("1", "2")
    ),
    "Open WebUI: a label that no passage has is removed": Case(
        SHARED_LABEL,
        "The captain likes green tea with lemon [7].",
        "The captain likes green tea with lemon.",
        "open-webui",
    ),
    "RAGFlow: labels begin at 0": Case(
        RAGFLOW_PROMPT, f"{CARS} [ID:0]. {DREDGED} [ID:0].", f"{FERRY} [ID:0] {HARBOUR} [ID:1]", "ragflow", ("0", "1")
    ),
    "azure-search-openai-demo: labels are names": Case(
        AZURE_PROMPT,
        f"{CARS} [a.pdf#page=2][b.pdf#page=7]. {HARBOUR}",
        f"{FERRY} [a.pdf#page=2] {HARBOUR} [b.pdf#page=7]",
        "azure-search-openai-demo",
        ("a.pdf#page=2", "b.pdf#page=7"),
    ),
    "azure-search-openai-demo: labels directly behind the full stop": Case(
        AZURE_PROMPT,
        f"{FERRY}[a.pdf#page=2] {HARBOUR} [b.pdf#page=7] Good.",
        f"{FERRY} [a.pdf#page=2] {HARBOUR} [b.pdf#page=7] Good.",
        "azure-search-openai-demo",
        ("a.pdf#page=2", "b.pdf#page=7"),
    ),
    "azure-search-openai-demo: a file that is not among the sources": Case(
        AZURE_PROMPT,
        f"{CARS} [c.pdf#page=9]. The captain likes tea [c d.docx] and [sic] rum.",
        f"{FERRY} [a.pdf#page=2] The captain likes tea and [sic] rum.",
        "azure-search-openai-demo",
        ("a.pdf#page=2",),
    ),
    "azure-search-openai-demo: brackets around numbers and abbreviations": Case(
        AZURE_PROMPT,
        f"{FERRY} [a.pdf#page=2] The captain of the [U.S] ship likes [1.2, 3.4] litres of tea and [0.5] of rum.",
        f"{FERRY} [a.pdf#page=2] The captain of the [U.S] ship likes [1.2, 3.4] litres of tea and [0.5] of rum.",
        "azure-search-openai-demo",
        ("a.pdf#page=2",),
    ),
    "PrivateGPT: identifiers behind the full stop, and an unknown one": Case(
        PRIVATEGPT_PROMPT,
        f"{FERRY}[AB12] {HARBOUR} [AB12] [XY99] The road [A1] is closed.",
        f"{FERRY} [AB12] {HARBOUR} [CD34] The road [A1] is closed.",
        "privategpt",
        ("AB12", "CD34"),
    ),
    "LibreChat: anchors as characters or as escapes are written as in the tool result": Case(
        LIBRECHAT_PROMPT,
        f"{CARS} \ue202turn0file1. {DREDGED} \\ue202turn0file1.",
        f"{FERRY} \\ue202turn0file0 {HARBOUR} \\ue202turn0file1",
        "librechat",
        ("\\ue202turn0file0", "\\ue202turn0file1"),
    ),
    "LibreChat: anchors behind the full stop": Case(
        LIBRECHAT_PROMPT,
        f"{FERRY}\ue202turn0file0 {HARBOUR}\\ue202turn0file0 Good.",
        f"{FERRY} \\ue202turn0file0 {HARBOUR} \\ue202turn0file1 Good.",
        "librechat",
        ("\\ue202turn0file0", "\\ue202turn0file1"),
    ),
    "LibreChat: anchors in a group": Case(
        LIBRECHAT_PROMPT,
        f"{CARS} \ue200\ue202turn0file0\ue202turn0file1\ue201.",
        f"{FERRY} \\ue202turn0file0",
        "librechat",
        ("\\ue202turn0file0",),
    ),
    "LibreChat: an anchor of another search is left alone": Case(
        LIBRECHAT_PROMPT,
        "The captain likes green tea \ue202turn0search3.",
        "The captain likes green tea \ue202turn0search3.",
        "librechat",
    ),
    "LibreChat: anchors of a web search": Case(
        tool_results("LibreChat's web search"),
        f"{CARS} \ue202turn0search1. {HARBOUR}",
        f"{FERRY} \\ue202turn0search0 {HARBOUR} \\ue202turn0search1",
        "librechat",
        ("\\ue202turn0search0", "\\ue202turn0search1"),
    ),
    "Open WebUI: results of native tools have the labels of its sources": Case(
        tool_results("Open WebUI searches a knowledge base"),
        f"{CARS} [2]. {DREDGED} [2].",
        f"{FERRY} [1] {HARBOUR} [2]",
        "open-webui",
        ("1", "2"),
    ),
    "Onyx: results of several calls": Case(
        tool_results("Onyx numbers over all calls"),
        f"{CARS} [1][2]. {DREDGED} [[2]].",
        f"{FERRY} [1] {HARBOUR} [2]",
        "onyx",
        ("1", "2"),
    ),
    "Morphic: links to calls": Case(
        tool_results("Morphic numbers each call and links to it"),
        f"{CARS} [1](#call_1). {DREDGED} [2](#call_2). I like tea [3](#call_7).",
        f"{FERRY} [1](#call_1) {HARBOUR} [1](#call_2) I like tea.",
        "morphic",
        ("[1](#call_1)", "[1](#call_2)"),
    ),
    "Morphic: links directly behind the full stop": Case(
        tool_results("Morphic numbers each call and links to it"),
        f"{FERRY}[1](#call_1) {HARBOUR}[1](#call_2) Good.",
        f"{FERRY} [1](#call_1) {HARBOUR} [1](#call_2) Good.",
        "morphic",
        ("[1](#call_1)", "[1](#call_2)"),
    ),
    "AnythingLLM asks for no markers and gets none": Case(
        ANYTHINGLLM_PROMPT, f"{CARS} [CONTEXT 1]. {HARBOUR}", f"{FERRY} {HARBOUR}", "anythingllm", ("0", "1")
    ),
    "a host without labels: the text is left alone": Case(
        UPLOADS_PROMPT, f"{CARS} [1]. {HARBOUR}", f"{CARS} [1]. {HARBOUR}", "librechat", (None, None)
    ),
}


@dataclass(frozen=True)
class Proxy:
    """A server, and the model behind it."""

    client: Client
    model: OpenAI
    upstream: Server

    def ask(self, messages: Messages, model_answer: str, *, stream: bool, **extra: Any) -> tuple[str, dict[str, Any]]:
        """Return the text and the other fields. The model sends the answer in pieces of five characters."""
        self.model.answer = [model_answer[at : at + 5] for at in range(0, len(model_answer), 5)]
        create = self.client.chat.completions.create
        if not stream:
            body = create(model="openai/m", messages=cast("Any", messages), extra_body=extra).model_dump()
            return body["choices"][0]["message"]["content"], body | body["choices"][0]["message"]
        text, fields = "", dict[str, Any]()
        for event in create(model="openai/m", messages=cast("Any", messages), stream=True, extra_body=extra):
            chunk = event.model_dump()
            text += chunk["choices"][0]["delta"].get("content") or ""
            fields |= chunk | chunk["choices"][0]["delta"]
        return text, fields

    def received(self) -> Any:
        """Return the messages of the last request."""
        return self.upstream.requests[-1].json["messages"]


@contextmanager
def proxy(folder: Path, from_prompt: object) -> Iterator[Proxy]:
    """Start a server with an index of files, which would be searched if no evidence were found."""
    model = OpenAI()
    with serving(model) as upstream:
        config = folder / "config.yaml"
        providers = {"openai": {"base_url": f"{upstream.url}/v1", "api_key": KEY}}
        retrievers = {"docs": {"kind": "folder", "store": str(folder / "missing.db")}}  # a search would fail
        config.write_text(
            yaml.safe_dump(
                {
                    "providers": providers,
                    "evidence": {"from_prompt": from_prompt},
                    "retrievers": retrievers,
                    "default_retriever": "docs",
                }
            )
        )
        command = [sys.executable, "-m", "citestream", "serve", "--port", "0", "--config", str(config)]
        server: AbstractContextManager[str] = launched(command, folder / "log")
        with server as url, Client(base_url=f"{url}/v1", api_key="unused", max_retries=0) as client:
            yield Proxy(client, model, upstream)


@pytest.fixture(scope="module")
def hosts(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Proxy]:
    with proxy(tmp_path_factory.mktemp("hosts"), "hosts") as running:
        yield running


@pytest.mark.parametrize("stream", [True, False], ids=["streamed", "complete"])
@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_markers_have_the_format_of_the_host_and_messages_are_unchanged(hosts: Proxy, case: Case, stream: bool) -> None:
    shown, fields = hosts.ask(case.messages, case.model_answer, stream=stream)
    assert shown == case.shown
    assert hosts.received() == case.messages
    assert fields["grounding"]["evidence"]["from"] == case.host
    assert tuple(reference["host_label"] for reference in fields["references"]) == case.labels
    assert not fields.get("annotations")
    assert not fields.keys() & {"citations", "search_results", "event", "retrieval"}
    for reference in fields["references"]:
        for span in reference["spans"]:
            assert reference["snippet"] in (FERRY, HARBOUR, SAILING)
            assert span["quote"].removesuffix(".") in shown[span["start"] : span["end"]]


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_text_that_is_released_early_gets_the_same_markers(hosts: Proxy, case: Case) -> None:
    shown, fields = hosts.ask(case.messages, case.model_answer, stream=True, citations={"release": "live"})
    assert shown == case.shown
    assert tuple(reference["host_label"] for reference in fields["references"]) == case.labels


REQUESTED = {
    "a dialect": {"dialect": "openwebui"},
    "another dialect": {"dialect": "perplexity"},
    "a list in the text": {"references_in_text": True},
    "a second pass": {"enrich": True},
    "links": {"marker": "link"},
}


@pytest.mark.parametrize("citations", REQUESTED.values(), ids=REQUESTED)
def test_options_do_not_show_sources_twice(hosts: Proxy, citations: dict[str, Any]) -> None:
    shown, fields = hosts.ask(SHARED_LABEL, f"{CARS} [1].", stream=True, citations=citations)
    assert shown == f"{FERRY} [1]"
    assert not fields.get("annotations")
    assert not fields.keys() & {"citations", "search_results", "event"}


def test_evidence_of_the_request_comes_before_that_of_the_prompt(hosts: Proxy) -> None:
    _, fields = hosts.ask(SHARED_LABEL, f"{CARS} [1].", stream=False, evidence=[{"text": FERRY}])
    assert "from" not in fields["grounding"]["evidence"]
    assert hosts.received() != SHARED_LABEL


def test_nothing_is_recognised_if_recognition_is_off(tmp_path: Path) -> None:
    with proxy(tmp_path, from_prompt=False) as running:  # YAML reads `off` as false
        shown, fields = running.ask(SHARED_LABEL, f"{DREDGED} [1].", stream=True, retrieval=False)
        assert shown == f"{DREDGED} [1]."
        assert "references" not in fields
        assert running.received() == SHARED_LABEL


@pytest.mark.parametrize("stream", [True, False], ids=["streamed", "complete"])
def test_configured_fences_are_recognised_too(tmp_path: Path, stream: bool) -> None:
    with proxy(tmp_path, [{"opening": "[[context]]", "closing": "[[end]]"}, "dify"]) as running:
        shown, fields = running.ask(FENCED, f"{CARS} [1].", stream=stream)
        assert shown == f"{CARS} [1]."
        assert [reference["snippet"] for reference in fields["references"]] == [FERRY]
        shown, fields = running.ask(SHARED_LABEL, f"{CARS} [2].", stream=stream)
        assert shown == f"{FERRY} [1]"


TOO_LARGE = {
    "more passages than allowed": EvidenceConfig(limit=2),
    "more characters than allowed": EvidenceConfig(max_characters=40),
}


@pytest.mark.parametrize("config", TOO_LARGE.values(), ids=TOO_LARGE)
def test_passages_above_the_limits_are_refused_without_a_search(config: EvidenceConfig) -> None:
    found = asyncio.run(host_evidence(SHARED_LABEL, config))
    assert found is not None
    assert found.prompt is not None
    assert (found.evidence, found.prompt.refusal) == ((), Refusal.TOO_LARGE)
    assert found.needs_citations


def test_messages_that_are_not_text_pass_through_without_a_search() -> None:
    messages: Any = [{"role": "user", "content": OPEN_WEBUI}, None]
    assert asyncio.run(host_evidence(messages, EvidenceConfig())) == JobEvidence()


SWITCHES: dict[Literal["hosts", "off"], tuple[Messages, bool]] = {
    "hosts": (SHARED_LABEL, True),
    "off": (SHARED_LABEL, False),
}


@pytest.mark.parametrize("switch", SWITCHES)
def test_the_configuration_decides_whether_prompts_are_searched_for_evidence(switch: Literal["hosts", "off"]) -> None:
    messages, expected = SWITCHES[switch]
    found = asyncio.run(host_evidence(messages, EvidenceConfig(from_prompt=switch)))
    assert (found is not None) is expected
    assert asyncio.run(host_evidence([user(QUESTION)], EvidenceConfig(from_prompt=switch))) is None


def test_a_message_of_many_parts_is_long() -> None:
    part = {"type": "document", "document": {"data": {"text": FERRY}}}
    assert is_long([{"role": "tool", "content": [part] * 10_000}])
    assert not is_long([{"role": "tool", "content": [part] * 100}])


def test_a_long_prompt_is_read_in_a_thread() -> None:
    long = [user(OPEN_WEBUI.replace(FERRY, f"{FERRY} " * 5_000))]
    assert is_long(long)
    found = asyncio.run(host_evidence(long, EvidenceConfig()))
    assert found is not None
    assert found.evidence[1].text == HARBOUR
