"""Measure segmentation and markers: CPU time per delta and sentence, and accuracy for the golden rules of pySBD.

python -m bench.segmenting [TEST_FILES_OF_PYSBD]    # a folder with test_english.py and so on

The baseline of the cost is appending the deltas to a string. Takes seconds.
"""

import argparse
import ast
from collections.abc import Callable
from pathlib import Path
from statistics import median
from time import process_time

from citestream.citation.answers.answer import Answer
from citestream.citation.answers.response import Response
from citestream.citation.evidence import Evidence
from citestream.citation.markers import marker_end
from citestream.citation.options import Options
from citestream.citation.support.decision import Decision
from citestream.citation.text.segmentation import Segmenter

SIZE = 4  # characters per delta, about a token
ROUNDS = 7
DOCUMENTS = Path(__file__).parent.parent / "examples" / "documents"
LANGUAGES = ("english", "chinese", "japanese", "hindi", "arabic", "deutsch", "french", "spanish", "russian")


def main() -> None:
    """Print the table of costs, and that of the rules of pySBD if they are there."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("pysbd", nargs="?", type=Path)
    chosen, _ = options.parse_known_args()
    costs()
    if chosen.pysbd:
        accuracy(chosen.pysbd)


def answer_text() -> str:
    """Return real text with Markdown and Chinese, and with a marker of a model in every other sentence."""
    text = "\n\n".join(file.read_text("utf-8") for file in sorted(DOCUMENTS.iterdir()))
    parts = text.split(". ")
    return "".join(part + (" [1]. " if number % 2 else ". ") for number, part in enumerate(parts))


def costs() -> None:
    """Return the CPU time per delta and sentence in µs, as medians of alternating rounds."""
    evidence = [Evidence(number, "A passage.", f"e{number}") for number in (1, 2, 3)]
    runs: dict[str, Callable[[list[str]], int]] = {
        "appending to a string": appended,
        "segmenter": segmented,
        "segmenter and markers": lambda deltas: answered(deltas, evidence, Options()),
        "the same, release: live": lambda deltas: answered(deltas, evidence, Options(release="live")),
    }
    text = answer_text()
    deltas = [text[at : at + SIZE] for at in range(0, len(text), SIZE)]
    sentences = segmented(deltas)
    times: dict[str, list[float]] = {name: [] for name in runs}
    for _ in range(ROUNDS):
        for name, run in runs.items():
            began = process_time()
            run(deltas)
            times[name].append((process_time() - began) * 1e6)
    print(f"{len(deltas)} deltas of {SIZE} characters, {sentences} sentences, median of {ROUNDS} rounds, µs of CPU")
    print(f"{'':28}{'a delta':>10}{'a sentence':>12}")
    for name, taken in times.items():
        print(f"{name:28}{median(taken) / len(deltas):10.2f}{median(taken) / sentences:12.1f}")


def appended(deltas: list[str]) -> int:
    """Append the deltas to a string, as the baseline."""
    text = ""
    for delta in deltas:
        text += delta
    return len(text)


def segmented(deltas: list[str]) -> int:
    """Split the deltas and return the number of sentences."""
    segmenter = Segmenter(marker_end=marker_end())
    return sum(len(segmenter.feed(delta)) for delta in deltas) + len(segmenter.flush())


def answered(deltas: list[str], evidence: list[Evidence], options: Options) -> int:
    """Run the whole text path without scoring."""
    answer = Response(evidence, options).answer(0)
    assert isinstance(answer, Answer)
    shown = 0
    for delta in deltas:
        for draft in answer.feed(delta):
            shown += len(answer.cite(draft, Decision()))
    return shown + sum(len(answer.cite(draft, Decision())) for draft in answer.flush())


def accuracy(pysbd: Path) -> None:
    """Print the number of rules of each language that are followed if the text is streamed by single characters."""
    for language in LANGUAGES:
        rules = golden(pysbd / f"test_{language}.py")
        good = sum(cut(text) == [sentence.strip() for sentence in expected] for text, expected in rules)
        print(f"{'pySBD ' + language:34}{good:4} of {len(rules)}")


def golden(file: Path) -> list[tuple[str, list[str]]]:
    """Return the golden rules from a test file of pySBD."""
    found = []
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if (
            isinstance(node, ast.Assign)
            and "GOLDEN" in ast.unparse(node.targets[0])
            and isinstance(node.value, ast.List)
        ):
            for entry in node.value.elts:
                pair = ast.Tuple(entry.args[:2]) if isinstance(entry, ast.Call) else entry
                text, sentences = ast.literal_eval(pair)
                found.append((text, sentences))
    return found


def cut(text: str) -> list[str]:
    """Return the sentences of a text that is streamed by single characters, without surrounding space."""
    segmenter = Segmenter(marker_end=marker_end())
    sentences = [sentence for character in text for sentence in segmenter.feed(character)] + segmenter.flush()
    return [stripped for sentence in sentences if (stripped := sentence.text.strip())]


if __name__ == "__main__":
    main()
