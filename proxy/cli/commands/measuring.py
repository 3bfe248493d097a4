"""The commands that measure quality on labelled data: `eval` and `judge-check`."""

from pathlib import Path

import click

from ..arguments import CONFIG, InputPath, check_scorer_name, complete_scorer, read_config
from ..running import fail


@click.command("eval", short_help="Measure the citations of labelled answers.")
@click.argument("files", nargs=-1, required=True, type=InputPath(dir_okay=False, path_type=Path))
@click.option(
    "--scorer",
    metavar="NAME",
    default="lexical",
    show_default=True,
    callback=check_scorer_name,
    shell_complete=complete_scorer,
    help="Measure of similarity.",
)
@click.option(
    "--plot",
    metavar="PNG|SVG|PDF",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Plot precision, recall and calibration to a file.",
)
@CONFIG
@click.option("--json", "as_json", is_flag=True, help="Print the results as JSON.")
def evaluate(files: tuple[Path, ...], scorer: str, plot: Path | None, path: str | None, as_json: bool) -> None:
    """Measure the precision, recall, F1 and support accuracy of citations on labelled FILES in JSONL or Parquet format.

    A line is an answer: `answer_sentences`, `evidence` (objects with `text`), and for each sentence `sent_label`
    ("supported", "unsupported", or "partial" and "unjudged", which do not count) and `gold`, the indexes of the
    evidence that supports it, from 0.

    Rows of LLM-AggreFact (`dataset`, `doc`, `claim`, `label`) and RAGTruth (`response.jsonl`, with `source_info.jsonl`
    in the same folder; only its test split) are read, too. Parquet files need pyarrow.

    \b
    citestream eval labelled.jsonl
    citestream eval labelled.jsonl --scorer hybrid --config my.yaml --plot curves.png
    citestream eval labelled.jsonl --json | jq .quality.ALL.f1
    """
    from citestream.citation.evidence import FieldError

    from ..checking.eval_command import run as run_eval

    try:
        run_eval(files, scorer, as_json=as_json, plot=plot, config=read_config(path))
    except (FieldError, OSError, ValueError) as error:
        fail(str(error))


@click.command("judge-check", short_help="Measure a model as a judge.")
@click.argument("model")
@click.argument("files", nargs=-1, type=InputPath(dir_okay=False, path_type=Path))
@click.option("--sample", type=int, default=0, help="Number of answers to measure.  [default: all]")
@click.option("--price", type=float, default=0.0, help="Price of a million tokens, to print the cost.")
@CONFIG
@click.option("--json", "as_json", is_flag=True, help="Print the results as JSON.")
def judge_check(
    model: str, files: tuple[Path, ...], sample: int, price: float, path: str | None, as_json: bool
) -> None:
    """Measure what MODEL changes as a judge of natural answers: citations kept and removed, time and cost.

    MODEL is provider/model, or onnx:FOLDER of a cross-encoder. FILES are natural answers in JSONL format; without any,
    the 48 answers of the package are used. Each answer is cited without the judge and with it.

    \b
    citestream judge-check ollama/bespoke-minicheck
    citestream judge-check openai/gpt-4.1-nano --sample 20 --price 0.10
    citestream judge-check onnx:models/minicheck answers.jsonl --json
    """
    from citestream.citation.evidence import FieldError
    from citestream.providers.errors import ProviderError

    from ...config import ConfigError
    from ...http.error_responses import RequestError
    from ..checking.judge_check import run as run_judge_check

    try:
        run_judge_check(files, model, sample=sample, price=price, as_json=as_json, config=read_config(path))
    except (ConfigError, FieldError, OSError, RequestError) as error:
        fail(str(error))
    except ProviderError as error:
        fail(error.message)
