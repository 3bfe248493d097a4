"""A cursor over the citations of an answer, for APIs that send each citation once, after its sentence."""

from citestream.citation.references import Citation

from ..http.client_api import Citations


class CitationCursor:
    """The citations of one choice that have not been sent."""

    def __init__(self, citations: Citations, choice: int = 0) -> None:
        """`citations`: those of the answer, which grow with it."""
        self._citations = citations
        self._choice = choice
        self._sent = 0

    def take(self, shown: int) -> list[Citation]:
        """Return the citations of sentences within the first `shown` code points that were not returned before."""
        waiting = self._citations.citations(self._choice)[self._sent :]
        new = [citation for citation in waiting if citation.span.end <= shown]
        self._sent += len(new)
        return new
