"""The words of a sentence that state something: without labels, addresses, tags and the signs of formulas.

"**Step 3:** Replace the [filter](https://example.org/99)" states that the filter is replaced. The numbers 3 and 99
are not in the evidence, and need not be.
"""

import re

from ..text.words.word_lists import any_of, load_words

_LABEL = re.compile(
    r"\s*[*_]{0,2}(?:"
    r"\(\d{1,3}\)|#\d{1,3}\s?[:.)]|(?:\d\ufe0f?\u20e3){1,3}"  # (1), #1: and keycaps
    r"|\d{1,2}(?:\.\d{1,2}){1,3}\.?(?=\s[A-ZÀ-Þ][a-zß-ÿ]{2})"  # 1.1 Unplug, but not 1.5 million
    rf"|(?i:{any_of(load_words('claim_words')['labels'])})\s?\d{{1,3}}\s?[:：.)—–]"
    r")[*_]{0,2}\s*"
)
_IMAGE = re.compile(r"!\[[^\[\]]*+\]\([^()]*+(?:\([^()]*+\)[^()]*+)*+\)")
_LINK = re.compile(r"\[([^\[\]]++)\]\([^()]*+(?:\([^()]*+\)[^()]*+)*+\)")
_URL = re.compile(r"https?://[^\s<>()\[\]]++")
_TAG = re.compile(r"</?[A-Za-z][^<>\n]{0,300}+>")
# As in Pandoc: no space inside the dollar signs, and no digit after them, so that "$5 and $10" is no formula.
_FORMULA = re.compile(r"(?<![\\$\w])\$(?![\s$])([^$\n]{1,100})(?<![\s\\])\$(?!\d)")
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
    if "://" in text:
        text = _URL.sub(" ", text)
    if "<" in text:
        text = _TAG.sub(" ", text)
    if "$" in text:
        text = _FORMULA.sub(lambda found: _plain(found[1]), text)
    return _SPACES.sub(" ", text).strip()


def _plain(formula: str) -> str:
    """Return a formula without commands and braces: `6.5\\\\ \\\\mathrm{kg}` becomes `6.5 kg`."""
    return _SPACE.sub(" ", _COMMAND.sub(r"\1", formula)).replace("{,}", ",").replace("\\%", "%")
