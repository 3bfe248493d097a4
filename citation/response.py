"""Response: all choices of one completion; one registry of references and one grounding report for them."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from .answer import Answer
from .dialects import dialect
from .evidence import Evidence
from .grounding import Grounding
from .json_answer import JsonAnswer
from .link_policy import LinkPolicy, Unlinker, Unlinkers
from .markers import MarkerNames
from .markers.render import web_addresses
from .options import Options
from .references import References
from .text.segmentation import SegmentLimits

Fields = dict[str, Any]


class Response:
    """Hands out an Answer for each choice and, at the end, the fields that carry what was found."""

    def __init__(
        self,
        evidence: Sequence[Evidence],
        options: Options,
        *,
        received: int | None = None,
        dropped: Sequence[Evidence] = (),
        labels: Mapping[str, str] | None = None,
        limits: SegmentLimits | None = None,
        json: bool = False,
        links: LinkPolicy = "allow",
    ) -> None:
        """`evidence`: what the model was shown. `json`: the answer is JSON, which nothing may touch.

        `links`: which of those that the model writes stay links.
        """
        self.options = options
        self.references = References(evidence, options.numbering, labels)
        self.grounding = Grounding(
            options.scorer,
            received=len(evidence) if received is None else received,
            injected=len(evidence),
            dropped=tuple(item.number for item in dropped),
        )
        self._dialect = dialect(options.dialect)
        self.names = MarkerNames.of(evidence)
        self._limits = limits or SegmentLimits()
        self._json = json
        self._links = links
        self.beside = Unlinkers() if links != "allow" else None  # for texts that are no answer, such as reasoning
        self._answers: dict[int, Answer | JsonAnswer] = {}

    def answer(self, choice: int) -> Answer | JsonAnswer:
        """The answer of that choice, begun at its first use."""
        answer = self._answers.get(choice)
        if answer is None:
            answer = self._answers[choice] = self._begin(choice)
        return answer

    def opening(self) -> Fields:
        """Top-level fields of the first chunk."""
        return self._dialect.opening(self.references)

    def closing(self, choice: int) -> list[Fields]:
        """Top-level fields of chunks of their own, between the text and the finish chunk."""
        return self._dialect.closing(self.references, choice)

    def of_body(self) -> Fields:
        """Top-level fields of an answer in one piece, in the place of `closing`."""
        return self._dialect.body(self.references)

    def of_choice(self, choice: int) -> Fields:
        """What the finish chunk's delta, or the message, of a choice carries."""
        fields: Fields = {"references": self.references.as_list(choice)}
        if self._dialect.annotations:
            fields["annotations"] = self.references.annotations(choice)
        return fields | self._dialect.finish(self.references, choice)

    def overall(self) -> Fields:
        """What stands at top level beside the finish, so far."""
        return {
            "references": self.references.as_list(),
            "grounding": self.grounding.as_dict(),
            "citations": self.references.urls(),
            "search_results": self.references.search_results(),
        } | (self._explained() if self.options.explain else {})

    def unlinker(self) -> Unlinker | None:
        """What takes the links in one text of this response apart; None where the policy allows all of them."""
        if self._links == "allow":
            return None
        addresses = map(web_addresses, self.references.evidence.values()) if self._links == "evidence" else ()
        return Unlinker({address for both in addresses for address in both})

    def _explained(self) -> Fields:
        """Why each claim is cited as it is, and the evidence that the verdicts speak of."""
        shown = [asdict(item) for item in self.references.evidence.values()]
        return {"explained": {"claims": list(self.grounding.explained), "evidence": shown}}

    def _begin(self, choice: int) -> Answer | JsonAnswer:
        if self._json:
            return JsonAnswer(choice, self.references, self.grounding)
        return Answer(choice, self.names, self.references, self.grounding, self.options, self._limits, self.unlinker())
