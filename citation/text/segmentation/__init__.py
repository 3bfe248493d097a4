"""Segmenter: text in pieces of any size in, sentences out; incremental, lossless, Markdown- and script-aware."""

from .boundaries import MarkerEnd
from .segmenter import Segmenter
from .sentence import CITABLE, VERBATIM, Kind, OpenSentence, SegmentLimits, Sentence

__all__ = ["CITABLE", "VERBATIM", "Kind", "MarkerEnd", "OpenSentence", "SegmentLimits", "Segmenter", "Sentence"]
