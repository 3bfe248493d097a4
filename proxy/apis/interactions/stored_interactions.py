"""Ids of interactions, and the names under which they are stored with their conversation."""

import re

PREFIX = "interaction_"
OWN_ID = re.compile(r"interaction_[0-9a-f]{32}")


def interaction_key(interaction_id: str) -> str:
    """Return the key under which an interaction is stored. It is never the id of an answer."""
    return f"conversation:{interaction_id}"


def is_own_interaction(interaction_id: object) -> bool:
    """Return whether an id has the form of those that Citestream makes."""
    return isinstance(interaction_id, str) and bool(OWN_ID.fullmatch(interaction_id))
