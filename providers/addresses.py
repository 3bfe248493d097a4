"""Addresses: the name of a model as a part of one. A request brings the name, so it must not lead anywhere else."""

from urllib.parse import quote

from .errors import Rejected


def path_of(name: str) -> str:
    """The name for a path, slashes kept, everything else that means something in an address quoted.

    Raises Rejected for a name with an empty part or one of dots, which would climb out of its place.
    """
    parts = name.split("/")
    if any(not part.strip(".") for part in parts):
        raise Rejected("There is no model of this name.", status=404, param="model", code="model_not_found")
    return "/".join(quote(part, safe="@") for part in parts)
