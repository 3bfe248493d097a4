"""Evidence that a RAG host has put into the prompt. It keeps the host's labels, and the messages stay as they are."""

import logging
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from citestream.citation.evidence import FieldError, parse_evidence
from citestream.citation.evidence.hosts import Refusal, recognise
from citestream.providers.events import Message

from ...config import EvidenceConfig
from .job import JobEvidence
from .long_input import read_input

log = logging.getLogger("citestream")


async def host_evidence(messages: Sequence[Message], config: EvidenceConfig) -> JobEvidence | None:
    """Return the evidence that a host put into these messages; None if no host is recognised.

    If reading fails, return no evidence: the request passes through unchanged.
    """
    if config.from_prompt == "off":
        return None
    try:
        return await read_input(partial(_read, messages, config), messages)
    except Exception:
        log.exception("reading the evidence in a prompt failed")
    return JobEvidence()


def _read(messages: Sequence[Message], config: EvidenceConfig) -> JobEvidence | None:
    """Return the evidence of a recognised host.

    If it exceeds the limits of `config`, no passage is evidence. The markers of the answer are then removed, because
    one long passage must not switch verification off.
    """
    prompt = recognise(messages, config.from_prompt if isinstance(config.from_prompt, tuple) else ())
    if prompt is None:
        return None
    passages = [{"text": passage.text, **passage.fields} for passage in prompt.passages]
    try:
        return JobEvidence(parse_evidence(passages, limits=config.limits), prompt=prompt)
    except FieldError as error:
        log.warning("the evidence in a prompt is not used: %s %s", error.path, error.message)
    labels = dict.fromkeys([*(passage.label for passage in prompt.passages if passage.label), *prompt.refused_labels])
    refused = replace(prompt, passages=(), refusal=Refusal.TOO_LARGE, refused_labels=tuple(labels))
    return JobEvidence(prompt=refused)
