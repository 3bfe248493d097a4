"""Anthropic's API in front of every provider, through the official client: citations, blocks, errors."""

import base64
import json
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

import anthropic
import pytest
import yaml

from tests.providers.retrieval.readers.documents import pdf
from tests.upstreams import anthropic as upstream
from tests.upstreams.anthropic import CALL, FOUND, KEY, MODEL, REDACTED, SEARCH, THINKING, Anthropic
from tests.upstreams.scripted import Answer, Upstream
from tests.upstreams.wire import Server, serving, sse

Launch = Callable[..., AbstractContextManager[str]]
Fields = dict[str, Any]

OPENED = "The Harlan bridge was opened on 4 May 1932."
LANES = "It carries two lanes of traffic and eight railway tracks."
TEXT = f"# Harlan\n\n{OPENED}\n\nIt was painted blue. {LANES}\n"
QUESTION = {"type": "text", "text": "What is the Harlan bridge?"}
PIECES = (
    *("The Harlan bridge was op", "ened on 4 May 1932 [1]", ". Penguins cannot", " fly [1]. It carries two la"),
    "nes of ",
)
END = ("traffic and eight railway tracks.",)
SENTENCES = [OPENED, "Penguins cannot fly.", LANES]
CITED = {"enabled": True}
PLAIN = {"type": "text", "media_type": "text/plain", "data": TEXT}
DOCUMENT = {"type": "document", "title": "Bridges", "source": PLAIN, "citations": CITED}
MESSAGES: Any = [{"role": "user", "content": [DOCUMENT, QUESTION]}]
BLOCKS = {"type": "content", "content": [{"type": "text", "text": text} for text in (OPENED, LANES)]}
RESULT: Fields = {
    "type": "search_result",
    "source": "https://ex.org/harlan",
    "title": "Harlan",
    "content": BLOCKS["content"],
    "citations": CITED,
}


@dataclass
class Proxy:
    """A running server, its providers, and a client."""

    client: anthropic.Anthropic
    url: str
    upstreams: dict[str, Any]
    servers: dict[str, Server]

    def answer_with(self, *pieces: str) -> None:
        """Let every provider answer with this text."""
        answer = Answer(tuple(("text", piece) for piece in pieces), (), "stop", (7, 5))
        for kind, one in self.upstreams.items():
            if kind == "anthropic":
                one.__init__(upstream.text(*pieces))
            else:
                one.answer = answer

    def ask(self, content: Any, provider: str = "anthropic", **fields: Any) -> anthropic.types.Message:
        request: Fields = {
            "model": f"{provider}/m",
            "max_tokens": 99,
            "messages": [{"role": "user", "content": content}],
        }
        message: anthropic.types.Message = self.client.messages.create(**{**request, **fields})
        return message

    def sent(self, provider: str) -> Fields:
        """Return the last request that this provider received."""
        found: Fields = self.servers[provider].requests[-1].json
        return found


@pytest.fixture(scope="module")
def proxy(launch: Launch, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Proxy]:
    folder = tmp_path_factory.mktemp("anthropic")
    upstreams: dict[str, Any] = {kind: Upstream(kind) for kind in ("openai", "ollama", "gemini")}
    upstreams["anthropic"] = Anthropic()
    with ExitStack() as stack:
        servers = {kind: stack.enter_context(serving(one)) for kind, one in upstreams.items()}
        providers: Fields = {kind: {"base_url": server.url, "api_key": KEY} for kind, server in servers.items()}
        for kind in ("openai", "ollama", "gemini"):
            providers[kind]["models"] = ["m"]
        broken = stack.enter_context(serving(BROKEN)).url
        providers["broken"] = {"kind": "openai", "base_url": broken, "api_key": "k", "models": ["m"]}
        providers["extractive"] = {}
        config = folder / "config.yaml"
        config.write_text(yaml.safe_dump({"providers": providers, "log": {"access": False}}))
        command = [sys.executable, "-m", "citestream", "serve", "--port", "0", "--config", str(config)]
        url = stack.enter_context(launch(command, folder / "log"))
        client = stack.enter_context(anthropic.Anthropic(base_url=url, api_key="none", max_retries=0))
        yield Proxy(client, url, upstreams, servers)


def _chunk(piece: str) -> bytes:
    choice = {"index": 0, "delta": {"content": piece}, "finish_reason": None}
    return (
        b"data: " + json.dumps({"id": "c1", "object": "chat.completion.chunk", "choices": [choice]}).encode() + b"\n\n"
    )


BROKEN = sse(_chunk(OPENED), _chunk(" It car"))
PROVIDERS = ("openai", "ollama", "gemini", "anthropic")


def texts(message: anthropic.types.Message) -> list[str]:
    return [block.text.strip() for block in message.content if block.type == "text"]


def citations(message: anthropic.types.Message) -> list[Fields]:
    blocks = [block for block in message.content if block.type == "text"]
    return [one.to_dict() for block in blocks for one in block.citations or ()]


def document_citation(kind: str, text: str, **location: Any) -> Fields:
    fields_of_source = {"document_index": 0, "document_title": "Bridges", "file_id": None}
    return {"type": kind, "cited_text": text, **fields_of_source, **location}


def result_citation(text: str, block: int, **fields: Any) -> Fields:
    location = {"start_block_index": block, "end_block_index": block + 1}
    fields_of_source = {"search_result_index": 0, "source": "https://ex.org/harlan", "title": "Harlan"}
    return {"type": "search_result_location", "cited_text": text, **fields_of_source, **location, **fields}


def in_text(text: str) -> Fields:
    start = TEXT.index(text)
    return document_citation("char_location", text, start_char_index=start, end_char_index=start + len(text))


def pdf_document(folder: Path, *pages: str) -> Fields:
    pdf(folder / "a.pdf", [*pages])
    data = base64.b64encode((folder / "a.pdf").read_bytes()).decode()
    source = {"type": "base64", "media_type": "application/pdf", "data": data}
    return {"type": "document", "title": "Bridges", "source": source, "citations": CITED}


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_cited_sentence_is_a_block_with_its_location_in_the_document(proxy: Proxy, provider: str) -> None:
    proxy.answer_with(*PIECES, *END)
    message = proxy.ask([DOCUMENT, QUESTION], provider)
    assert texts(message) == SENTENCES
    assert citations(message) == [in_text(OPENED), in_text(LANES)]
    assert [bool(block.citations) for block in message.content if block.type == "text"] == [True, False, True]
    assert (message.stop_reason, message.role, message.type) == ("end_turn", "assistant", "message")
    assert message.usage.output_tokens > 0
    assert message.references[0]["title"] == "Bridges › Harlan"  # type: ignore[attr-defined]
    assert message.grounding["supported"] == 2  # type: ignore[attr-defined]


@pytest.mark.parametrize("provider", PROVIDERS)
def test_the_streamed_and_the_complete_message_are_equal(proxy: Proxy, provider: str) -> None:
    proxy.answer_with(*PIECES, *END)
    whole = proxy.ask([DOCUMENT, QUESTION], provider)
    with proxy.client.messages.stream(model=f"{provider}/m", max_tokens=99, messages=MESSAGES) as stream:
        streamed = "".join(stream.text_stream)
        final = stream.get_final_message()
    assert streamed == "".join(block.text for block in whole.content if block.type == "text")
    assert [block.to_dict() for block in final.content] == [block.to_dict() for block in whole.content]
    assert (final.stop_reason, final.usage.output_tokens) == (whole.stop_reason, whole.usage.output_tokens)


async def test_the_asynchronous_client_reads_a_stream(proxy: Proxy) -> None:
    proxy.answer_with(*PIECES, *END)
    async with anthropic.AsyncAnthropic(base_url=proxy.url, api_key="none", max_retries=0) as client:
        stream = await client.messages.create(model="openai/m", max_tokens=99, messages=MESSAGES, stream=True)
        events: list[Any] = [event async for event in stream]
    kinds = [event.type for event in events]
    assert (kinds[0], kinds[-2:]) == ("message_start", ["message_delta", "message_stop"])
    assert kinds.count("content_block_start") == kinds.count("content_block_stop") == 3
    assert [one["number"] for one in events[-2].references] == [1]


def test_sentences_of_a_pdf_are_cited_by_their_page(proxy: Proxy, tmp_path: Path) -> None:
    proxy.answer_with(*PIECES, *END)
    document = pdf_document(tmp_path, "Nothing of interest.", OPENED, LANES)
    assert citations(proxy.ask([document, QUESTION])) == [
        document_citation("page_location", OPENED, start_page_number=2, end_page_number=3),
        document_citation("page_location", LANES, start_page_number=3, end_page_number=4),
    ]


def test_the_blocks_of_a_document_are_cited_by_their_index(proxy: Proxy) -> None:
    proxy.answer_with(*PIECES, *END)
    document = {**DOCUMENT, "source": BLOCKS}
    assert citations(proxy.ask([document, QUESTION])) == [
        document_citation("content_block_location", OPENED, start_block_index=0, end_block_index=1),
        document_citation("content_block_location", LANES, start_block_index=1, end_block_index=2),
    ]


def test_search_results_are_cited_by_their_index(proxy: Proxy) -> None:
    proxy.answer_with(*PIECES, *END)
    first = {**RESULT, "content": [{"type": "text", "text": "Bananas grow in the tropics."}]}
    found = citations(proxy.ask([first, RESULT, QUESTION]))
    assert found == [result_citation(text, at, search_result_index=1) for at, text in enumerate((OPENED, LANES))]


@pytest.mark.parametrize("provider", PROVIDERS)
def test_search_results_inside_a_tool_result_are_cited(proxy: Proxy, provider: str) -> None:
    proxy.answer_with(*PIECES, *END)
    messages: Any = [
        {"role": "user", "content": [QUESTION]},
        {"role": "assistant", "content": [{"type": "text", "text": "I search."}, CALL]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": CALL["id"], "content": [RESULT]}]},
    ]
    message = proxy.ask(
        "", provider, messages=messages, tools=[{"name": "weather", "input_schema": {"type": "object"}}]
    )
    assert citations(message) == [result_citation(OPENED, 0), result_citation(LANES, 1)]
    assert OPENED in json.dumps(_tool_result(provider, proxy.sent(provider)))


def _tool_result(provider: str, sent: Fields) -> Any:
    """Return the message that contains the result of the call for the model."""
    return sent["contents" if provider == "gemini" else "messages"][-1]


def test_evidence_is_cited_as_search_results_after_those_of_the_request(proxy: Proxy) -> None:
    proxy.answer_with(*PIECES, *END)
    evidence = [
        {"text": OPENED, "title": "Opening", "url": "https://ex.org/o"},
        {"text": LANES, "file_name": "lanes.md"},
    ]
    other = {**RESULT, "content": [{"type": "text", "text": "Bananas grow in the tropics."}]}
    found = citations(proxy.ask([other, QUESTION], extra_body={"evidence": evidence}))
    assert found == [
        result_citation(OPENED, 0, search_result_index=1, source="https://ex.org/o", title="Opening"),
        result_citation(LANES, 0, search_result_index=2, source="lanes.md", title="lanes.md"),
    ]


def test_documents_without_citations_are_context(proxy: Proxy) -> None:
    proxy.answer_with(*PIECES, *END)
    plain = {"type": "document", "title": "Menu", "source": {**PLAIN, "data": "Soup is served at noon."}}
    found = citations(proxy.ask([plain, DOCUMENT, QUESTION], "openai"))
    assert [one["document_index"] for one in found] == [1, 1]
    assert "Menu\\nSoup is served at noon." in json.dumps(proxy.sent("openai")["messages"])


def test_the_context_of_a_document_reaches_the_model_but_is_not_cited(proxy: Proxy) -> None:
    proxy.answer_with(*PIECES, *END)
    proxy.ask([{**DOCUMENT, "context": "Written in 1960."}, QUESTION], "openai")
    assert 'Context of the document \\"Bridges\\": Written in 1960.' in json.dumps(proxy.sent("openai"))


@pytest.mark.parametrize("release", ["sentence", "live"])
def test_a_block_holds_exactly_one_cited_sentence(proxy: Proxy, release: str) -> None:
    proxy.answer_with("Penguins cannot fly. ", "The Harlan bridge was ", "opened on 4 May 1932. ", "It is said.")
    body = {"citations": {"release": release}}
    with proxy.client.messages.stream(model="openai/m", max_tokens=99, messages=MESSAGES, extra_body=body) as stream:
        final = stream.get_final_message()
    cited = [block.text.strip() for block in final.content if block.type == "text" and block.citations]
    assert cited == [OPENED]
    assert " ".join(texts(final)) == f"Penguins cannot fly. {OPENED} It is said."


def test_blocks_of_anthropic_keep_their_order_and_signatures(proxy: Proxy) -> None:
    blocks = [THINKING, REDACTED, SEARCH, FOUND, *upstream.text(OPENED, " Penguins cannot fly."), CALL]
    proxy.upstreams["anthropic"].__init__(blocks, stop="tool_use")
    whole = proxy.ask([DOCUMENT, QUESTION])
    with proxy.client.messages.stream(model="anthropic/m", max_tokens=99, messages=MESSAGES) as stream:
        final = stream.get_final_message()
    found = [block.to_dict() for block in whole.content]
    assert [{**block, "citations": None} for block in found if block["type"] == "text"] == [
        {"type": "text", "text": f"{OPENED} ", "citations": None},
        {"type": "text", "text": "Penguins cannot fly.", "citations": None},
    ]
    assert [block for block in found if block["type"] != "text"] == [THINKING, REDACTED, SEARCH, FOUND, CALL]
    assert [block.to_dict() for block in final.content] == found
    assert (whole.stop_reason, whole.id) == ("tool_use", "msg_01XFDUDYJgAACzvnptvVoYEL")
    assert whole.usage.cache_read_input_tokens == 8
    assert whole.usage.cache_creation_input_tokens == 4


def test_anthropic_receives_earlier_turns_unchanged(proxy: Proxy) -> None:
    proxy.answer_with(*PIECES, *END)
    earlier = [THINKING, {"type": "text", "text": "I ask.", "citations": [in_text(OPENED)]}, CALL]
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBO"}}
    result = {"type": "tool_result", "tool_use_id": CALL["id"], "is_error": True, "content": [image]}
    cached = {"cache_control": {"type": "ephemeral"}}
    messages: Any = [
        {"role": "user", "content": [{**QUESTION, **cached}]},
        {"role": "assistant", "content": earlier},
        {"role": "user", "content": [result, DOCUMENT, QUESTION]},
    ]
    tools: Any = [{"type": "web_search_20250305", "name": "web_search"}, {"name": "weather", "input_schema": {}}]
    proxy.ask(
        "",
        messages=messages,
        tools=tools,
        system=[{"type": "text", "text": "Be brief.", **cached}],
        thinking={"type": "enabled", "budget_tokens": 1024},
        metadata={"user_id": "u"},
        stop_sequences=["END"],
        extra_headers={"anthropic-beta": "files-api-2025-04-14"},
    )
    sent = proxy.sent("anthropic")
    first, second, third = sent["messages"]
    assert first["content"] == [{**QUESTION, **cached}]
    assert second["content"] == [THINKING, {"type": "text", "text": "I ask."}, CALL]
    assert third["content"][0] == result
    assert third["content"][1] == QUESTION
    assert OPENED in third["content"][2]["text"]  # after the prefix that is cached
    assert "document" not in {block["type"] for block in third["content"]}
    assert (sent["tools"], sent["stop_sequences"], sent["metadata"]) == (tools, ["END"], {"user_id": "u"})
    assert sent["thinking"] == {"type": "enabled", "budget_tokens": 1024}
    assert sent["system"][0] == {"type": "text", "text": "Be brief.", **cached}
    assert proxy.servers["anthropic"].requests[-1].headers["anthropic-beta"] == "files-api-2025-04-14"


def test_without_evidence_requests_and_answers_pass_through_unchanged(proxy: Proxy) -> None:
    block = {"type": "text", "text": "Water [1].", "citations": [in_text(OPENED)]}
    proxy.upstreams["anthropic"].__init__([THINKING, block])
    url_document = {"type": "document", "source": {"type": "url", "url": "https://ex.org/a.pdf"}, "citations": CITED}
    body = {"model": "anthropic/m", "max_tokens": 9, "messages": [{"role": "user", "content": [url_document]}]}
    for stream in (True, False):
        data = json.dumps({**body, "stream": stream}).encode()
        with urlopen(Request(f"{proxy.url}/v1/messages", data, {"anthropic-version": "2023-06-01"})) as answer:  # noqa: S310
            received = answer.read()
            assert answer.headers["request-id"].startswith("req_")
        assert proxy.sent("anthropic") == {**body, "model": "m", "stream": stream}
        expected = b"".join(proxy.upstreams["anthropic"].events()) if stream else None
        expected = expected or upstream.compact(proxy.upstreams["anthropic"].message())
        assert received == expected.replace(b'"model":"%b"' % MODEL.encode(), b'"model":"anthropic/m"')


def test_a_model_of_anthropic_needs_no_provider_in_its_name(proxy: Proxy) -> None:
    proxy.answer_with("Hello.")
    assert proxy.ask("Hi", model="claude-next").model == MODEL
    assert proxy.sent("anthropic")["model"] == "claude-next"


OPENAI = "/v1/chat/completions"


def test_other_clients_can_use_anthropic_with_thinking_and_tools(proxy: Proxy) -> None:
    proxy.upstreams["anthropic"].__init__([THINKING, *upstream.text(OPENED), CALL], stop="tool_use")
    body: Fields = {
        "model": "anthropic/claude-sonnet-4-5",
        "messages": [{"role": "user", "content": "When was the Harlan bridge opened?"}],
        "evidence": [{"text": TEXT}],
    }
    with urlopen(Request(f"{proxy.url}{OPENAI}", json.dumps(body).encode())) as answer:  # noqa: S310
        message = json.loads(answer.read())["choices"][0]["message"]
    assert message["content"] == f"{OPENED} [1]"
    assert message["tool_calls"][0]["id"] == CALL["id"]
    body["messages"] += [message, {"role": "tool", "tool_call_id": CALL["id"], "content": "rain"}]
    with urlopen(Request(f"{proxy.url}{OPENAI}", json.dumps(body).encode())):  # noqa: S310
        pass
    assert proxy.sent("anthropic")["messages"][1]["content"] == [THINKING, {"type": "text", "text": OPENED}, CALL]


def test_an_interrupted_answer_has_no_stop_reason(proxy: Proxy) -> None:
    seen: list[Any] = []
    with (
        pytest.raises(anthropic.APIStatusError, match="without a finish reason"),
        proxy.client.messages.stream(model="broken/m", max_tokens=9, messages=MESSAGES) as stream,
    ):
        seen.extend(iter(stream))
    snapshot = stream.current_message_snapshot
    assert texts(snapshot) == [OPENED, "It car"]
    assert snapshot.stop_reason is None
    assert citations(snapshot) == [in_text(OPENED)]
    with pytest.raises(anthropic.InternalServerError, match="api_error"):
        proxy.ask([DOCUMENT, QUESTION], "broken")


STORED = {"type": "document", "source": {"type": "file", "file_id": "f"}}


def request_with(block: Fields) -> Fields:
    return {"messages": [{"role": "user", "content": [block, QUESTION]}]}


ERRORS: dict[str, tuple[Fields, type[Exception], str]] = {
    "an unknown model": ({"model": "nobody/x"}, anthropic.NotFoundError, "not_found_error"),
    "a wrong type": ({"extra_body": {"temperature": "hot"}}, anthropic.BadRequestError, "temperature: must be a"),
    "no maximum of tokens": (
        {"extra_body": {"max_tokens": None}},
        anthropic.BadRequestError,
        "max_tokens: must be a whole number",
    ),
    "a document that is not a PDF": (
        {
            "messages": [
                {
                    "role": "user",
                    "content": [
                        {
                            "type": "document",
                            "source": {"type": "base64", "media_type": "application/pdf", "data": "AAAA"},
                            "citations": CITED,
                        }
                    ],
                }
            ]
        },
        anthropic.BadRequestError,
        r"messages\[0\]\.content\[0\]\.source\.data: is a broken PDF",
    ),
    "a document that only Anthropic can read": (
        {"model": "openai/m", "messages": [{"role": "user", "content": [STORED]}]},
        anthropic.BadRequestError,
        r"messages\[0\]\.content\[0\]: is supported by Anthropic only",
    ),
    "a tool that only Anthropic runs": (
        {"model": "openai/m", "tools": [{"type": "web_search_20250305", "name": "web_search"}]},
        anthropic.BadRequestError,
        r"tools\[0\]: is of type 'web_search_20250305', which is supported by Anthropic only",
    ),
    "a wrong block in a tool result": (
        {
            "messages": [
                {
                    "role": "user",
                    "content": [{"type": "tool_result", "tool_use_id": "t", "content": [{"type": "text", "text": 1}]}],
                }
            ]
        },
        anthropic.BadRequestError,
        r"messages\[0\]\.content\[0\]\.content\[0\]\.text: must be a string",
    ),
    "a document whose source is a string": (
        request_with({**DOCUMENT, "source": "https://ex.org/harlan"}),
        anthropic.BadRequestError,
        r"messages\[0\]\.content\[0\]\.source: must be an object",
    ),
    "a search result whose source is an object": (
        request_with({"type": "tool_result", "tool_use_id": "t", "content": [{**RESULT, "source": PLAIN}]}),
        anthropic.BadRequestError,
        r"messages\[0\]\.content\[0\]\.content\[0\]\.source: must be a string",
    ),
}


@pytest.mark.parametrize("name", ERRORS)
def test_errors_have_the_format_of_anthropic(proxy: Proxy, name: str) -> None:
    fields, kind, message = ERRORS[name]
    with pytest.raises(kind, match=message) as raised:
        proxy.ask("Hi", **fields)
    assert isinstance(raised.value, anthropic.APIStatusError)
    assert isinstance(raised.value.body, dict)
    assert raised.value.body["type"] == "error"


def test_tokens_are_counted_by_anthropic_or_estimated(proxy: Proxy) -> None:
    messages: Any = [{"role": "user", "content": [DOCUMENT, QUESTION]}]
    count = proxy.client.messages.count_tokens
    assert count(model="anthropic/m", messages=messages).input_tokens == 2095
    assert proxy.sent("anthropic")["model"] == "m"
    short = count(model="extractive", messages=messages).input_tokens
    long = count(model="extractive", messages=messages * 2, system="Be brief.").input_tokens
    image: Any = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBO"}}
    with_image = count(model="extractive", messages=[{"role": "user", "content": [image]}]).input_tokens
    assert len(TEXT) / 6 < short < len(TEXT)
    assert long > 2 * short
    assert with_image > 1_000


@pytest.mark.parametrize("depth", [1, 900])
def test_tokens_of_any_objects_are_estimated(proxy: Proxy, depth: int) -> None:
    tool: Any = {"source": {"type": "url", "data": 5}}
    for _ in range(depth):
        tool = {"name": tool}
    messages: Any = [{"role": "user", "content": "Hi"}]
    counted = proxy.client.messages.count_tokens(model="extractive", messages=messages, tools=[tool])
    assert counted.input_tokens > 1_000


def test_models_are_listed_in_the_format_of_anthropic(proxy: Proxy) -> None:
    names = [model.id for model in proxy.client.models.list()]
    assert "extractive" in names
    assert f"anthropic/{MODEL}" in names
    assert proxy.client.models.retrieve("extractive").type == "model"
    assert proxy.client.models.retrieve("claude-sonnet-4-5").id == "claude-sonnet-4-5"
