"""Section: what parts of the configuration have in common; and keys, which may come from three places."""

import os
from collections.abc import Mapping
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, model_validator

from .validation_errors import ConfigError


class Section(BaseModel):
    """Frozen, and strict about its keys."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


class Keyed(Section):
    """What is asked with a key; at most one of the three ways to give it."""

    api_key: str = Field(default="", repr=False, description="its key; better `${VARIABLE}` than in the file")
    api_key_env: str = Field(default="", description="the variable of the environment that holds the key")
    api_key_file: str = Field(default="", description="a file that holds the key")

    @model_validator(mode="after")
    def _one_key(self) -> "Keyed":
        if sum(map(bool, (self.api_key, self.api_key_env, self.api_key_file))) > 1:
            raise ValueError("give only one of api_key, api_key_env and api_key_file")
        return self

    def secret(self, environ: Mapping[str, str] = os.environ) -> str:
        """Its key, or nothing. Raises ConfigError for a variable or file that does not hold one."""
        if self.api_key_env:
            if not environ.get(self.api_key_env):
                raise ConfigError(f"the variable {self.api_key_env} is not set or empty")
            return environ[self.api_key_env].strip()
        return content(self.api_key_file) if self.api_key_file else self.api_key


def content(path: str) -> str:
    """What a file holds, without the space around it. Raises ConfigError."""
    try:
        text = Path(path).read_text(encoding="utf-8").strip()
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise ConfigError(f"{path} is not UTF-8 text") from None
    if not text:
        raise ConfigError(f"{path} is empty")
    return text
