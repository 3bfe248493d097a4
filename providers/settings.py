"""Settings: the options that all providers over HTTP share."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from .transport import MAX_ANSWER_BYTES, MAX_EVENT_BYTES, Retries, Timeouts


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The options of one provider. `repr` leaves out `api_key` and `headers`, because it may end up in a log."""

    base_url: str = ""  # empty: the vendor's own
    api_key: str = field(default="", repr=False)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)  # added to every request
    api_version: str = ""  # Azure OpenAI: its api-version; Gemini: v1beta or v1
    azure: bool = False  # base_url is an Azure OpenAI resource
    responses: bool | Literal["auto"] = "auto"  # whether an OpenAI-compatible server has /responses; "auto": try it
    vertex: bool = False  # base_url is a Vertex AI address up to and including the location
    ca_file: str = ""  # PEM file with a certificate authority to trust besides the machine's own
    max_event_bytes: int = MAX_EVENT_BYTES  # limit of one event or line of a stream
    max_answer_bytes: int = MAX_ANSWER_BYTES  # limit of all events of one translated answer
    timeouts: Timeouts = field(default_factory=Timeouts)
    retries: Retries = field(default_factory=Retries)
