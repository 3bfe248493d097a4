"""Evidence: a numbered source passage shown to the model."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Evidence:
    """One passage. `number` is the label in `[n]`, 1..N in the order given; `text` is what the model is shown."""

    number: int
    text: str
    id: str
    document_id: str | None = None
    file_name: str | None = None
    title: str | None = None
    url: str | None = None
    chunk_index: int | None = None
    page_number: int | None = None
    score: float | None = None
    chunk_type: str = "source"
    is_generated_artifact: bool = False
    artifact_kind: str | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)
