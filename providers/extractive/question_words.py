"""Words of questions and sentences, in every script: light stems, pairs of characters where words are not spaced."""

import re
from collections.abc import Callable, Collection
from functools import lru_cache

# What a question is made of besides what it asks about: question words, auxiliaries, articles, prepositions, requests.
_FUNCTION = """
    a about after all also am an and any are as at be been before being between but by can could did do does doing
    each explain find for from get give given had has have he her here him his how i if in into is it its just know
    let like list long make many may me might more most much must my name no not of often on one only or other our out
    over please said say says she should show so some such summarise summarize summary tell than that the their them
    then there these they thing things this those through to under up us was we were what when where which while who
    whom whose why will with would you your excerpt excerpts document documents text evidence source sources
    according describe overview aber als auch auf aus bei bin bis bitte da das dass dem den der des die dies diese
    dieser dieses du durch ein eine einem einen einer eines er erkläre es für gab gibt hat hatte ich ihr im ist kann
    man mit nach nenne nicht noch nur oder ob sich sie sind über um und uns unter viel viele vom von vor wann war
    waren warum welche welchem welchen welcher welches wem wen wer werden wie wieso wird wo woher wohin worin wurde
    wurden zu zum zur zwischen à au aux avec ce ces cette combien comment dans de dont elle en est et était être il
    ils la le les leur lors mais ne nous ou où par pas pour pourquoi qu quand que quel quelle quelles quels qui quoi
    sa se ses son sont sur un une vous al algo como cómo con cual cuál cuáles cuando cuándo cuánta cuántas cuánto
    cuántos del donde dónde el ella era esta está este fue fueron ha hay las lo los más nos o para pero por porque
    qué quién quiénes ser si sin sobre su sus una y che chi come cosa dal dei della di dove e è gli nel nella non
    per perché più quale quali quando quanti quanto sono ao com dos é em foi na nas onde os pela pelo qual quais
    quantos quem uma een het hoe hoeveel met naar op te van voor waar waarom wanneer wat welk welke wordt zijn
"""
LONGEST = 64  # characters of a word that is cut and kept; a client may send megabytes without a space
FUNCTION_WORDS = frozenset(_FUNCTION.split())
_CJK_FUNCTION = re.compile(
    "什么|甚么|多少|哪里|哪儿|哪个|哪些|怎么|怎样|如何|为什么|何时|何地|谁|吗|呢|的|了|是|在|请|"
    "ですか|ますか|でしょうか|とは|いつ|どこ|だれ|誰|なに|何|どの|どれ|いくつ|いくら|なぜ|どう|"
    "の|は|が|を"  # particles: pairs across them ("山の") only stand in sentences that ask the same way
)
_WORD = re.compile(r"[^\W_]+(?:[.,'’][^\W_]+)*")
# Scripts written without spaces: Han, kana, Thai, Lao, Khmer, Myanmar.
_UNSPACED = re.compile(
    r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]+"
)
_ENDINGS = (
    "ements",
    "ations",
    "ation",
    "ement",
    "ings",
    "ing",
    "edly",
    "ies",
    "ied",
    "ers",
    "est",
    "ed",
    "es",
    "er",
    "en",
    "ly",
    "e",
    "s",
    "n",
    "y",
)
_STEM = 4  # characters that a stem keeps: below, different words fall together

# What a question asks for, by how it asks; first match counts.
_ASKS = {
    "number": r"how (?:many|much|long|far|old|tall|high|deep|large|big|fast|heavy|often)"
    r"|what (?:number|percentage|share|amount)|wie ?viele?|wie (?:hoch|lang|weit|alt|groß|schwer|schnell|oft)"
    r"|combien|cuánt[oa]s?|quant[ieoa]s?|hoeveel|多少|几|幾|いくつ|いくら|どのくらい|сколько|كم",
    "date": r"when|what (?:year|date|day)|which (?:year|date)|in welchem jahr|wann|quand|en quelle année|cuándo|quando"
    r"|wanneer|什么时候|何时|哪年|哪一年|いつ|когда|متى",
    "name": r"who|whom|whose|wer|wem|wen|qui|quién(?:es)?|chi|quem|wie is|谁|誰|だれ|кто|من",
    "place": r"where|wo|woher|wohin|où|dónde|dove|onde|waar|哪里|哪儿|どこ|где|أين",
}
_ASKED = tuple(
    (kind, re.compile(rf"(?<!\w)(?:{words})(?!\w)|(?:{words})(?=[\u3040-\u9fff])")) for kind, words in _ASKS.items()
)
# Where a question begins another: "How tall is it, and when was it built?"
_AND = re.compile(
    r"(?i)(?:[,;?]\s*(?:(?:and|und|et|y|e)\s+)?|\s+(?:and|und|et|y|e)\s+)"
    r"(?=(?:how|what|when|where|which|who|whom|whose|why|wie|was|wann|wo|wer|welche[rsnm]?|warum|combien|comment|quand"
    r"|qui|quel(?:le)?s?|où|pourquoi|cuánt[oa]s?|cuándo|cómo|qué|quién|dónde|quanto|quando|chi|dove|come)\b)"
)
_YEAR = re.compile(r"\b(?:1[0-9]|20)\d\d\b|\d{1,4}\s?[年月日]|\b\d{1,2}[./]\d{1,2}[./]\d{2,4}\b")
MONTH = re.compile(
    r"(?i)\b(?:january|february|march|april|may|june|july|august|september|october|november|december|januar|februar|märz|mai|juni|juli|oktober|dezember|"
    r"janvier|février|mars|avril|juin|juillet|août|septembre|octobre|novembre|décembre|enero|febrero|marzo|abril|mayo|junio|julio|agosto|octubre|noviembre|diciembre)\b"
)
_NUMBER = re.compile(
    r"\d|[一二三四五六七八九十百千万亿両]|(?i:\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|hundred|thousand|million|billion|dozen|half|"
    r"zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|deux|trois|quatre|cinq|dos|tres|cuatro|cinco)\b)"
)
_NAME = re.compile(r"(?<=[\w,] )[A-ZÀ-ÞА-Я][\w'’-]+|[A-Z][\w'’-]+ [A-Z][\w'’-]+|[\u4e00-\u9fff\u30a0-\u30ff]{2,}")


def terms(text: str) -> frozenset[str]:
    """The stems of the words of a text, and pairs of characters of scripts without spaces."""
    return frozenset(_terms(text))


def content_words(question: str) -> set[str]:
    """What a question is about: its terms without question words, articles and the like."""
    return set(_terms(without_question_words(question), leave=FUNCTION_WORDS))


def without_question_words(question: str) -> str:
    """The question without those question words and particles that are not set off by spaces."""
    return _CJK_FUNCTION.sub(" ", question)


def stem(word: str) -> str:
    """Without the ending, where enough stays: "stations" and "station" meet, "red" stays."""
    return _stem(word) if len(word) <= LONGEST and word.isalpha() else word


@lru_cache(maxsize=1 << 16)  # words come again and again; those of a server never end
def _stem(word: str) -> str:
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _STEM:
            word = word[: -len(ending)]
            break
    # "stopped" and "stops" meet, as do "carries" and "carry".
    return word[:-1] if len(word) > _STEM and word[-1] == word[-2] else word


def parts(question: str) -> list[str]:
    """The questions that one sentence asks; none if it asks only one."""
    found = [part for part in _AND.split(question) if part.strip()]
    return found if len(found) > 1 else []


def names(question: str) -> frozenset[str]:
    """The terms that look like names: capitalised inside the question, or with digits."""
    return terms(" ".join(re.findall(r"(?<=[\w,'’\"(] )[A-ZÀ-ÞА-Я]\w*|\b\w*\d\w*", question)))


def asks_for(question: str) -> str:
    """The kind of thing a question asks for: a key of TYPES, or "" where it does not show."""
    folded = question.casefold()
    return next((kind for kind, pattern in _ASKED if pattern.search(folded)), "")


def _names(text: str, asked: Collection[str]) -> bool:
    return any(not terms(name.group()) <= set(asked) for name in _NAME.finditer(text))


# Whether a sentence holds what is asked for; names that the question already has do not count.
TYPES: dict[str, Callable[[str, Collection[str]], bool]] = {
    "number": lambda text, asked: (
        any(not terms(found) <= set(asked) for found in re.findall(r"[\d.,]*\d", text))
        or bool(_NUMBER.search(re.sub(r"[\d.,]+", "", text)))
    ),
    "date": lambda text, asked: bool(_YEAR.search(text) or MONTH.search(text)),
    "name": _names,
    "place": _names,
}


def _terms(text: str, leave: Collection[str] = ()) -> list[str]:
    found = []
    folded = text.casefold()
    for run in _UNSPACED.findall(folded):
        found += [run[at : at + 2] for at in range(max(1, len(run) - 1))]
    for word in _WORD.findall(_UNSPACED.sub(" ", folded)):
        bare = word.removesuffix("'s").removesuffix("’s")
        if bare not in leave:
            found.append(stem(bare))
    return found
