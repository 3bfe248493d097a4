"""The scope of a question: whether it asks for an overview or for one fact."""

import re

from citestream.citation.text.queries.questions import answer_kind, name_terms

_BROAD = re.compile(
    r"(?i)\b(?:overview|summary|summaries|summari[sz]e|main (?:points?|ideas?|themes?|arguments?)|"
    r"key (?:points?|takeaways?)|in general|themes?|"
    r"what (?:is|are) .{1,80} about|tell me (?:more )?about|introduction|compare|differences? between|"
    r"überblick|übersicht|zusammenfass\w*|fasse? .{1,80} zusammen|worum geht|hauptthemen?|vergleich\w*|"
    r"aperçu|résum\w+|de quoi (?:parle|traite)|thèmes?|comparer?|resum\w+|de qué trata|temas?|visión general|"
    r"panoramica|riassun\w+|di che cosa (?:parla|tratta)|do que (?:se )?trata|visão geral|overzicht|"
    r"samenvat\w+|waar gaat)\b"
    r"|概述|概括|总结|總結|摘要|主要内容|主要內容|讲什么|介绍一下|要約|概要|まとめ|について教えて|요약|개요"
)
_NARROW = re.compile(r"[\"“„«「]\w|\d")


def breadth(question: str) -> str:
    """Return `broad` for a question about the whole of a topic, `narrow` for one about a fact, "" if neither shows."""
    if _BROAD.search(question):
        return "broad"
    if _NARROW.search(question) or answer_kind(question):
        return "narrow"
    return "narrow" if any(len(name) > 1 for name in name_terms(question)) else ""  # "I" is no name
