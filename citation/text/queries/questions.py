"""Analyze questions: their parts, their names, and the kind of answer."""

import re
from collections.abc import Collection, Iterator
from operator import itemgetter

from ..analysis import analyze_text
from ..numbers.quantities import CLOCK, DECADE, MONTH, Quantity, is_year
from .search_terms import search_terms

# The kind of answer, by the form of the question. The first question word counts.
_FORMS = {
    "number": r"how (?:many|much|long|far|old|tall|high|deep|large|big|fast|heavy|often)"
    r"|what (?:number|percentage|share|amount)|what do(?:es)? [^?]{1,60} (?:cost|weigh|measure)"
    r"|what(?: is|['’]s|s| was| are| were) [^?]{1,60}(?:price|cost|fee|salary|salaries|height|length|weight|population)"
    r"|was kostete?n?|combien coûte|cuánto cuesta|多少钱|wie ?viele?|wie (?:hoch|lang|weit|alt|groß|schwer|schnell|oft)"
    r"|combien|cuánt[oa]s?|quant[ieoa]s?|hoeveel|多少|几|幾|いくつ|いくら|どのくらい|сколько|كم",
    "time": r"when (?:do|does|must|can|could|should|may|am|is|are|will|have|has)|how soon|what time"
    r"|wann (?:muss|müssen|kann|können|darf|dürfen|soll\w*|ist|sind|wird|werden|brauch\w*|bekomm\w*)",
    "date": r"when|what (?:year|date|day)|which (?:year|date)|in welchem jahr|wann|quand|en quelle année|cuándo|quando"
    r"|wanneer|什么时候|何时|哪年|哪一年|いつ|когда|متى",
    "address": r"what(?: is|['’]s|s| are) [^?]{0,40}address(?:es)?|(?:wie|was) (?:ist|lautet) [^?]{0,40}adresse"
    r"|quelle est l['’]adresse|cuál es la dirección",
    "name": r"who|whom|whose|wer|wem|wen|qui|quién(?:es)?|chi|quem|wie is|谁|誰|だれ|кто|من",
    "place": r"where|wo|woher|wohin|où|dónde|dove|onde|waar|哪里|哪儿|どこ|где|أين",
}
# Other question words. "What happens when it stops?" does not ask for a time.
_OTHER = r"what|which|how|why|was|welche[rsnm]?|wie|warum|wieso|qué|cuál(?:es)?|cómo|quel(?:le)?s?|comment|pourquoi"
_FORM_PATTERNS = tuple(
    (kind, re.compile(rf"(?<!\w)(?:{words})(?!\w)|(?:{words})(?=[\u3040-\u9fff])"))
    for kind, words in (*_FORMS.items(), ("", _OTHER))
)
# The start of the second question in "How tall is it, and when was it built?"
_NEXT_PART = re.compile(
    r"(?i)(?:[,;?]\s*+(?:(?:and|und|et|y|e)\s++)?|(?<!\s)\s++(?:and|und|et|y|e)\s++)"
    r"(?=(?:how|what|when|where|which|who|whom|whose|why|wie|was|wann|wo|wer|welche[rsnm]?|warum|combien|comment|quand"
    r"|qui|quel(?:le)?s?|où|pourquoi|cuánt[oa]s?|cuándo|cómo|qué|quién|dónde|quanto|quando|chi|dove|come)\b)"
)
_COUNTED = re.compile(r"(?i)\b(?:how many|wie ?viele|cuánt[oa]s|quant[ie]|hoeveel) (\w+)|\bcombien d[e'’] ?(\w+)")
_WEEKDAY = re.compile(
    r"(?i)\b(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day|montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag)"
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


def counted_term(question: str) -> str:
    """Return the search term of what a question counts, as "employe" for "How many employees …"; "" if nothing."""
    counted = _COUNTED.search(question)
    return next(iter(search_terms(counted[1] or counted[2])), "") if counted else ""


def answer_kind(question: str) -> str:
    """Return the kind of answer that a question asks for, "" if its form does not show it.

    The kinds are `number`, `time`, `date`, `address`, `name` and `place`. A time is a date, a time of the day, or a
    period.
    """
    folded = question.casefold()
    forms = [(match.start(), kind) for kind, pattern in _FORM_PATTERNS if (match := pattern.search(folded))]
    return min(forms, key=itemgetter(0), default=(0, ""))[1]


def contains_answer(kind: str, text: str, question_terms: Collection[str]) -> bool:
    """Return whether a text contains an answer of this kind. Search terms of the question are no answer."""
    match kind:
        case "number":
            return any(not set(_terms(text, quantity)) <= set(question_terms) for quantity in _quantities(text))
        case "date":
            return any(_is_date(quantity) for quantity in _quantities(text))
        case "time":
            return bool(_WEEKDAY.search(text)) or any(
                _is_date(quantity) or quantity.unit in {"time", CLOCK} or quantity.ordinal
                for quantity in analyze_text(text, with_names=False).quantities
            )
        case "address":
            dates = {(quantity.start, quantity.end) for quantity in _quantities(text) if _is_date(quantity)}
            return any(match.span() not in dates for match in re.finditer(r"\d+", text))
        case "name" | "place":
            return any(not set(search_terms(name[0])) <= set(question_terms) for name in _NAME.finditer(text))
        case _:
            return False


def _quantities(text: str) -> Iterator[Quantity]:
    return (quantity for quantity in analyze_text(text, with_names=False).quantities if quantity.strict)


def _terms(text: str, quantity: Quantity) -> list[str]:
    return search_terms(text[quantity.start : quantity.end])


def _is_date(quantity: Quantity) -> bool:
    return (not quantity.unit and any(map(is_year, quantity.values))) or quantity.unit in {MONTH, DECADE}
