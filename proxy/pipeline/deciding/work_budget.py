"""A budget of work for the decisions about one answer, so that one request does not occupy the processor for minutes.

200 claims that share their words with 100 excerpts take 84 seconds, and a table of 10,000 rows more than 96. The work
is estimated from lengths and not measured, so that the same request always gets the same decisions.
"""

from contextvars import ContextVar
from enum import Enum, auto
from weakref import WeakSet

CLIENT: ContextVar[str] = ContextVar("client", default="")  # the tenant of the request; "" if clients have no keys

MS_PER_CLAIM = 0.25  # milliseconds of a claim, however little evidence there is
SENTENCES_PER_MS = 1_300  # sentences of the evidence that are scored for one claim in a millisecond
CHARACTERS_PER_MS = 20  # characters of a claim that are compared with one passage in a millisecond, when words agree
PASSAGE_CHARACTERS_PER_MS = 20_000  # characters of the passage's whole text that are read in a millisecond
REDUCED_FACTOR = 2  # budgets after which nothing is decided any more

# Running answers of one of several clients that together have so many budgets. Each has at least a part of its budget,
# which is more than an answer of 20 claims and 20 excerpts takes.
CLIENT_BUDGETS, LEAST_PART = 10, 0.05


class Precision(Enum):
    """How exactly the next sentence is decided."""

    COMPLETE = auto()
    REDUCED = auto()  # only the best evidence is compared
    NONE = auto()


class WorkBudgets:
    """The budgets of all running answers of a worker."""

    def __init__(self, milliseconds: float, *, several_clients: bool = False) -> None:
        """`milliseconds`: of one answer. `several_clients`: the answers of one client share a limit."""
        self._milliseconds = milliseconds
        self._several_clients = several_clients
        self._running: dict[str, WeakSet[WorkBudget]] = {}

    def open(self) -> "WorkBudget":
        """Return the budget of an answer for the client of this context."""
        client = CLIENT.get()
        budget = WorkBudget(self._milliseconds)
        if self._several_clients and client:
            running = budget.running = self._running.setdefault(client, WeakSet())
            running.add(budget)
        return budget


class WorkBudget:
    """The work for one answer so far, in estimated milliseconds."""

    def __init__(self, milliseconds: float) -> None:
        """Spend nothing yet."""
        self.running: WeakSet[WorkBudget] | None = None  # all answers of the client
        self._milliseconds = milliseconds
        self._scoring = self._deciding = 0.0

    @property
    def may_score(self) -> bool:
        """Whether a further sentence is scored."""
        return self._scoring < self._limit

    @property
    def precision(self) -> Precision:
        """How exactly the next sentence is decided."""
        if self._deciding < self._limit:
            return Precision.COMPLETE
        return Precision.REDUCED if self._deciding < REDUCED_FACTOR * self._limit else Precision.NONE

    def add_scoring(self, claims: int, sentences: float) -> None:
        """Add the work of scoring these claims with so many sentences of evidence."""
        self._scoring += claims * (MS_PER_CLAIM + sentences / SENTENCES_PER_MS)

    def add_comparisons(self, passages: int, claim: str, characters: float) -> None:
        """Add the work of comparing a claim with so many passages of so many characters on average."""
        self._deciding += passages * (len(claim) / CHARACTERS_PER_MS + characters / PASSAGE_CHARACTERS_PER_MS)

    def close(self) -> None:
        """End the answer, which leaves more to the others of its client."""
        if self.running is not None:
            self.running.discard(self)

    @property
    def _limit(self) -> float:
        if not self.running:
            return self._milliseconds
        part = CLIENT_BUDGETS / len(self.running)
        return self._milliseconds * max(LEAST_PART, min(1.0, part))
