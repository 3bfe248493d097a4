"""Ask about the documents in this folder: a Citestream server, the official OpenAI client, a cited answer.

python examples/ask.py                                 # the embedded provider: no model, no key, no network
python examples/ask.py "Wie hoch ist der Tidenhub?"
"""

import argparse
import os
import re
import subprocess  # nosec B404 # starts the server
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from math import log
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

from openai import OpenAI

from citestream.providers.retrieval.excerpts import split_excerpts

HERE = Path(__file__).parent
QUESTION = "How tall was the Saturn V, and which mission was struck by lightning?"
EVIDENCE = 5  # excerpts sent with the question


def main() -> None:
    options = argparse.ArgumentParser(description="Ask about the documents in examples/.")
    options.add_argument("question", nargs="?", default=QUESTION)
    question = options.parse_args().question
    with listening([citestream(), "serve", "--port", "0"]) as server:
        ask(server, "extractive", question, closest(question, documents(), EVIDENCE))


def ask(server: str, model: str, question: str, evidence: list[dict[str, Any]]) -> None:
    """Print the answer while it streams, then the references of its last chunk."""
    sent = "1 excerpt" if len(evidence) == 1 else f"{len(evidence)} excerpts"
    print(f"Asking {model} with {sent}: {question}\n", flush=True)
    client = OpenAI(base_url=f"{server}/v1", api_key="none")
    stream = client.chat.completions.create(
        model=model,
        messages=[{"role": "user", "content": question}],
        stream=True,
        temperature=0,
        max_tokens=200,
        extra_body={"evidence": evidence},
    )
    references: list[dict[str, Any]] = []
    for chunk in stream:
        references = (chunk.model_extra or {}).get("references") or references
        for choice in chunk.choices:
            print(choice.delta.content or "", end="", flush=True)
    print()
    print_references(references)


def print_references(references: list[dict[str, Any]]) -> None:
    print("\nReferences" if references else "\nNothing in the evidence supports this answer.")
    for found in references:
        print(
            f"[{found['number']}] {found['file_name']}, excerpt {found['chunk_index']}, support {found['support']:.2f}"
        )
        print(f"    {found['snippet']}")


def documents() -> list[dict[str, Any]]:
    """Return every document of this folder, cut into excerpts, as evidence."""
    return [
        excerpt.as_evidence(path.name, index)
        for path in sorted((HERE / "documents").iterdir())
        for index, excerpt in enumerate(split_excerpts(path.read_text("utf-8")))
    ]


def closest(question: str, evidence: list[dict[str, Any]], limit: int) -> list[dict[str, Any]]:
    """Return the excerpts that share the most and rarest words with the question. Replace this with your own search."""
    bags = [words(item["text"]) for item in evidence]
    seen_in = Counter(word for bag in bags for word in bag)
    asked = words(question)

    def rank(index: int) -> float:
        return sum(log(len(bags) / seen_in[word]) for word in asked & bags[index])

    best = sorted(range(len(bags)), key=rank, reverse=True)[:limit]
    return [evidence[index] for index in best if rank(index) > 0]


def words(text: str) -> set[str]:
    """Return words cut to six letters, as a simple form of stemming, and pairs of Chinese characters."""
    found = re.findall(r"[^\W\u4e00-\u9fff]+", text.lower())
    runs = re.findall(r"[\u4e00-\u9fff]+", text)
    return {word[:6] for word in found} | {run[i : i + 2] for run in runs for i in range(len(run) - 1)}


def citestream() -> str:
    """Return the path of the command that was installed with this interpreter."""
    return str(Path(sys.executable).with_name("citestream"))


@contextmanager
def listening(command: list[str], environment: dict[str, str] | None = None) -> Iterator[str]:
    """Start a server, wait for its `... listening on URL` line, yield the URL, stop it at the end."""
    with (
        TemporaryFile("w+") as log,
        subprocess.Popen(  # nosec B603 # our own command
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
            env={**os.environ, **(environment or {})},
        ) as process,
    ):
        try:
            assert process.stdout is not None
            for line in process.stdout:
                if " listening on " in line:
                    yield line.split(" listening on ")[1].strip()
                    return
            log.seek(0)
            raise SystemExit(f"{' '.join(command)} did not start:\n{log.read()}")
        finally:
            process.terminate()


if __name__ == "__main__":
    main()
