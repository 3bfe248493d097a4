"""Compare the citations of natural answers before and after: `python -m bench.answers [FILE.jsonl ...]`.

Every answer is cited as a whole text, with the citations that its model wrote. Prints the model's own citations and
ours side by side, for the authors that weights are fitted to, for those that are held out, and for each given file.
F1 has an interval of 95 % (bootstrap over answers). Takes half a minute.
"""

import argparse
import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from bench.answers.records import Answer, answers
from citestream.citation import Options
from citestream.citation.answers.response import Response
from citestream.citation.cite import decide, drafts_of, scored
from citestream.citation.support.scorers import scorer
from citestream.proxy.cli.checking.measures import Counts, count, ratio
from citestream.proxy.cli.checking.natural_answers import citations, evidence_of, marked_sentences

SHOWN = ("F1", "precision", "recall", "kept", "removed", "filled", "bad")
SAMPLES = 1_000


def main() -> None:
    """Measure and print a table."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("files", nargs="*", type=Path, help="answers in the same format")
    options.add_argument("--scorer", default="lexical")
    options.add_argument("--strictness", default="balanced", choices=("strict", "balanced", "lenient"))
    chosen = options.parse_args()
    citing = Options(scorer=chosen.scorer, strictness=chosen.strictness)
    parts = {"fitted to": answers(), "held out": answers(held_out=True)}
    parts |= {file.name: [json.loads(line) for line in file.read_text("utf-8").splitlines()] for file in chosen.files}
    for name, part in parts.items():
        print(f"\n{name}\n")
        print("\n".join(table(part, citing)))


def table(chosen: Sequence[Answer], options: Options) -> list[str]:
    """Return a Markdown table with a line per author."""
    lines = [f"| author | style | the model's own F1 | {' | '.join(SHOWN)} |", f"|{'---|' * (3 + len(SHOWN))}"]
    for author in sorted({answer["author"] for answer in chosen}):
        of_author = [answer for answer in chosen if answer["author"] == author]
        before = [count(one, [set(s["model_cites"]) for s in one["sentences"]]) for one in of_author]
        after = [count(one, decided(one, options)) for one in of_author]
        found = ratio(sum(after, Counter()))
        values = [f"{found[name]:.3f}" for name in SHOWN]
        values[0] += interval(after)
        style = "; ".join(sorted({answer["style"] for answer in of_author}))
        own = f"{ratio(sum(before, Counter()))['F1']:.3f}"
        lines.append(f"| {author} | {style} | {own} | {' | '.join(values)} |")
    return lines


def decided(answer: Answer, options: Options) -> list[set[int]]:
    """Return the evidence numbers that each sentence of the answer has after citing the whole text.

    A citation counts for the sentence with which the cited part of the text overlaps most.
    """
    evidence, marked = evidence_of(answer), marked_sentences(answer)
    of_model = Response(evidence, options, question=answer["question"]).answer(0)
    prepared = scorer(options.scorer).prepare(evidence)
    drafts = drafts_of(of_model, "".join(marked))
    scores = scored([draft.claim for draft in drafts], prepared, options.strictness)
    decisions = [decide(*pair, prepared, options) for pair in zip(drafts, scores, strict=True)]
    numbers = [[support.number for support in decision.supports] for decision in decisions]
    return citations(drafts, numbers, marked)


def interval(counts: Sequence[Counts]) -> str:
    """Return the 95 % interval of F1, from bootstrap samples of the answers."""
    random = np.random.default_rng(0)
    rows = random.integers(0, len(counts), (SAMPLES, len(counts)))
    values = [ratio(sum((counts[row] for row in sample), Counter()))["F1"] for sample in rows.tolist()]
    low, high = np.percentile(values, (2.5, 97.5))
    return f" ({low:.3f}–{high:.3f})"


if __name__ == "__main__":
    main()
