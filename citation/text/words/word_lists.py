"""Load the word lists in `data/`.

Two formats. Lines: each line is an entry. Words: each entry is `key: word word ...`; indented lines,
and other lines with the same key, continue it.
Empty lines and lines that begin with `#` are ignored in both.
"""

import re
from collections.abc import Iterable, Mapping
from importlib.resources import files


def load_lines(name: str) -> list[str]:
    """Return the lines of `data/{name}.txt`."""
    text = files("citestream.citation.text").joinpath("data", f"{name}.txt").read_text("utf-8")
    return [line for line in text.splitlines() if line and not line.startswith("#")]


def load_words(name: str) -> dict[str, tuple[str, ...]]:
    """Return the words of each entry of `data/{name}.txt`, in the order of the file."""
    entries: dict[str, tuple[str, ...]] = {}
    key = ""
    for line in load_lines(name):
        words = line
        if not line[0].isspace():
            key, _, words = line.partition(": ")
            entries.setdefault(key, ())
        entries[key] += tuple(words.split())
    return entries


def words_by_number(entries: Mapping[str, tuple[str, ...]], kind: str) -> dict[float, tuple[str, ...]]:
    """Return the words of the entries `kind number: word word ...` by their number."""
    numbered = (key.split() for key in entries if key.startswith(f"{kind} "))
    return {float(number): entries[f"{kind} {number}"] for _, number in numbered}


def any_of(phrases: Iterable[str]) -> str:
    """Return a pattern that matches any of these phrases, the longest first. An underscore stands for a space."""
    ordered = sorted(phrases, key=len, reverse=True)
    return f"(?:{'|'.join(re.escape(phrase.replace('_', ' ')) for phrase in ordered)})"


def any_word(words: Iterable[str]) -> str:
    """Return a pattern that matches any of these phrases as whole words. Chinese ones need no boundaries.

    An underscore stands for a space, and an asterisk at the end for any ending.
    """
    ordered = [word.replace("_", " ") for word in sorted(words, key=len, reverse=True)]
    spaced = "|".join(re.escape(word.rstrip("*")) + r"\w*" * word.endswith("*") for word in ordered if word < "\u2e80")
    unspaced = "|".join(word for word in ordered if word >= "\u2e80")
    return "(?:" + "|".join(([rf"\b(?:{spaced})\b"] if spaced else []) + ([unspaced] if unspaced else [])) + ")"


def parse_values(words: tuple[str, ...]) -> dict[str, int]:
    """Return the values of words that are written as `word=value`."""
    pairs = (word.rpartition("=") for word in words)
    return {word: int(value) for word, _, value in pairs}
