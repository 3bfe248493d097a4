"""Pieces of a sentence, the parts between commas and conjunctions, and the clauses that they form."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from .vocabulary import WordRoles


@dataclass(slots=True)
class Pieces:
    """The pieces of a sentence, by their numbers from 0. Words are given by their index."""

    count: int  # words of the sentence
    begins: list[int] = field(default_factory=lambda: [0])  # the first word of each piece
    verbs: set[int] = field(default_factory=set)  # pieces with a predicate
    breaks: set[int] = field(default_factory=set)  # pieces that always begin a clause
    resumed: dict[int, int] = field(default_factory=dict)  # pieces that continue the clause of another piece
    last: int = 0  # the last piece

    def begin(self, word: int, *, clause: bool) -> None:
        """Begin a piece at a word. `clause`: it always begins a clause, too."""
        self.begins.append(word)
        self.last += 1
        if clause:
            self.breaks.add(self.last)

    def span(self, piece: int) -> tuple[int, int]:
        """Return the first word of a piece, and the word after its last."""
        return self.begins[piece], self.begins[piece + 1] if piece < self.last else self.count

    def of_words(self) -> list[int]:
        """Return the piece of each word."""
        pieces: list[int] = []
        for piece, first in enumerate(self.begins):
            pieces += [piece - 1] * (first - len(pieces))
        return pieces + [self.last] * (self.count - len(pieces))

    def clauses(self, roles: Sequence[WordRoles], is_complement: Callable[[int], bool]) -> list[int]:
        """Return the clause of each piece. A clause begins at a piece if both sides have a predicate.

        `roles`: those of each word. `is_complement`: whether a piece is a part of its neighbour's clause.
        """
        clause_of, last, has_verb = [0], 0, False
        for piece in range(len(self.begins)):
            verb = piece in self.verbs
            clause = clause_of[-1]
            if piece in self.resumed:
                clause = clause_of[self.resumed[piece] + 1]
            elif piece and (piece in self.breaks or (verb and has_verb)) and not is_complement(piece):
                clause, has_verb = last + 1, False
            if clause > last and piece > 1 and self._shares_verb(piece, roles):
                clause_of[-1] = clause
            last, has_verb = max(last, clause), has_verb or verb
            clause_of.append(clause)
        return clause_of[1:]

    def _shares_verb(self, piece: int, roles: Sequence[WordRoles]) -> bool:
        """Return whether the piece before has a part of the subject: "but the hall and a shed burned"."""
        joined = roles[self.begins[piece - 1]].conjunction and roles[self.begins[piece]].conjunction
        return joined and piece - 1 not in self.verbs and piece not in self.breaks
