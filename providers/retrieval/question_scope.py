"""Breadth: whether a question asks for an overview or for one fact, by how it asks."""

import re

from ..extractive.question_words import asks_for, names

_BROAD = re.compile(
    r"(?i)\b(?:overview|summar(?:y|ies|i[sz]e)|main (?:points?|ideas?|themes?|arguments?)|key (?:points?|takeaways?)|"
    r"in general|themes?|"
    r"what (?:is|are) .{1,80} about|tell me (?:more )?about|introduction|compare|differences? between|"
    r"überblick|übersicht|zusammenfass\w*|fasse? .{1,80} zusammen|worum geht|hauptthemen?|vergleich\w*|"
    r"aperçu|résum\w+|de quoi (?:parle|traite)|thèmes?|comparer?|resum\w+|de qué trata|temas?|visión general|"
    r"panoramica|riassun\w+|di che cosa (?:parla|tratta)|do que (?:se )?trata|visão geral|overzicht|"
    r"samenvat\w+|waar gaat)\b"
    r"|概述|概括|总结|總結|摘要|主要内容|主要內容|讲什么|介绍一下|要約|概要|まとめ|について教えて|요약|개요"
)
_NARROW = re.compile(r"[\"“„«「]\w|\d")


def breadth(question: str) -> str:
    """`broad`: wants the whole of something; `narrow`: one fact of it; "": it does not show."""
    if _BROAD.search(question):
        return "broad"
    return "narrow" if _NARROW.search(question) or asks_for(question) or any(map(_says_more, names(question))) else ""


def _says_more(name: str) -> bool:
    return len(name) > 1  # "I" is none
