"""Base classes of the sections of the configuration."""

import os
from collections.abc import Mapping
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, model_validator

from .validation_errors import ConfigError


class Section(BaseModel):
    """A section of the configuration: immutable, and unknown keys are errors."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


class SectionWithKey(Section):
    """A section for a service that needs an API key. The key can be given in one of three ways."""

    api_key: str = Field(default="", repr=False, description="API key; prefer `${VARIABLE}` to a key in the file")
    api_key_env: str = Field(default="", description="environment variable that contains the API key")
    api_key_file: str = Field(default="", description="file that contains the API key")

    @model_validator(mode="after")
    def _one_key(self) -> "SectionWithKey":
        if sum(map(bool, (self.api_key, self.api_key_env, self.api_key_file))) > 1:
            raise ValueError("give only one of api_key, api_key_env and api_key_file")
        return self

    def secret(self, environ: Mapping[str, str] = os.environ) -> str:
        """Return the API key, or "" if none is configured.

        Raise ConfigError if the variable or the file does not contain one.
        """
        if self.api_key_env:
            if not environ.get(self.api_key_env):
                raise ConfigError(f"the variable {self.api_key_env} is not set or empty")
            return environ[self.api_key_env].strip()
        return read_secret(self.api_key_file) if self.api_key_file else self.api_key


def read_secret(path: str) -> str:
    """Return the content of a file without surrounding whitespace. Raise ConfigError if it is missing or empty."""
    try:
        text = Path(path).read_text(encoding="utf-8").strip()
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise ConfigError(f"{path} is not UTF-8 text") from None
    if not text:
        raise ConfigError(f"{path} is empty")
    return text
