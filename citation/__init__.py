"""Citations for streamed answers: text, evidence and scores in; cited sentences and references out.

Pure: no I/O, no asyncio, no SDK, no clock. Only the standard library and numpy.

    from citestream import Evidence, cite

    cited = cite("The bridge opened in 1932. It is red.", [Evidence(1, "The bridge was opened in 1932.", "e1")])
"""

from .answer import Answer
from .cite import CitedText, cite
from .draft import Draft
from .evidence import Evidence, FieldError
from .options import Options
from .references import Reference
from .response import Response
from .support.decision import Decision, Support, attribute
from .support.scorers import scorer

__all__ = [
    "Answer",
    "CitedText",
    "Decision",
    "Draft",
    "Evidence",
    "FieldError",
    "Options",
    "Reference",
    "Response",
    "Support",
    "attribute",
    "cite",
    "scorer",
]
