"""The commands `citestream ask` and `citestream cite`: the same pipeline as in the server, with printed output."""

import sys
from dataclasses import replace

from ..apis.extensions import check_scorer
from ..config import Config
from ..http.encoding import dumps
from ..pipeline.cite_text import score_text
from ..scorers import Scorers
from .answer_session import AnswerSession, Files, parse_files, waiting_for
from .markdown_stream import SAFE
from .reports import FileLinks, print_claims, print_explanations, print_quotations, print_references


async def ask(
    config: Config, question: str, files: Files | None, model: str, scorer: str | None, *, as_json: bool
) -> None:
    """Print the answer to a question while it streams, then its references.

    Without `files` the evidence comes from the default retriever. Raise ProviderError, RequestError or FieldError.
    """
    async with AnswerSession(config, files, model, scorer) as session:
        printed = await session.answer([{"role": "user", "content": question}], as_json=as_json)
    if printed.error:
        raise printed.error


async def cite(
    config: Config,
    text: str,
    files: Files,
    scorer: str | None,
    *,
    as_json: bool,
    explain: bool = False,
    fail_under: float = 0.0,
) -> bool:
    """Print a finished text with markers, its references and, with `explain`, the decisions. Raise FieldError.

    Return whether at least the share `fail_under` of the claims is supported.
    """
    options = check_scorer(replace(config.citations, scorer=scorer) if scorer else config.citations)
    evidence = parse_files(files.entries, config)
    scorers = Scorers(config)
    try:
        with waiting_for("checking the text"):
            if scorer:  # named by the user, so words alone are no substitute
                scorers.require(scorers.resolve(options))
            scored = await score_text(text, evidence, options, config.evidence.labels, scorers, config.output.links)
            cited = await scored.cited()
            explanations = scored.explained() if explain else []
    finally:
        await scorers.aclose()
    body = {"object": "citation", "text": cited.text, **cited.fields}
    grounding = cited.fields["grounding"]
    passes: bool = grounding["supported"] >= fail_under * grounding["claims"]
    if as_json:
        print(
            dumps(
                body | ({"explained": [explanation.as_dict() for explanation in explanations]} if explain else {})
            ).decode()
        )
        return passes
    shown = cited.text.rstrip("\n")
    print(shown.translate(SAFE) if sys.stdout.isatty() else shown, end="\n\n")
    print_references(body, FileLinks({}, files.folder))
    print_explanations(explanations, evidence)
    if explain:
        print_quotations(grounding["quotations"], cited.text)
    if not passes:
        print_claims(body, cited.text, evidence)
    return passes
