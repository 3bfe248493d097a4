"""Statements about whole documents: how many false ones get a citation, how many true ones get none, and which.

`python -m bench.documents` reads the groups of documents in `tests/citation/support/documents/`. Each statement meets
all excerpts of its document. Of the held-out group, which is not used for tuning, only the numbers are printed. They
are the baseline of the groups that rules were tuned on. Takes 15 seconds.
"""

import argparse
import json
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from bench.near_misses import Outcome
from citestream.citation.evidence import Evidence
from citestream.citation.support.decision import explain
from citestream.citation.support.scorers import Claim, PreparedEvidence, scorer
from citestream.providers.retrieval.evidence_files import evidence_of

DATA = Path(__file__).parents[1] / "tests" / "citation" / "support" / "documents"
# name -> statements, each with the name of its document
GROUPS = {
    "eight documents: leaflet, minutes, lease, study, …": DATA / "statements.jsonl",
    "six documents: handbook, price list, report, …": DATA / "more_statements.jsonl",
    "six newer documents: rental terms, bicycles, clinic, …": DATA / "newer" / "statements.jsonl",
    "four documents in German, French, Spanish and Chinese": DATA / "languages" / "statements.jsonl",
}
HELD_OUT = {
    "six documents, held out": DATA / "held_out" / "english" / "statements.jsonl",
    "four more in these languages, held out": DATA / "held_out" / "statements.jsonl",
}


class Decided(NamedTuple):
    """A statement, whether it is true, whether it is cited, and the deciding reason of the best excerpt."""

    file: str
    claim: str
    supported: bool
    cited: bool
    probability: float
    reason: str


def main() -> None:
    """Print the number of wrong decisions by document, and the statements with wrong decisions."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument(
        "files", nargs="*", type=Path, help="files with file, claim, supported; the documents are in their folders"
    )
    options.add_argument("--scorer", default="lexical")
    chosen = options.parse_args()
    for name, statements in {**GROUPS, **HELD_OUT, **{str(file): file for file in chosen.files}}.items():
        decided = list(decide(statements, chosen.scorer))
        print(f"\n{name}\n{'':52} {'false claims cited':>15} {'true claims refused':>15}")
        for title, outcome in outcomes(decided).items():
            print(outcome.row(title))
        for one in sorted(decided, key=lambda one: (one.supported, one.file)):
            if one.cited != one.supported and name not in HELD_OUT:
                error = "true, refused" if one.supported else "false, cited "
                print(f"{error} {one.file:17} {one.probability:.2f} {one.claim} | {one.reason}")


def decide(statements: Path, scorer_name: str = "lexical") -> Iterator[Decided]:
    """Yield the decision about each statement of a file. The documents are in the same folder."""
    prepared: dict[str, PreparedEvidence] = {}
    for line in statements.read_text("utf-8").splitlines():
        statement = json.loads(line)
        file = statement["file"]
        if file not in prepared:
            excerpts = enumerate(evidence_of(statements.parent / file), 1)
            evidence = [Evidence(number, one["text"], f"e{number}", title=one.get("title")) for number, one in excerpts]
            prepared[file] = scorer(scorer_name).prepare(evidence)
        claim, excerpts_of_file = Claim(statement["claim"]), prepared[file]
        verdicts = explain(claim, excerpts_of_file.score(claim), excerpts_of_file)
        best = max(verdicts, key=lambda verdict: (verdict.cited, verdict.probability))
        yield Decided(file, claim.text, statement["supported"], best.cited, best.probability, best.summary)


def outcomes(decided: list[Decided]) -> dict[str, Outcome]:
    """Return the numbers of statements and of wrong decisions by document, and of all."""
    found: dict[str, Outcome] = {}
    for one in decided:
        for name in (one.file, "all"):
            outcome = found.setdefault(name, Outcome())
            outcome.claims[one.supported] += 1
            outcome.errors[one.supported] += one.cited != one.supported
    return {**{name: found[name] for name in sorted(found) if name != "all"}, "all": found["all"]}


if __name__ == "__main__":
    main()
