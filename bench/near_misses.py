"""Near-misses by class and language: false claims that get a citation, and true claims that get none.

`python -m bench.near_misses [FILE.jsonl ...]` sends every claim with its evidence and two unrelated excerpts through
the citation of finished text. It prints separate tables for the development part and the held-out part of
`bench/data/near_misses/`, and for each file given. Nothing may be tuned on the held-out part, which is the baseline of
the other one. Takes a minute.
"""

import argparse
import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bench.data.data_sets import NEAR_MISSES
from citestream.citation import Evidence, Options, cite

DATA = Path(__file__).parent / "data" / "near_misses"
UNRELATED = (
    "The botanical garden keeps a collection of alpine plants that flower from May until September.",
    "A sourdough starter is fed with flour and water every day until it doubles in volume.",
)


@dataclass(frozen=True, slots=True)
class NearMiss:
    """A claim, its evidence, and whether the evidence supports it."""

    kind: str  # the class of the pair
    language: str
    evidence: str
    claim: str
    supported: bool


@dataclass(slots=True)
class Outcome:
    """Number of claims and of wrong citations in one class or language."""

    claims: Counter[bool] = field(default_factory=Counter)  # supported -> number
    errors: Counter[bool] = field(default_factory=Counter)  # supported -> true refused, or false cited

    @property
    def false_cited(self) -> float:
        """Share of the unsupported claims that got a citation."""
        return self.errors[False] / max(1, self.claims[False])

    @property
    def true_refused(self) -> float:
        """Share of the supported claims that got no citation."""
        return self.errors[True] / max(1, self.claims[True])

    def row(self, name: str) -> str:
        """Return a line of the table."""
        cited = f"{self.errors[False]}/{self.claims[False]}"
        refused = f"{self.errors[True]}/{self.claims[True]}"
        return f"{name:52} {cited:>8} {self.false_cited:6.0%} {refused:>8} {self.true_refused:6.0%}"


def main() -> None:
    """Measure both parts and the given files, and print a table for each."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("files", nargs="*", type=Path, help="files with pair, class, lang, evidence, claim, supported")
    options.add_argument("--scorer", default="lexical")
    chosen = options.parse_args()
    parts = {
        "development part": sorted(DATA.glob("*.jsonl")),
        "held-out part": sorted((DATA / "held_out").glob("*.jsonl")),
        **{file.name: [file] for file in chosen.files},
    }
    for name, files in parts.items():
        print(f"\n{name}")
        print_table(measure(load(files), Options(scorer=chosen.scorer)))


def load(files: Iterable[Path]) -> list[NearMiss]:
    """Return the claims of JSON-lines files."""
    lines = (line for file in files for line in file.read_text("utf-8").splitlines() if line)
    raw = map(json.loads, lines)
    return [NearMiss(r["class"], r["lang"], r["evidence"], r["claim"], r["supported"]) for r in raw]


def records(claims: Sequence[NearMiss]) -> list[dict[str, Any]]:
    """Return the claims as labelled records, with the same unrelated excerpts."""
    return [
        {
            "id": f"{NEAR_MISSES}-{number}",
            "dataset": NEAR_MISSES,
            "lang": one.language,
            "answer_sentences": [one.claim],
            "evidence": [{"id": f"e{n}", "text": text} for n, text in enumerate((one.evidence, *UNRELATED), 1)],
            "gold": [[0] if one.supported else []],
            "gold_alt": [[]],
            "ignore": [[]],
            "sent_label": ["supported" if one.supported else "unsupported"],
            "gold_level": "chunk",
        }
        for number, one in enumerate(claims)
    ]


def development() -> list[NearMiss]:
    """Return the part of our own claims that may be used for tuning."""
    return load(sorted(DATA.glob("*.jsonl")))


def measure(claims: Sequence[NearMiss], options: Options) -> dict[str, Outcome]:
    """Cite every claim. Return the outcomes by class and language, and of all claims."""
    found: dict[str, Outcome] = {}
    for one in claims:
        error = is_cited(one, options) != one.supported
        for name in (one.kind, f"language: {one.language}", "all"):
            outcome = found.setdefault(name, Outcome())
            outcome.claims[one.supported] += 1
            outcome.errors[one.supported] += error
    return found


def is_cited(one: NearMiss, options: Options) -> bool:
    """Return whether the claim gets a citation of its evidence."""
    texts = (one.evidence, *UNRELATED)
    evidence = [Evidence(number, text, f"e{number}") for number, text in enumerate(texts, 1)]
    return any(support.number == 1 for found in cite(one.claim, evidence, options).supports for support in found)


def print_table(outcomes: dict[str, Outcome]) -> None:
    """Print one line for each class, for each language, and for all claims."""
    print(f"{'':52} {'false claims cited':>15} {'true claims refused':>15}")
    for name in sorted(outcomes, key=lambda name: (name == "all", name.startswith("language"), name)):
        print(outcomes[name].row(name))


if __name__ == "__main__":
    main()
