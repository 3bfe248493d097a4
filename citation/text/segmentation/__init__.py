"""Segmenter: text in pieces of any size in, sentences out; incremental, lossless, Markdown- and script-aware."""

from .boundaries import MarkerEnd
from .segmenter import Segmenter
from .sentence import CITABLE, DATA, VERBATIM, Kind, OpenSentence, SegmentLimits, Sentence
from .structured_blocks import StructuredBlocks

__all__ = [
    "CITABLE",
    "DATA",
    "VERBATIM",
    "Kind",
    "MarkerEnd",
    "OpenSentence",
    "SegmentLimits",
    "Segmenter",
    "Sentence",
    "StructuredBlocks",
]
