"""Where evidence is fetched from for requests that bring none."""

from typing import Literal

from pydantic import Field

from .section import Section

STORE = ".citestream/evidence.db"  # where one works, like .git: found without being named, and easily deleted


class RetrieverConfig(Section):
    """One place where evidence is kept."""

    kind: Literal["folder"] = Field(description="folder: what `citestream index DIR` has read")
    store: str = Field(default=STORE, description="folder: the file that `citestream index` fills")
    url_prefix: str = Field(default="", description="folder: what file names follow on in the url of a reference")
    top_k: int = Field(default=8, ge=1, le=200, description="excerpts that an answer gets")
    min_score: float = Field(
        default=0.0, ge=0, description="excerpts below it are dropped; a folder scores from 0 to 1"
    )
    timeout: float = Field(default=5.0, gt=0, description="seconds that a search may take")
    on_failure: Literal["fail", "answer"] = Field(
        default="fail", description="answer: without evidence, and say so in `grounding`"
    )
    rewrite: str = Field(
        default="", description="provider/model that makes one query of a conversation; empty: its last question"
    )
