"""Section: what all parts of the configuration have in common."""

from pydantic import BaseModel, ConfigDict


class Section(BaseModel):
    """Frozen, and strict about its keys."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)
