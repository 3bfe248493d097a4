"""The index of the words of a store: FTS5 tables of search terms and of initials (citation/text/queries)."""

import sqlite3
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import log

from citestream.citation.text.queries.acronyms import acronyms, indexed_initials, initials_of_three, spelled_out
from citestream.citation.text.queries.search_terms import TERMS_VERSION, query_terms, search_terms

from ..term_selection import MAX_ROWS as MAX_RANKED
from ..term_selection import MIN_FOUND, TermSelection, select_terms
from .vocabulary import MIN_LETTERS, UNSPACED, Similar, Vocabulary, is_word

TITLE_WEIGHT = 1.0  # weight of a word in the file name or headings; a word in the text has the weight 1
MAX_ROWS = 10_000  # excerpts that spell out an acronym; reading their numbers takes 1 ms
MAX_TERMS = 64  # words of one query; more words of a long question do not change the result
MAX_VOCABULARY = 200_000  # words that are compared with those of a question; they take 40 MB and are read in 0.5 s

# Stored with an index, which is rebuilt if it differs. Increase the second number when other initials are indexed.
INDEX_VERSION = f"{TERMS_VERSION}.1"

_TABLES = {
    "words": """
CREATE VIRTUAL TABLE words USING fts5(
    heads, body, content='', tokenize="unicode61 remove_diacritics 0 categories 'L* M* N* P* S* Co'"
)
""",
    # Of three consecutive words each, for acronyms
    "initials": "CREATE VIRTUAL TABLE initials USING fts5(letters, content='', detail=none)",
}


@dataclass(frozen=True, slots=True)
class Hit:
    """An excerpt found by words or by vectors. `score`: BM25 or cosine similarity; higher is better."""

    excerpt: int
    score: float


class WordIndex:
    """The words of the excerpts in a database, without a copy of their texts."""

    def __init__(self, database: sqlite3.Connection) -> None:
        """Use this database. Its table need not exist yet."""
        self._database = database

    def create(self) -> None:
        """Create an empty index in place of the former one."""
        for name, table in _TABLES.items():
            self._database.execute(f"DROP TABLE IF EXISTS {name}")
            self._database.execute(table)

    def add(self, excerpt: int, heads: str, text: str) -> None:
        """Add an excerpt. `heads`: file name and headings, which are searched like its text."""
        row = (excerpt, *_indexed_texts(heads, text))
        self._database.execute("INSERT INTO words (rowid, heads, body) VALUES (?, ?, ?)", row)
        letters = (excerpt, " ".join(indexed_initials(text)))
        self._database.execute("INSERT INTO initials (rowid, letters) VALUES (?, ?)", letters)

    def remove(self, excerpt: int, heads: str, text: str) -> None:
        """Remove an excerpt. `heads` and `text`: as they were added."""
        deletion = ("delete", excerpt, *_indexed_texts(heads, text))
        self._database.execute("INSERT INTO words (words, rowid, heads, body) VALUES (?, ?, ?, ?)", deletion)
        letters = ("delete", excerpt, " ".join(indexed_initials(text)))
        self._database.execute("INSERT INTO initials (initials, rowid, letters) VALUES (?, ?, ?)", letters)

    def counts(self, question: str) -> dict[str, int]:
        """Return the number of excerpts that contain each query term of a question."""
        return self._counts((query_terms(question) or search_terms(question))[:MAX_TERMS])

    def vocabulary(self) -> Vocabulary:
        """Return the words of the index; none if there are too many."""
        self._open_terms()
        select = "SELECT term FROM temp.terms WHERE length(term) >= ? AND term < ? LIMIT ?"
        rows = self._database.execute(select, (MIN_LETTERS, UNSPACED, MAX_VOCABULARY + 1)).fetchall()
        return Vocabulary([term for (term,) in rows if is_word(term)] if len(rows) <= MAX_VOCABULARY else ())

    def _open_terms(self) -> None:
        self._database.execute("CREATE VIRTUAL TABLE IF NOT EXISTS temp.terms USING fts5vocab(main, words, row)")

    def _counts(self, terms: Iterable[str]) -> dict[str, int]:
        self._open_terms()
        count = "SELECT ifnull(sum(doc), 0) FROM temp.terms WHERE term >= ? AND term <= ?"
        counts = {}
        for term in terms:
            last = f"{term}\U0010ffff" if _is_prefix(term) else term
            (counts[term],) = self._database.execute(count, (term, last)).fetchone()
        return counts

    def rare_acronyms(self, question: str, counts: Mapping[str, int]) -> dict[str, str]:
        """Return the acronyms of a question that few excerpts contain. `counts`: the result of `counts`.

        Where many contain an acronym, those that spell it out are not needed.
        """
        meanings = acronyms(question)
        return {term: meaning for term, meaning in meanings.items() if counts.get(term, MIN_FOUND) < MIN_FOUND}

    def spelled_out(self, acronyms: Mapping[str, str], preferred: Collection[int], limit: int) -> list[int]:
        """Return at most `limit` excerpts that may spell out one of these acronyms, the preferred ones first."""
        if not acronyms:
            return []
        query = " OR ".join(
            f"({' AND '.join(map(_fts_term, initials_of_three(initials)))})" for initials in acronyms.values()
        )
        rows = self._database.execute("SELECT rowid FROM initials WHERE initials MATCH ? LIMIT ?", (query, MAX_ROWS))
        return sorted((excerpt for (excerpt,) in rows), key=lambda excerpt: excerpt not in preferred)[:limit]

    def weights(self, counts: Mapping[str, int]) -> dict[str, float]:
        """Return the inverse document frequency of each term. `counts`: the result of `counts`."""
        total = self._total()
        return {term: _rarity(excerpts, total) for term, excerpts in counts.items()}

    def search(self, counts: Mapping[str, int], limit: int) -> list[Hit]:
        """Return at most `limit` excerpts that contain the terms, best first, by BM25.

        An excerpt needs any of the terms. In a large store, it needs a rare term or several common ones: see
        `select_terms`. `counts`: the result of `counts`.
        """
        if not counts:
            return []
        selection = select_terms(counts, self._total())
        hits = self._ranked(selection, limit)
        if not selection.is_complete and len(hits) < min(limit, MIN_FOUND):
            found_excerpts = {hit.excerpt for hit in hits}
            more_hits = self._ranked(TermSelection(tuple(counts)), limit)
            hits += [hit for hit in more_hits if hit.excerpt not in found_excerpts]
        return hits[:limit]

    def add_similar(self, hits: Sequence[Hit], counts: Mapping[str, int], similar: Similar, limit: int) -> list[Hit]:
        """Return the hits together with those of similar words, best first. `counts`: the result of `counts`.

        Of the words that stand for a term, the best one in an excerpt counts, as far as its score exceeds that of the
        term itself. A rare form of a common word is no more important than the common one.
        """
        scores = defaultdict[int, float](float, {hit.excerpt: hit.score for hit in hits})
        of_similar = self._counts({word for words in similar.values() for word in words})
        total = self._total()
        for term, words in similar.items():
            searched = {word: weight for word, weight in words.items() if counts[term] + of_similar[word] <= MAX_RANKED}
            exact = self._scores(term, limit) if searched and counts[term] else {}
            best = dict(exact)
            for word, weight in searched.items():
                rarity = _rarity(counts[term] + of_similar[word], total) / _rarity(of_similar[word], total)
                for excerpt, score in self._scores(word, limit).items():
                    best[excerpt] = max(best.get(excerpt, 0.0), rarity * weight * score)
            for excerpt, score in best.items():
                scores[excerpt] += score - exact.get(excerpt, 0.0)
        ranked = sorted(scores.items(), key=lambda scored: (-scored[1], scored[0]))
        return [Hit(excerpt, score) for excerpt, score in ranked[:limit]]

    def _scores(self, term: str, limit: int) -> dict[int, float]:
        return {hit.excerpt: hit.score for hit in self._ranked(TermSelection((term,)), limit)}

    def _ranked(self, selection: TermSelection, limit: int) -> list[Hit]:
        together = " AND ".join(map(_fts_term, selection.together))
        query = " OR ".join([*map(_fts_term, selection.rare), *([f"({together})"] if together else [])])
        rows = self._database.execute(
            "SELECT rowid, -bm25(words, ?, 1.0) AS score FROM words WHERE words MATCH ? "
            "ORDER BY score DESC, rowid LIMIT ?",
            (TITLE_WEIGHT, query, limit),
        )
        return [Hit(*row) for row in rows]

    def _total(self) -> int:
        """Return the number of excerpts. A million are counted in 5 ms."""
        return int(self._database.execute("SELECT count(*) FROM excerpts").fetchone()[0])


def _rarity(excerpts: int, total: int) -> float:
    """Return the inverse document frequency of a term that this number of excerpts contains."""
    return log(1 + total / (excerpts + 0.5))


def coverage(text: str, weights: Mapping[str, float], acronyms: Mapping[str, str], similar: Similar) -> float:
    """Return the weighted share of the terms that a text contains, 0 to 1.

    `weights`: the result of `weights`. `acronyms`: acronyms that the text contains if it spells them out. `similar`:
    words that count instead of a term, with a part of its weight.
    """
    terms = {*search_terms(text), *spelled_out(acronyms, text)}
    terms |= {term[0] for term in terms if not term.isascii()}
    contained = sum(weight * _presence(term, terms, similar) for term, weight in weights.items())
    return contained / (sum(weights.values()) or 1.0)


def _presence(term: str, terms: Collection[str], similar: Similar) -> float:
    """Return 1 if a text has the term, the weight of the most similar word that it has, or 0."""
    if term in terms:
        return 1.0
    return max((weight for word, weight in similar.get(term, {}).items() if word in terms), default=0.0)


def _indexed_texts(heads: str, text: str) -> tuple[str, str]:
    return " ".join(search_terms(heads)), " ".join(search_terms(text))


def _is_prefix(term: str) -> bool:
    """Return whether a term is searched as a prefix.

    Scripts without spaces are indexed as pairs of characters, so a single character is the start of a pair.
    """
    return len(term) == 1 and not term.isascii()


def _fts_term(term: str) -> str:
    """Return a term in the syntax of an FTS5 query."""
    quoted = '"' + term.replace('"', '""') + '"'
    return f"{quoted}*" if _is_prefix(term) else quoted
