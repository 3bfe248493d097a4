"""Pages that show a cited passage in its document, for references without a URL."""

from .passage_links import AnswerPassages, PassageLinks, PassageRecorder

__all__ = ["AnswerPassages", "PassageLinks", "PassageRecorder"]
