"""Why a sentence is cited as it is, as a table for people: the nearest evidence, its scores, and what decided."""

from collections.abc import Mapping, Sequence

from rich.console import RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from citestream.citation.evidence import Evidence
from citestream.citation.explanation import Explained
from citestream.citation.support.decision import Verdict

NEAREST = 5  # pieces of evidence shown of a sentence
PASSAGE = 70  # characters shown of the passage that was compared

# What the columns show: of each scorer's features, the one that says most to a person.
SCORES = {"words": ("cover_3", "token"), "meaning": ("near_1", "cosine"), "read": ("entailed",)}


def table(one: Explained, evidence: Sequence[Evidence], unsafe: Mapping[int, None]) -> list[RenderableType]:
    """What to print for a sentence. `unsafe`: the characters a terminal must not get."""
    if not one.text.strip():
        return []
    shown: list[RenderableType] = [Text("\n" + " ".join(one.text.translate(unsafe).split()), style="bold")]
    if one.verdicts:
        shown.append(Padding(_verdicts(one.verdicts, evidence, unsafe), (0, 0, 0, 1), expand=False))
    else:
        shown.append(Text("  makes no claim"))
    shown += [Text(f"  the model cited {number}, which no evidence has") for number in one.unknown]
    return shown


def _verdicts(verdicts: Sequence[Verdict], evidence: Sequence[Evidence], unsafe: Mapping[int, None]) -> Table:
    scores = {name: keys for name, keys in SCORES.items() if any(key in verdicts[0].features for key in keys)}
    found = Table("support", *scores, "evidence", "what decided", "passage", box=None, pad_edge=False)
    nearest = sorted(verdicts, key=lambda verdict: (not verdict.hinted, not verdict.cited, -verdict.probability))
    for verdict in nearest[:NEAREST]:
        item = evidence[verdict.number - 1]
        name = (item.file_name or item.title or item.id).translate(unsafe)
        hinted = ", cited by the model" if verdict.hinted else ""
        passage = " ".join(item.text[verdict.start : verdict.end].translate(unsafe).split())
        found.add_row(
            f"{verdict.probability:.2f}",
            *[_score(verdict, keys) for keys in scores.values()],
            Text(f"{verdict.number} {name}{hinted}"),
            Text(
                verdict.summary.translate(unsafe), style="green" if verdict.cited else "red" if verdict.refusal else ""
            ),
            Text(passage if len(passage) <= PASSAGE else f"{passage[: PASSAGE - 1]}…", style="dim"),
        )
    return found


def _score(verdict: Verdict, keys: Sequence[str]) -> str:
    return next((f"{verdict.features[key]:.2f}" for key in keys if key in verdict.features), "")
