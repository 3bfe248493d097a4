"""Count in how many sentences the words of English occur: `python -m bench.word_frequencies DATA.jsonl ...`.

Writes `citation/text/data/en/frequencies.txt`, which `citation/text/words/frequencies.py` reads.
It counts the sentences of the evidence that weights may be fitted to. Takes a few seconds.

Sentences and words are found by two simple patterns. The splitter and the tokenizer of `citation/text` find 5 % fewer
sentences, and 5 % of the words enter or leave the list, so that all weights would have to be fitted again. The rarity
of a word, a logarithm, would hardly change.
"""

import argparse
import os
import re
import textwrap
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path

from bench.data.data_sets import fitted
from bench.data.pairs import Record, load
from citestream.citation.text.normalize import fold
from citestream.citation.text.words.frequencies import RARE, SENTENCES
from citestream.citation.text.words.languages import stopwords
from citestream.citation.text.words.stemming import stem

OUT = Path(__file__).parent.parent / "citation" / "text" / "data" / "en" / "frequencies.txt"
HEADER = f"""\
# English words that at least {RARE} of {SENTENCES:,} sentences contain, after the number of these sentences, rounded to
# two digits. One form stands for all forms of a word. Made by `python -m bench.word_frequencies`.
"""
_WORD = re.compile(r"[^\W\d_]+")
_SENTENCE_END = re.compile(r"(?<=[.!?])\s")


def main() -> None:
    """Count and write."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("data", nargs="*", default=os.environ.get("CITESTREAM_DATA", "").split())
    OUT.write_text(as_text(count(english_sentences(load(options.parse_args().data)))), "utf-8")


def english_sentences(records: Sequence[Record]) -> list[str]:
    """Return the sentences of all English evidence that may be fitted to, each text once."""
    used = [record for record, may in zip(records, fitted(records), strict=True) if may]
    english = (record for record in used if record["lang"].split(">")[-1] == "en")
    texts = dict.fromkeys(evidence["text"] for record in english for evidence in record["evidence"])
    return [sentence for text in texts for sentence in _SENTENCE_END.split(text)]


def count(sentences: Sequence[str]) -> dict[str, int]:
    """Return in how many of `SENTENCES` sentences each word that is not rare occurs, under its most frequent form."""
    found: Counter[str] = Counter()
    forms: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for sentence in sentences:
        words = set(map(fold, _WORD.findall(sentence))) - stopwords("en")
        for word in words:
            forms[stem(word)][word] += 1
        found.update({stem(word) for word in words})
    shares = {stemmed: number * SENTENCES / len(sentences) for stemmed, number in found.items()}
    return {
        max(sorted(forms[stemmed]), key=forms[stemmed].__getitem__): int(float(f"{share:.2g}"))
        for stemmed, share in shares.items()
        if share >= RARE
    }


def as_text(counts: dict[str, int]) -> str:
    """Return the counts as a word list, the most frequent words first."""
    words = defaultdict(list)
    for word, number in counts.items():
        words[number].append(word)
    lines = (
        textwrap.fill(f"{number}: {' '.join(sorted(words[number]))}", 120, subsequent_indent="  ")
        for number in sorted(words, reverse=True)
    )
    return HEADER + "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
