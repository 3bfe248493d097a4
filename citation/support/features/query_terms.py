"""The query terms of a claim: each with the alternatives by which evidence may say the same, and its weights."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from functools import lru_cache
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from ...text import Analysis, analyze_sentence
from ...text.clauses import LANGUAGES, chinese_words
from ...text.clauses.vocabulary import vocabulary
from ...text.normalize import UNSPACED, character_pairs, fold, has_kana_or_hangul
from ...text.words import compounds
from ...text.words.concepts import (
    NO_SYNONYMS,
    Synonyms,
    chinese_synonyms,
    consonant_skeleton,
    synonyms,
    synonyms_in_run,
)
from ..scores import Claim
from .claim_numbers import ClaimNumbers
from .excerpts import language_of
from .index import Index

_UNSPACED = re.compile(f"[{UNSPACED}]")
_HAN_RUN = re.compile("[\u3400-\u9fff]+")
_HAN = re.compile("[\u3040-\u30ff\u3400-\u9fff]")

# Credit for a match: the term itself, a synonym or translation, a likely cognate.
EXACT, SYNONYM, COGNATE = 1.0, 0.85, 0.7
# Credit for all characters of a term without spaces, and the weight of a Chinese word of one character, which evidence
# often has as a part of other words. Without credit for characters the AUC on left-out Chinese data is .01 to .04
# smaller. With a credit of 0.3 to 0.85 it is the same within .02.
_ALL_CHARACTERS, _ONE_CHARACTER = 0.3, 0.25
Floats = NDArray[np.float32]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
_NO_SENTENCE, _NO_CREDIT = np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.float32)
# Weights of a term in evidence of another language, where most words cannot be recognised: a name or number, a word
# with a known translation, any other word. A pair of Chinese characters that no table word covers weighs least.
_FOREIGN_NAME, _FOREIGN_KNOWN, _FOREIGN_OTHER, _FOREIGN_HAN = 1.3, 1.0, 0.35, 0.1


@dataclass(slots=True)
class QueryTerms:
    """U query terms as parallel lists."""

    terms: list[str] = field(default_factory=list)
    alternatives: list[Synonyms] = field(default_factory=list)
    same_language: list[float] = field(default_factory=list)  # weight in evidence of the claim's language
    other_language: list[float] = field(default_factory=list)  # weight in evidence of another language
    is_term: list[bool] = field(default_factory=list)  # False for a Chinese word that covers several terms

    def add(
        self,
        term: str,
        alternatives: Synonyms,
        other_language: float,
        same_language: float = 1.0,
        *,
        is_term: bool = True,
    ) -> None:
        """Append a term."""
        self.terms.append(term)
        self.alternatives.append(alternatives)
        self.same_language.append(same_language)
        self.other_language.append(other_language)
        self.is_term.append(is_term)

    def rarest(self, count: int, index: Index) -> "QueryTerms":
        """Return at most `count` of the terms, those that fewest sentences of the evidence contain."""
        if len(self.terms) <= count:
            return self
        frequency = [len(index.sentences_of(term)) for term in self.terms]
        rows = sorted(sorted(range(len(frequency)), key=frequency.__getitem__)[:count])
        return QueryTerms(*([getattr(self, f.name)[row] for row in rows] for f in fields(self)))

    @classmethod
    def concatenate(cls, parts: "Sequence[QueryTerms]") -> "QueryTerms":
        """Return the terms of several claims, one claim after the other."""
        if len(parts) == 1:
            return parts[0]
        return cls(*(list(chain.from_iterable(getattr(part, f.name) for part in parts)) for f in fields(cls)))


@dataclass(frozen=True, slots=True)
class AnalyzedClaim:
    """A claim with its terms, and the terms of the sentence before."""

    text: str
    previous: str  # the sentence before
    analysis: Analysis
    terms: list[str]  # without repeats
    previous_terms: list[str]  # without repeats
    query: QueryTerms  # words with translations first, then `terms`, where words replace the pairs of a Chinese claim
    foreign: Bools | None  # (N,), whether evidence is in another language; None if none is

    @classmethod
    def analyze(cls, claim: Claim, index: Index, most_terms: int) -> "AnalyzedClaim":
        """Analyze a claim and the sentence before, for comparison with the evidence of `index`.

        `most_terms`: only so many of the claim's query terms are used, the rarest ones of the evidence.
        """
        analysis = analyze_sentence(claim.text, index.known_languages)
        previous = analyze_sentence(claim.context, index.known_languages) if claim.context else None
        language = language_of(analysis) or (language_of(previous) if previous else None)
        return cls(
            text=claim.text,
            previous=claim.context,
            analysis=analysis,
            terms=list(dict.fromkeys(analysis.terms)),
            previous_terms=list(dict.fromkeys(previous.terms)) if previous else [],
            query=query_terms(claim.text, analysis, language or index.language, index).rarest(most_terms, index),
            foreign=index.foreign_to(language),
        )

    @property
    def number_count(self) -> int:
        """The number of quantities whose value is certain."""
        return sum(1 for quantity in self.analysis.quantities if quantity.strict and quantity.values)


def query_terms(text: str, analysis: Analysis, language: str | None, index: Index) -> QueryTerms:
    """Return the Chinese words of a claim that the synonym table knows, then each of its terms.

    The terms of a Chinese claim are its words and numbers instead of pairs of characters.

    `language`: that of the claim, if it is known. `index`: of the evidence, for numbers in another notation.

    A claim without terms gets one empty term of weight 0, so that arrays are never empty.
    """
    query, numbers = QueryTerms(), ClaimNumbers(analysis, index)
    covered = _add_han_words(text, query) if not text.isascii() else set()
    chinese = language == "han" and not has_kana_or_hangul(text)
    if chinese:
        _add_chinese_words(text, analysis, covered, query)
    german = _german_words(text, analysis, index) if language == compounds.LANGUAGE else {}
    for term in dict.fromkeys(analysis.terms):
        if term[0] == "#":
            query.add(term, numbers.confirming(term), _FOREIGN_NAME)
        elif _HAN.match(term):
            if not chinese:
                query.add(term, NO_SYNONYMS, 0.0 if term in covered else _FOREIGN_HAN)
        else:
            foreign_credit = _FOREIGN_KNOWN if synonyms(term) is not NO_SYNONYMS else _FOREIGN_OTHER
            alternatives = _alternatives(term, language)
            if more := german.get(term):
                alternatives = Synonyms(alternatives.single | more.single, alternatives.multiple + more.multiple)
            query.add(term, alternatives, _FOREIGN_NAME if term in analysis.names else foreign_credit)
    if not query.terms:
        query.add("", NO_SYNONYMS, 0.0, 0.0, is_term=False)
    return query


@lru_cache(maxsize=1 << 13)
def _alternatives(term: str, language: str | None) -> Synonyms:
    """Return the synonyms and translations of a stem, and its forms and synonyms in the language of the claim."""
    known_synonyms = synonyms(term)
    if language not in LANGUAGES:
        return known_synonyms
    single = known_synonyms.single | vocabulary(language).synonyms[term]
    if prefix := _NEGATING_PREFIX.get(language or ""):
        single |= {prefix + term, term.removeprefix(prefix)} if len(term) >= _SHORTEST_NEGATED else frozenset()
    return known_synonyms._replace(single=single - {term})


def _german_words(text: str, analysis: Analysis, index: Index) -> dict[str, Synonyms]:
    """Return the compounds and the separated verbs of the evidence that stand for the terms of a German claim."""
    terms = [term for term in dict.fromkeys(analysis.terms) if term.isalpha()]
    formed = compounds.joined(terms, index.vocabulary)
    words = {fold(word) for word in text.rstrip(".!?").split()}
    return {
        term: Synonyms(
            compounds.bare_verbs(term)
            | compounds.prefixed_verbs(term, words)
            | formed.get(term, frozenset())
            | frozenset(compounds.containing(term, index.listed_vocabulary)),
            tuple(compounds.parts(term, index.vocabulary)),
        )
        for term in terms
    }


# German: "nicht unlösbar" and "lösbar" are about the same; the comparison of the clauses tells which is denied.
_NEGATING_PREFIX = {"de": "un"}
_SHORTEST_NEGATED = 5  # letters


def _add_han_words(text: str, query: QueryTerms) -> set[str]:
    """Add the Chinese words that the synonym table knows; return the pairs of characters that they cover."""
    covered: set[str] = set()
    for run in _HAN_RUN.finditer(text):
        for start, end, alternatives in synonyms_in_run(run[0]):
            word = run[0][start:end]
            covered.update(word[i : i + 2] for i in range(len(word) - 1))
            if word not in query.terms:
                query.add(word, alternatives, _FOREIGN_KNOWN, 0.0, is_term=False)
    return covered


def _add_chinese_words(text: str, analysis: Analysis, covered: set[str], query: QueryTerms) -> None:
    """Add the words of a Chinese claim. `covered`: see `_add_han_words`."""
    for word in dict.fromkeys(chinese_words(text, analysis.quantities)):
        foreign = 0.0 if covered.intersection(character_pairs(word)) else _FOREIGN_HAN
        query.add(word, chinese_synonyms(word), foreign, _ONE_CHARACTER if len(word) == 1 else 1.0)


def presence(query: QueryTerms, index: Index) -> tuple[Floats, Floats]:
    """Return the credit, 0..1, of each term in each sentence, (U, S), and in each piece of evidence, (U, N)."""
    owner = index.sentence_owner
    by_sentence = np.zeros((len(query.terms), index.size), dtype=np.float32)
    by_evidence = np.zeros((len(query.terms), len(index.evidence)), dtype=np.float32)
    rows, sentences, credit = _single_term_matches(query, index)
    by_sentence[rows, sentences] = credit
    by_evidence[rows, owner[sentences]] = credit
    for row, (term, (_, multiple)) in enumerate(zip(query.terms, query.alternatives, strict=True)):
        for alternative in multiple:
            if alternative[0] in index.vocabulary:
                sentences = _sentences_with_all(alternative, index)
                least = EXACT if query.is_term[row] and alternative == tuple(character_pairs(term)) else SYNONYM
                by_sentence[row, sentences] = np.maximum(by_sentence[row, sentences], least)
                by_evidence[row, owner[sentences]] = np.maximum(by_evidence[row, owner[sentences]], least)
    _match_characters(query, index, by_sentence, by_evidence)
    return by_sentence, by_evidence


def _match_characters(query: QueryTerms, index: Index, by_sentence: Floats, by_evidence: Floats) -> None:
    """Raise the credit of terms without spaces, in place, by the characters that sentences share with them."""
    if "han" not in index.known_languages:
        return
    rows = [row for row, term in enumerate(query.terms) if query.is_term[row] and _UNSPACED.match(term)]
    if not rows:
        return
    words = [query.terms[row] for row in rows]
    single = [[alternative for alternative in query.alternatives[row].single if len(alternative) == 1] for row in rows]
    shares, alike = index.characters.shares(words, single)
    whole = np.array([EXACT if len(word) == 1 else _ALL_CHARACTERS for word in words], dtype=np.float32)
    raised = np.maximum(shares * whole[:, None], alike * np.float32(SYNONYM))
    by_sentence[rows] = np.maximum(by_sentence[rows], raised)
    by_evidence[rows] = np.maximum.reduceat(by_sentence[rows], index.first_sentence[:-1], axis=1)


def _single_term_matches(query: QueryTerms, index: Index) -> tuple[Ints, Ints, Floats]:
    """Return row, sentence and credit of every match by one term, weakest kind first, so that the last one counts.

    One array operation for all posting lists: 30 µs for ten terms, half of what one operation per term takes.
    """
    numbers, skeletons = index.vocabulary, index.skeletons
    cognates: list[tuple[int, int]] = []  # row, and the number of a term in the vocabulary
    synonym_rows: list[tuple[int, int]] = []
    for row, (term, (single, _)) in enumerate(zip(query.terms, query.alternatives, strict=True)):
        if similar_terms := skeletons.get(consonant_skeleton(term)):
            cognates += [(row, numbers[similar]) for similar in similar_terms]
        synonym_rows += [(row, numbers[synonym]) for synonym in single if synonym in numbers]
    exact = [(row, numbers[term]) for row, term in enumerate(query.terms) if term in numbers]
    matches = cognates + synonym_rows + exact
    if not matches:
        return _NO_SENTENCE, _NO_SENTENCE, _NO_CREDIT
    credit = [COGNATE] * len(cognates) + [SYNONYM] * len(synonym_rows) + [EXACT] * len(exact)
    posted, ends = index.posted, index.posted_ends
    lengths = [ends[number + 1] - ends[number] for _, number in matches]
    return (
        np.repeat([row for row, _ in matches], lengths),
        np.concatenate([posted[ends[number] : ends[number + 1]] for _, number in matches]),
        np.repeat(np.array(credit, dtype=np.float32), lengths),
    )


def _sentences_with_all(terms: tuple[str, ...], index: Index) -> Ints:
    """Return the sentences that contain all of the terms."""
    sentences = index.sentences_of(terms[0])
    for term in terms[1:]:
        sentences = np.intersect1d(sentences, index.sentences_of(term))
    return sentences
