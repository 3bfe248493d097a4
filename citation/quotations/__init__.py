"""The quotation check: are the words of an answer in quotation marks the words of the evidence?

shown text ─► QuotationFinder ─► Quotation ─► compare with the evidence ─► exact, altered, stitched, …
"""

from .comparison import QuotationStatus
from .finder import Cited
from .marks import may_quote
from .report import QuotationReport

__all__ = ["Cited", "QuotationReport", "QuotationStatus", "may_quote"]
