"""Citations for streamed answers: text, evidence and numbers in; cited sentences and references out.

Pure: no I/O, no asyncio, no SDK, no clock. Only the standard library and numpy.

    from citestream import Evidence, cite

    cited = cite("The bridge opened in 1932. It is red.", [Evidence(1, "The bridge was opened in 1932.", "e1")])
"""

from .cite import CitedText, cite
from .evidence import Evidence, FieldError
from .options import Options

__all__ = ["CitedText", "Evidence", "FieldError", "Options", "cite"]
