"""All choices of one completion, with their shared references and grounding report."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

from ..dialects import dialect
from ..evidence import Evidence
from ..grounding import Grounding
from ..link_policy import LinkDefanger, LinkDefangers, LinkPolicy
from ..markers import MarkerNames
from ..markers.render import allowed_urls
from ..options import Options
from ..quotations import QuotationReport
from ..references import Citation, PassageLink, References
from ..support.scores import MAX_QUESTION_CHARACTERS
from ..text.segmentation import SegmentLimits
from .answer import Answer
from .host_labels import HostLabels
from .json_answer import JsonAnswer
from .json_values import CallValues

Fields = dict[str, Any]


class Response:
    """Creates an Answer per choice, and returns the fields that carry references and grounding."""

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
        host: HostLabels | None = None,
        answer_functions: Collection[str] = (),
        passage_link: PassageLink | None = None,
        question: str = "",
        expects_data: bool = False,
    ) -> None:
        """`evidence`: what the model received. `json`: the answer is JSON, so its text is not changed.

        `expects_data`: the prompt asks for JSON or another format. `question`: of the user. `answer_functions`: the
        functions whose calls carry the answer in their arguments. `passage_link`: see References. `links`: which of the
        model's links stay links. `host`: the labels of evidence that a host put into the prompt. The host shows the
        sources itself, so the answer then has no annotations, lists or fields of dialects.
        """
        self.options = _for_host(options, host) if host else options
        host_labels = host.labels if host else None
        self.references = References(
            evidence, options.numbering, labels, host_labels, passage_link, options.annotation_span
        )
        self.grounding = Grounding(
            options.scorer,
            host=host.host if host else "",
            refusal=host.refusal.value if host and host.refusal else "",
            received=len(evidence) if received is None else received,
            injected=len(evidence),
            dropped=tuple(item.number for item in dropped),
            quotations=QuotationReport(evidence, question),
        )
        self._host = host
        self._dialect = dialect(self.options.dialect)
        self.names = host.names if host else MarkerNames.from_evidence(evidence)
        self._limits = limits or SegmentLimits()
        self._json = json
        self._question = question[:MAX_QUESTION_CHARACTERS]
        self._expects_data = expects_data
        self._answer_functions = answer_functions
        self._links = links
        self.side_texts = LinkDefangers() if links != "allow" else None  # for other texts, such as reasoning
        self._answers: dict[int, Answer | JsonAnswer] = {}
        self._announced = 0  # references that the client of a stream has received

    def answer(self, choice: int) -> Answer | JsonAnswer:
        """Return the answer of this choice, created at first use."""
        answer = self._answers.get(choice)
        if answer is None:
            answer = self._answers[choice] = self._create_answer(choice)
        return answer

    def call_values(self) -> CallValues:
        """Return what collects the values of the tool calls of one choice."""
        return CallValues(self._answer_functions, self.names, self._question)

    def opening_fields(self) -> Fields:
        """Return the top-level fields of the first chunk."""
        return self._dialect.opening(self.references)

    def announce(self) -> tuple[list[Fields], Fields]:
        """Announce the references that are new since the last call.

        Return the top-level fields of the chunks that precede the sentence, and those of the sentence's own chunk. The
        latter are not in `delta`: OpenAI's client fails on a second list in the deltas of a choice.
        """
        announced, self._announced = self._announced, self.references.count
        if announced == self._announced:
            return [], {}
        new = self.references.by_first_use()[announced:]
        before = [fields for reference in new if (fields := self._dialect.first_use(self.references, reference))]
        at_first_use = self.options.references_when == "first_use"
        return before, {"references": self.references.as_list()} if at_first_use else {}

    @property
    def holds_whole(self) -> bool:
        """Whether the text of a choice is held until it ends. JSON is not held, because it is never replaced."""
        return self.options.release == "whole" and not self._json

    def may_abstain(self, choice: int) -> bool:
        """Return whether a message may replace the text of this choice. It never replaces structured output."""
        return bool(self.options.abstain_below) and not self.answer(choice).is_only_data

    def has_abstained(self, choice: int) -> bool:
        """Return whether a message replaces the text of this choice."""
        return choice in self.grounding.abstained

    def body_fields(self) -> Fields:
        """Return the top-level fields of a complete answer, which has no extra chunks."""
        return self._dialect.body(self.references)

    def choice_fields(self, choice: int) -> Fields:
        """Return the fields of the finish chunk's delta, or of the message, of a choice."""
        fields: Fields = {"references": self.references.as_list(choice)}
        if self._dialect.annotations and not self._host:
            fields["annotations"] = self.annotations(choice)
        return fields | self._dialect.finish(self.references, choice)

    def annotations(self, choice: int) -> list[Fields]:
        """Return the annotations of a choice so far; none if a host shows the sources itself."""
        return [] if self._host else self.references.annotations(choice)

    def citations(self, choice: int) -> Sequence[Citation]:
        """Return the citations of a choice so far; none if a host shows the sources itself, or of JSON."""
        return () if self._host or self._json else self.references.citations(choice)

    def response_fields(self) -> Fields:
        """Return the top-level fields of the finish chunk, or of a complete answer."""
        return {
            "references": self.references.as_list(),
            "grounding": self.grounding.as_dict(),
            **({} if self._host else self._source_lists()),
            **(self._explanations() if self.options.explain else {}),
        }

    def link_defanger(self) -> LinkDefanger | None:
        """Return a LinkDefanger for one text of this response, or None if the policy allows all links."""
        if self._links == "allow":
            return None
        evidence = self.references.evidence.values() if self._links == "evidence" else ()
        return LinkDefanger({url for item in evidence for url in allowed_urls(item)})

    def _source_lists(self) -> Fields:
        """Return the lists of sources that clients show."""
        return {"citations": self.references.urls(), "search_results": self.references.search_results()}

    def _explanations(self) -> Fields:
        """Return the verdicts on each claim, and the evidence to which they refer."""
        evidence = [asdict(item) for item in self.references.evidence.values()]
        return {"explained": {"claims": list(self.grounding.explained), "evidence": evidence}}

    def _create_answer(self, choice: int) -> Answer | JsonAnswer:
        if self._json:
            return JsonAnswer(choice, self.names, self.references, self.grounding, self._question)
        defanger = self.link_defanger()
        return Answer(
            choice,
            self.names,
            self.references,
            self.grounding,
            self.options,
            self._limits,
            defanger,
            self._host,
            self._question,
            expects_data=self._expects_data,
        )


def _for_host(options: Options, host: HostLabels) -> Options:
    """Return the options of an answer whose sources a host shows. The limit counts passages, not labels."""
    return replace(
        options,
        max_per_sentence=options.max_per_sentence * host.passages_per_label,
        references_in_text=False,
        enrich=False,
        dialect="openai",
    )
