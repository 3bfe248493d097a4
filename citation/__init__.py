"""Citations for streamed answers: text, evidence and scores in; cited sentences and references out.

Pure: no I/O, no asyncio, no SDK, no clock. Only the standard library and numpy.

    from citestream import Evidence, cite

    cited = cite("The bridge opened in 1932. It is red.", [Evidence(1, "The bridge was opened in 1932.", "e1")])
"""

from .answers.answer import Answer
from .answers.draft import Draft
from .answers.response import Response
from .cite import CitedText, cite
from .evidence import Evidence, FieldError
from .options import Options
from .references import Reference
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
