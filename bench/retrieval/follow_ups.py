"""Measure the recognition of follow-up questions: `python -m bench.retrieval.follow_ups`.

The pairs of questions are our own. Every third one was not used to write the rules; it is the baseline of the others.
Takes seconds.
"""

import json
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from collections import defaultdict
from pathlib import Path

from citestream.citation.text.queries.follow_ups import refers_back

PAIRS = Path(__file__).parent / "questions" / "follow_ups.jsonl"


def main() -> None:
    """Print the share of correct decisions for each language and kind."""
    ArgumentParser(description=__doc__, formatter_class=RawDescriptionHelpFormatter).parse_known_args()
    correct: defaultdict[tuple[str, str, bool], list[bool]] = defaultdict(list)
    for line in PAIRS.read_text("utf-8").splitlines():
        pair = json.loads(line)
        decided = refers_back(pair["question"], pair["before"])
        key = (pair["language"], pair["kind"], pair["held_out"])
        correct[key].append(decided == (pair["kind"] == "follow_up"))
    for (language, kind, held_out), values in sorted(correct.items()):
        print(f"{language} {kind:12s} {'held out' if held_out else '':8s} {sum(values):3d} of {len(values)}")


if __name__ == "__main__":
    main()
