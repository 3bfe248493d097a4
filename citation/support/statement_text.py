"""The words of a sentence that state something: without labels, addresses, tags and the signs of formulas.

"**Step 3:** Replace the [filter](https://example.org/99)" states that the filter is replaced. The numbers 3 and 99
are not in the evidence, and need not be.
"""

import re

from ..text.words.word_lists import any_of, load_words

_WORDS = load_words("claim_words")
_PLACES = any_of(_WORDS["places"])
# A larger number names a law: "Section 230: …".
_PLACE_NUMBER = r"\d{1,2}(?:\.\d{1,2}){0,2}"
_NUMBER = r"#?\d{1,3}(?:\.\d{1,2}){0,2}(?:\s(?:of|von|de|sur)\s\d{1,3}|/\d{1,3})?"
_SEPARATOR = r"(?:[*_\])】]{0,3}\s?(?:[:：.)、—–]|-(?=\s))[*_]{0,2}|[*_]{2}(?=\s)|[\]】](?=\s))"
_LABEL = re.compile(
    r"\s*[*_]{0,2}(?:"
    r"[(（]\d{1,3}[)）]|#\d{1,3}(?:\s?[:.)]|(?=\s[A-ZÀ-Þ]))|(?:\d\ufe0f?\u20e3){1,3}"  # (1), #1: and keycaps
    r"|\d{1,2}(?:\s?[:/](?=\s[A-ZÀ-Þ])|、)|第\s?[\d一二三四五六七八九十]{1,3}[步点點项項条條][:：，、]?"
    r"|\d{1,2}(?:\.\d{1,2}){1,3}\.?(?=\s[A-ZÀ-Þ][a-zß-ÿ]{2})"  # 1.1 Unplug, but not 1.5 million
    rf"|[*_\[【]{{0,3}}(?:(?i:{any_of(_WORDS['labels'])})\s?{_NUMBER}|(?i:{_PLACES})\s?{_PLACE_NUMBER}){_SEPARATOR}"
    r")[*_]{0,2}\s*"
)
_PLACE = re.compile(
    rf"\s?[(（](?:(?:see|cf\.|siehe|vgl\.|voir|véase|见)\s?)?{_PLACES}\s?{_PLACE_NUMBER}[)）]", re.IGNORECASE
)
_IMAGE = re.compile(r"!\[[^\[\]]*+\]\([^()]*+(?:\([^()]*+\)[^()]*+)*+\)")
_LINK = re.compile(r"\[([^\[\]]++)\]\([^()]*+(?:\([^()]*+\)[^()]*+)*+\)")
_REFERENCE_LINK = re.compile(r"\[([^\[\]]*[^\W\d][^\[\]]*)\]\[[^\[\]]{0,60}\]")
# Also without a protocol: www.example.org/9, example.org/2023/page.html
_URL = re.compile(
    r"(?:https?://|\bwww\.)[^\s<>()\[\]]++|\b(?:[a-z0-9-]{1,63}\.){1,5}[a-z]{2,10}/[^\s<>()\[\]]++", re.IGNORECASE
)
_TAG = re.compile(r"</?[A-Za-z][^<>\n]{0,300}+>")
# As in Pandoc: no space inside the dollar signs, and no digit after them, so that "$5 and $10" is no formula.
_FORMULA = re.compile(r"\$\$([^$\n]{1,100})\$\$|(?<![\\$\w])\$(?![\s$])([^$\n]{1,100})(?<![\s\\])\$(?!\d)")
_COMMAND = re.compile(r"\\(?:mathrm|text|mathbf|operatorname)\s?\{([^{}]*+)\}")
_SPACES = re.compile(" {2,}")
_SPACE = re.compile(r"\\[ ,;:!]|~|\\quad")


def stated_text(text: str) -> str:
    """Return the words of a sentence that evidence can support."""
    label = _LABEL.match(text)
    if label:
        text = text[label.end() :]
    if "](" in text:
        text = _LINK.sub(r"\1", _IMAGE.sub(" ", text))
    if "][" in text:
        text = _REFERENCE_LINK.sub(r"\1", text)
    if "/" in text or "www." in text:
        text = _URL.sub(" ", text)
    if "<" in text:
        text = _TAG.sub(" ", text)
    if "$" in text:
        text = _FORMULA.sub(lambda formula: _plain(formula[1] or formula[2]), text)
    text = _PLACE.sub("", text)
    return _SPACES.sub(" ", text).strip()


def _plain(formula: str) -> str:
    """Return a formula without commands and braces: `6.5\\\\ \\\\mathrm{kg}` becomes `6.5 kg`."""
    return _SPACE.sub(" ", _COMMAND.sub(r"\1", formula)).replace("{,}", ",").replace("{.}", ".").replace("\\%", "%")
