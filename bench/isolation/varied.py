"""Requests of every kind of work that a client can cause: stored data, files, compression, context of agents, tables.

The other modules make one field long. These inputs are small, or consist of many small parts.
"""

import gzip
import io
import json
import re
import zipfile
import zlib
from collections.abc import Callable
from dataclasses import replace
from typing import Any
from urllib.parse import quote

from bench.isolation.cases import SENTENCE, Case, Fields
from bench.isolation.extreme import MARKS

CHAT = "/v1/chat/completions"
QUESTION = "What happened?"
IDLE_SECONDS = 5.0  # Silence of the provider


def _ask(messages: list[Fields] | None = None, answer: str = "It rose. ", **fields: Any) -> Case:
    """Return a request for an answer of the provider."""
    messages = messages or [{"role": "user", "content": QUESTION}]
    body = {"model": "fake/m", "messages": messages, "stream": True, "evidence": [{"text": SENTENCE}], **fields}
    return Case(body, CHAT, events(answer))


def events(text: str) -> bytes:
    """Return the events of an answer in pieces of 20 characters."""
    deltas = [{"content": text[start : start + 20]} for start in range(0, len(text), 20)]
    chunks: list[Fields] = [{"id": "chatcmpl-1", "choices": [{"index": 0, "delta": delta}]} for delta in deltas]
    chunks.append({"id": "chatcmpl-1", "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
    return b"".join(b"data: %b\n\n" % json.dumps(chunk).encode() for chunk in chunks) + b"data: [DONE]\n\n"


def _asked(content: str, count: int = 1) -> Case:
    """Return a request whose messages have this content."""
    return _ask([{"role": "user", "content": content}] * count)


def _cite(text: str, evidence: str = SENTENCE, **fields: Any) -> Case:
    return Case({"text": text, "evidence": [{"text": evidence, **fields}]}, "/v1/cite")


def _stored(items: list[Fields], then: Callable[[Fields], Case], **config: Any) -> Case:
    """Return a conversation that is stored, and a request that refers to it."""
    return Case({"model": "extractive", "input": items}, "/v1/responses", then=then, config=config)


def _items(count: int) -> list[Fields]:
    return [{"role": "user", "content": f"{n}"} for n in range(count)]


def _continued(answer: Fields) -> Case:
    body = {"model": "extractive", "input": "Hi", "previous_response_id": answer["id"]}
    return Case(body, "/v1/responses")


def _in_turn(count: int) -> Case:
    """Return so many requests, one after the other, each with 2 MB of lines that no other has."""
    lines = "".join(f"It rose {count}.\nab{n}\n" for n in range(100_000))
    case = _cite("It rose in 1932.", lines)
    return replace(case, then=lambda _: _in_turn(count - 1)) if count else case


def _among_items(answer: Fields) -> Case:
    """Return many items, one of which refers to an item of this answer."""
    reference = {"type": "item_reference", "id": answer["output"][0]["id"]}
    items = [{"role": "user", "content": "a"}] * 300_000
    return Case({"model": "extractive", "input": [*items, reference]}, "/v1/responses")


def _references(answer: Fields) -> Case:
    return Case({}, f"/v1/references/{answer['id']}")


def _passage(answer: Fields) -> Case:
    link = re.search(r"/passages/[\w.-]+", json.dumps(answer))
    assert link
    return Case({}, link[0])


def _compressed(body: Fields, encoding: str) -> Case:
    data = json.dumps(body).encode()
    packed = gzip.compress(data) if encoding == "gzip" else zlib.compress(data)
    return Case(body, CHAT, events("It rose."), data=packed, headers={"Content-Encoding": encoding})


def _file(name: str, data: bytes) -> Case:
    """Return the request to read a document."""
    headers = {"Content-Type": "application/octet-stream"}
    return Case({}, f"/v1/evidence/read?file_name={quote(name)}", data=data, headers=headers)


def _archive(**entries: bytes) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in entries.items():
            archive.writestr(name.replace("__", "/").replace("_xml", ".xml"), data)
    return packed.getvalue()


def _long_message(length: int = 30_000_000) -> Fields:
    return {"model": "fake/m", "messages": [{"role": "user", "content": "x" * length}], "stream": True}


def _objects(count: int) -> str:
    return json.dumps(
        [{"name": f"pump {n}", "litres": n, "parts": {"a": [n, n], "b": {"c": "x"}}} for n in range(count)]
    )


def _distinct_words(count: int) -> str:
    return " ".join(f"{n:x}harbour{n * 7919:x}quay{n * 104729:x}" for n in range(count))


def _sources(count: int) -> str:
    return "It rose [1].\n\nSources:\n" + "".join(f"[{n}] harbour-{n}.pdf\n" for n in range(1, count))


def _lines(count: int, *lines: str) -> str:
    return "\n".join(lines * count)


CONTEXT = "<environment_details>\na\n</environment_details>"
DOCUMENT = "<w:document xmlns:w='http://schemas.openxmlformats.org/wordprocessingml/2006/main'><w:body>%s</w:body></w:document>"

VARIED: dict[str, Callable[[], Case]] = {
    # Unicode normalisation and case folding
    "address of accents": lambda: _cite(SENTENCE, url=f"https://{MARKS}.org/{MARKS}"),
    "claims of ligatures": lambda: _cite("It was \ufdfa\ufdfa\ufdfa in 1932. " * 5_000),
    "names of accents": lambda: _ask(
        evidence=[{"text": SENTENCE, "title": MARKS[:9_000], "id": str(n)} for n in range(200)]
    ),
    "one Thai word of 600,000 letters": lambda: _cite(SENTENCE, "\u0e01\u0e33\u0e49" * 200_000),
    # Regular expressions
    "question with 60,000 contexts of agents": lambda: _asked(CONTEXT * 60_000),
    "question with contexts that do not close": lambda: _asked("<env ><rules ><repo_map >" * 80_000),
    "question with 100,000 fences": lambda: _asked(_lines(100_000, "```", "a.py", "~~~~")),
    "question with a repository map": lambda: _asked(_lines(100_000, "a.py:", "\u22ee", "\u2502def a():")),
    "300,000 messages of contexts": lambda: _asked("<env>a</env>", 300_000),
    "600,000 messages of an assistant": lambda: _ask([{"role": "assistant", "content": "a"}] * 600_000),
    "list of 20,000 sources": lambda: _ask(answer=_sources(20_000)),
    "20,000 markers that are links": lambda: _ask(answer="It rose [1](https://a.org). " * 20_000),
    "2 MB of CSV": lambda: _cite(SENTENCE, "a,b\n" * 450_000),
    "2 MB of a line with tabs": lambda: _cite(SENTENCE, "a\t" * 900_000),
    "2 MB of divided words": lambda: _cite(SENTENCE, "com-\nmittee " * 160_000),
    "opened brackets": lambda: _ask(answer="It rose [[1" * 20_000),
    # Nested JSON
    "tool result of 2,000 nested objects": lambda: _tool_result(_objects(2_000)),
    "tool result of 90 levels": lambda: _tool_result("[" * 90 + f'"{SENTENCE}"' + "]" * 90),
    "excerpt of JSON objects": lambda: _cite(SENTENCE, _objects(20_000)),
    "values of 300,000 escapes": lambda: _ask(
        answer=json.dumps({"a": ['It "rose" in 1932.\n'] * 20_000}), response_format={"type": "json_object"}
    ),
    # Decompression
    "30 kB of gzip": lambda: _compressed(_long_message(), "gzip"),
    "30 kB of deflate": lambda: _compressed(_long_message(), "deflate"),
    "gzip of 500,000 small messages": lambda: _compressed(
        {"model": "fake/m", "messages": [{"role": "user", "content": "a"}] * 500_000, "stream": True}, "gzip"
    ),
    # Stored data
    "stored conversation of 13 MB": lambda: _stored(_items(330_000), _continued),
    "the same in a file": lambda: _stored(_items(330_000), _continued, server={"workers": 2}),
    "references of a stored conversation": lambda: _stored(
        _items(330_000),
        lambda answer: Case({}, f"/v1/references/conversation:{answer['id']}"),
    ),
    "stored response": lambda: _stored(_items(330_000), lambda answer: Case({}, f"/v1/responses/{answer['id']}")),
    "items of a stored response": lambda: _stored(
        _items(330_000), lambda answer: Case({}, f"/v1/responses/{answer['id']}/input_items?limit=9")
    ),
    "300,000 items and a reference": lambda: _stored([{"role": "user", "content": "Hi"}], _among_items),
    "references of 5,000 sentences": lambda: Case(
        {**_ask().body, "stream": False}, CHAT, events(SENTENCE * 5_000), then=_references
    ),
    "page of a passage of 1.9 MB": lambda: Case(
        {**_ask().body, "stream": False, "evidence": [{"text": SENTENCE + "<\x01\u202e&" * 470_000}]},
        CHAT,
        events(SENTENCE),
        then=_passage,
        config={"server": {"public_url": "https://a.org"}, "evidence": {"max_tokens": 10_000_000}},
    ),
    # Many streams at once
    "1,000 idle streams": lambda: _idle(1_000),
    # Caches
    "eight texts of 2 MB in turn": lambda: _in_turn(7),
    "60,000 distinct long words": lambda: _cite(_distinct_words(30_000), _distinct_words(60_000)),
    # Readers of files
    "text of 3,900,000 control characters": lambda: _file("a.txt", ("ab\x01\x02 " * 780_000).encode()),
    "CSV of 200,000 rows": lambda: _file("a.csv", b"a,b\n" + b"1,2\n" * 200_000),
    "HTML of 300,000 levels": lambda: _file("a.html", b"<div>" * 300_000),
    "DOCX of 31 MB of paragraphs": lambda: _file(
        "a.docx", _archive(word__document_xml=(DOCUMENT % ("<w:p/>" * 5_000_000)).encode())
    ),
    "archive that is not XLSX": lambda: _file("a.xlsx", _archive(xl__workbook_xml=b"<a>" * 3_000_000)),
}


def _idle(count: int) -> Case:
    """Return the case of streams to which the provider sends nothing until all clients leave together."""
    limits = {"max_streams": count + 1}
    return Case(_ask().body, CHAT, config={"server": limits}, times=count, silent_seconds=IDLE_SECONDS)


def _tool_result(content: str) -> Case:
    call = {"id": "c", "type": "function", "function": {"name": "search", "arguments": "{}"}}
    messages: list[Fields] = [
        {"role": "user", "content": QUESTION},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c", "content": content},
    ]
    case = _ask(messages)
    return Case({**case.body, "evidence": []}, CHAT, case.answer, config={"evidence": {"from_tools": True}})
