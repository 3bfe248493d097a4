"""Analyze questions: their parts, their names, and the kind of answer."""

import re
from collections.abc import Collection, Iterator

from .analysis import analyze_text
from .numbers.quantities import DECADE, MONTH, Quantity
from .search_terms import search_terms

# The kind of answer, by the form of the question. The first match counts.
_FORMS = {
    "number": r"how (?:many|much|long|far|old|tall|high|deep|large|big|fast|heavy|often)"
    r"|what (?:number|percentage|share|amount)|what do(?:es)? [^?]{1,60} (?:cost|weigh|measure)"
    r"|what(?: is|['’]s|s| was| are| were) [^?]{1,60}(?:price|cost|fee|salary|salaries|height|length|weight|population)"
    r"|was kostete?n?|combien coûte|cuánto cuesta|多少钱|wie ?viele?|wie (?:hoch|lang|weit|alt|groß|schwer|schnell|oft)"
    r"|combien|cuánt[oa]s?|quant[ieoa]s?|hoeveel|多少|几|幾|いくつ|いくら|どのくらい|сколько|كم",
    "date": r"when|what (?:year|date|day)|which (?:year|date)|in welchem jahr|wann|quand|en quelle année|cuándo|quando"
    r"|wanneer|什么时候|何时|哪年|哪一年|いつ|когда|متى",
    "name": r"who|whom|whose|wer|wem|wen|qui|quién(?:es)?|chi|quem|wie is|谁|誰|だれ|кто|من",
    "place": r"where|wo|woher|wohin|où|dónde|dove|onde|waar|哪里|哪儿|どこ|где|أين",
}
_FORM_PATTERNS = tuple(
    (kind, re.compile(rf"(?<!\w)(?:{words})(?!\w)|(?:{words})(?=[\u3040-\u9fff])")) for kind, words in _FORMS.items()
)
# The start of the second question in "How tall is it, and when was it built?"
_NEXT_PART = re.compile(
    r"(?i)(?:[,;?]\s*+(?:(?:and|und|et|y|e)\s++)?|(?<!\s)\s++(?:and|und|et|y|e)\s++)"
    r"(?=(?:how|what|when|where|which|who|whom|whose|why|wie|was|wann|wo|wer|welche[rsnm]?|warum|combien|comment|quand"
    r"|qui|quel(?:le)?s?|où|pourquoi|cuánt[oa]s?|cuándo|cómo|qué|quién|dónde|quanto|quando|chi|dove|come)\b)"
)
_NAME = re.compile(r"(?<=[\w,] )[A-ZÀ-ÞА-Я][\w'’-]+|[A-Z][\w'’-]+ [A-Z][\w'’-]+|[\u4e00-\u9fff\u30a0-\u30ff]{2,}")
_NAME_IN_QUESTION = re.compile(r"(?<=[\w,'’\"(] )[A-ZÀ-ÞА-Я]\w*|\b\w*\d\w*")


def question_parts(question: str) -> list[str]:
    """Return the questions that one sentence asks, an empty list if it asks only one."""
    parts = [part for part in _NEXT_PART.split(question) if part.strip()]
    return parts if len(parts) > 1 else []


def name_terms(question: str) -> frozenset[str]:
    """Return the search terms that look like names: capitalized inside the question, or with digits."""
    return frozenset(search_terms(" ".join(_NAME_IN_QUESTION.findall(question))))


def answer_kind(question: str) -> str:
    """Return the kind of answer: `number`, `date`, `name` or `place`; "" where the form does not show it."""
    folded = question.casefold()
    return next((kind for kind, pattern in _FORM_PATTERNS if pattern.search(folded)), "")


def contains_answer(kind: str, text: str, known: Collection[str]) -> bool:
    """Return whether a text contains an answer of this kind. Search terms of the question, `known`, are no answer."""
    match kind:
        case "number":
            return any(not set(_terms(text, quantity)) <= set(known) for quantity in _quantities(text))
        case "date":
            return any(_is_date(quantity) for quantity in _quantities(text))
        case "name" | "place":
            return any(not set(search_terms(name[0])) <= set(known) for name in _NAME.finditer(text))
        case _:
            return False


def _quantities(text: str) -> Iterator[Quantity]:
    return (quantity for quantity in analyze_text(text, with_names=False).quantities if quantity.strict)


def _terms(text: str, quantity: Quantity) -> list[str]:
    return search_terms(text[quantity.start : quantity.end])


def _is_date(quantity: Quantity) -> bool:
    is_year = not quantity.unit and any(1000 <= value < 2100 for value in quantity.values)
    return is_year or quantity.unit in {MONTH, DECADE}
