"""Compare the CPU time of citing with that of an older revision: preparation of evidence, scores and decisions.

python -m bench.decision_cost                         # this tree only
python -m bench.decision_cost --baseline 8a9cf59      # and the ratio to a revision

A process for each tree gets the same input in turns: 20 excerpts that no earlier round had, and an answer of 30
sentences, scored and decided one after the other. The answers repeat sentences of documents, or consist of our own
near-misses, half of them false. The baseline is the older revision. Ratios are those of the same round; the quartiles
show their spread. Takes a minute for each tree.
"""

import argparse
import gc
import json
import os
import re
import shutil
import subprocess  # nosec B404 # runs this file with the source of another revision
import sys
import tarfile
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from importlib import import_module
from inspect import signature
from io import BytesIO
from itertools import cycle, islice
from operator import truediv
from pathlib import Path
from statistics import median, quantiles
from time import process_time
from typing import Any, NamedTuple

ROOT = Path(__file__).parents[1]
ROUNDS, WARM_UP = 40, 5
EXCERPTS, SENTENCES = 20, 30
CHARACTERS = {"en": 700, "zh": 230}  # length of an excerpt; a Chinese one of equal content is a third as long
_SENTENCE_END = re.compile(r"(?<=[a-z])(?=\.(?:\s|$))|(?=。)")
PARTS = ("prepare", "score", "decide")

# Where each function is, in this revision and in older ones.
_LAYOUTS = {
    "Evidence": ("citestream.citation.evidence:Evidence", "citation.evidence:Evidence"),
    "Claim": ("citestream.citation.support.scorers:Claim", "citation.scoring:Claim"),
    "scorer": ("citestream.citation.support.scorers:scorer", "citation.scoring:scorer"),
    "calibrate_all": ("citestream.citation.support.calibration:calibrate_all", "citation.scoring.calibration:judged"),
    "attribute": ("citestream.citation.support.decision:attribute", "citation.attribute:attribute"),
}


class Case(NamedTuple):
    """The evidence and the answer of one request."""

    excerpts: list[str]
    sentences: list[str]
    cited: list[list[int]]  # the numbers that the model cited in each sentence


Make = Callable[[int], Case]  # from the number of the round
Cost = dict[str, float]  # milliseconds by part, and the number of citations


def main() -> None:
    """Print the milliseconds of each part per answer, or the costs of the requests that a parent process sends."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--baseline", metavar="REVISION")
    options.add_argument("--rounds", type=int, default=ROUNDS)
    options.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    chosen = options.parse_args()
    if chosen.serve:
        serve()
        return
    with ExitStack() as running:
        trees = [running.enter_context(worker(ROOT))]
        if chosen.baseline:
            trees.append(running.enter_context(worker(running.enter_context(source_of(chosen.baseline)))))
        print(
            f"{'ms per answer':24}{'part':18}{'now':>8}"
            + f"{'baseline':>10}{'ratio':>8}   quartiles" * (len(trees) > 1)
        )
        for name, make in cases().items():
            costs = [[ask(make(at)) for ask in trees] for at in range(WARM_UP + chosen.rounds)][WARM_UP:]
            for line in lines(costs):
                print(f"{name:24}{line}", flush=True)


def lines(rounds: list[list[Cost]]) -> Iterator[str]:
    """Yield a line for each part and for all parts together, with the ratio if there is a baseline."""
    for part, names in (*((part, (part,)) for part in PARTS), ("all", PARTS)):
        trees = [[sum(cost[name] for name in names) for cost in of_tree] for of_tree in zip(*rounds, strict=True)]
        line = f"{part:18}" + "".join(f"{median(of_tree):{8 + 2 * at}.2f}" for at, of_tree in enumerate(trees))
        if len(trees) > 1:
            ratios = list(map(truediv, *trees))
            low, _, high = quantiles(ratios, n=4)
            line += f"{median(ratios):8.2f}   {low:.2f} to {high:.2f}"
        yield line
    cited = [sum(int(cost["citations"]) for cost in of_tree) for of_tree in zip(*rounds, strict=True)]
    yield f"{'citations':18}" + "".join(f"{number:{8 + 2 * at}}" for at, number in enumerate(cited))


@contextmanager
def source_of(revision: str) -> Iterator[Path]:
    """Yield a temporary folder with the files of a revision. Raise CalledProcessError if Git does not know it."""
    archive = subprocess.run(  # nosec B603 # the files of a revision
        [shutil.which("git") or "git", "archive", revision], cwd=ROOT, stdout=subprocess.PIPE, check=True
    ).stdout
    with tempfile.TemporaryDirectory() as folder:
        with tarfile.open(fileobj=BytesIO(archive)) as files:
            files.extractall(folder, filter="data")  # nosec B202 # our own files
        yield Path(folder)


@contextmanager
def worker(source: Path) -> Iterator[Callable[[Case], Cost]]:
    """Run this file with the packages in `source`, and yield a function that measures a case there."""
    command = [sys.executable, str(Path(__file__).resolve()), "--serve"]
    with subprocess.Popen(  # nosec B603 # runs this file
        command,
        cwd=source,
        env=os.environ | {"PYTHONPATH": str(source)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdin
        assert process.stdout
        asked, answered = process.stdin, process.stdout

        def measure_there(case: Case) -> Cost:
            print(json.dumps(case), file=asked, flush=True)
            cost: Cost = json.loads(answered.readline())
            return cost

        yield measure_there
        asked.close()


def serve() -> None:
    """Measure the cases on standard input, a line each, and print their costs. Garbage is collected in between."""
    known = {name: _imported(places) for name, places in _LAYOUTS.items()}
    gc.disable()
    for line in sys.stdin:
        print(json.dumps(measure(Case(*json.loads(line)), known)), flush=True)
        gc.collect()


def measure(case: Case, known: Mapping[str, Any]) -> Cost:
    """Cite one answer. `known`: what the names in _LAYOUTS stand for."""
    hinted = "hints" in signature(known["attribute"]).parameters  # in earlier versions, not in the claim
    counted = "cited_before" in signature(known["Claim"]).parameters  # earlier versions know only whether it cited any
    cited_before = Counter[int]()
    evidence = [known["Evidence"](number, text, f"e{number}") for number, text in enumerate(case.excerpts, 1)]
    contexts = ["", *case.sentences]
    clock = process_time()
    prepared = known["scorer"]("lexical").prepare(evidence)
    cost = {"prepare": process_time() - clock, "score": 0.0, "decide": 0.0}
    citations = 0
    for text, context, cited in zip(case.sentences, contexts, case.cited, strict=False):
        before = {"cited_before": dict(cited_before)} if counted else {"model_cites": bool(cited or cited_before)}
        cited_before.update(cited)
        of_model = {} if hinted else {"cited": frozenset(cited), **before}
        claim = known["Claim"](text, context, **of_model)
        began = process_time()
        scores = known["calibrate_all"]([prepared.score(claim)])[0]
        scored = process_time()
        decision = known["attribute"](claim, scores, prepared, **({"hints": frozenset(cited)} if hinted else {}))
        cost["score"] += scored - began
        cost["decide"] += process_time() - scored
        citations += len(decision.supports)
    return {name: 1000 * seconds for name, seconds in cost.items()} | {"citations": citations}


def _imported(places: tuple[str, ...]) -> Any:
    """Return the first of these attributes, `module:name`, that the current folder has. Raise ImportError if none.

    An installed package, which is this tree, can be imported in every folder.
    """
    for place in places:
        module, _, name = place.partition(":")
        if Path(*module.split(".")[:1], "__init__.py").exists():
            return getattr(import_module(module), name)
    raise ImportError(f"none of {', '.join(places)} exists")


def cases() -> dict[str, Make]:
    """Return the inputs by name."""
    return {
        "English documents": documents,
        "English near-misses": lambda at: near_misses("en", at),
        "Chinese near-misses": lambda at: near_misses("zh", at),
    }


def documents(at: int) -> Case:
    """Return excerpts of documents, and an answer that consists of their sentences."""
    from bench.answer_cost import claims_of
    from bench.proxy.sample_text import answer, excerpts

    claims = list(islice(cycle(claims_of("".join(answer(1000).tokens))), SENTENCES))
    return Case(
        [_unlike(text, at) for text in excerpts(EXCERPTS)],
        [_unlike(claim.text, at) for claim in claims],
        [sorted(claim.cited) for claim in claims],
    )


def near_misses(language: str, at: int) -> Case:
    """Return excerpts of passages one after the other, and an answer of claims about them, half of them false."""
    from bench.near_misses import development

    claims = [one for one in development() if one.language == language]
    passages = cycle(dict.fromkeys(one.evidence for one in claims))
    excerpts: list[str] = []
    while len(excerpts) < EXCERPTS:
        parts = [next(passages)]
        while sum(map(len, parts)) < CHARACTERS[language]:
            parts.append(next(passages))
        excerpts.append(("" if language == "zh" else " ").join(parts))
    number = {one.claim: at for one in claims for at, text in enumerate(excerpts, 1) if one.evidence in text}
    asked = list(number)[:: max(1, len(number) // SENTENCES)][:SENTENCES]
    return Case(
        [_unlike(text, at) for text in excerpts],
        [_unlike(claim, at) for claim in asked],
        [[number[claim]] if n % 2 else [] for n, claim in enumerate(asked)],  # the model cites every other sentence
    )


def _unlike(text: str, at: int) -> str:
    """Return the text with white space in every sentence that only this round has, so that no cache knows it.

    It is before the full stop, since what follows a sentence is removed before the sentence is parsed.
    """
    space = "".join("\t" if at >> bit & 1 else " " for bit in range(6))
    return _SENTENCE_END.sub(space, text) + space


if __name__ == "__main__":
    main()
