"""Answers without a quotation, in the language of the question."""

import re

from citestream.citation.text.words.languages import guess_language

# Language -> "I found no sentence about this", and what the provider is
_NOTHING_FOUND = {
    "en": (
        "I found no sentence about this.",
        "This is Citestream's embedded provider: it has no language model and only quotes evidence.",
    ),
    "de": (
        "Ich habe keinen Satz dazu gefunden.",
        "Dies ist der eingebaute Anbieter von Citestream: Er hat kein Sprachmodell und zitiert nur.",
    ),
    "fr": (
        "Je n'ai trouvé aucune phrase à ce sujet.",
        "C'est le fournisseur intégré de Citestream : il n'a pas de modèle de langage et ne fait que citer.",
    ),
    "es": (
        "No he encontrado ninguna frase sobre esto.",
        "Este es el proveedor integrado de Citestream: no tiene modelo de lenguaje y solo cita.",
    ),
    "it": (
        "Non ho trovato nessuna frase al riguardo.",
        "Questo è il fornitore integrato di Citestream: non ha un modello linguistico e cita soltanto.",
    ),
    "pt": (
        "Não encontrei nenhuma frase sobre isto.",
        "Este é o fornecedor integrado do Citestream: não tem modelo de linguagem e apenas cita.",
    ),
    "nl": (
        "Ik heb hierover geen zin gevonden.",
        "Dit is de ingebouwde provider van Citestream: hij heeft geen taalmodel en citeert alleen.",
    ),
    "zh": ("我没有找到相关的句子。", "这是 Citestream 的内置提供程序：它没有语言模型，只引用原文。"),
    "ja": (
        "該当する文は見つかりませんでした。",
        "これは Citestream の内蔵プロバイダーです。言語モデルはなく、引用するだけです。",
    ),
}
NO_EVIDENCE = (
    f"There is no information: no evidence was sent, and no documents were searched. {_NOTHING_FOUND['en'][1]}"
)
_SPACED = frozenset(_NOTHING_FOUND) - {"zh", "ja"}
_KANA, _HAN = re.compile(r"[\u3040-\u30ff]"), re.compile(r"[\u3400-\u9fff]")


def nothing_found(question: str) -> str:
    """Return the answer to a question about which no sentence was found; in English for an unknown language."""
    if _KANA.search(question):
        language = "ja"
    elif _HAN.search(question):
        language = "zh"
    else:
        language = guess_language(question, _SPACED) or "en"
    return " ".join(_NOTHING_FOUND.get(language, _NOTHING_FOUND["en"]))


def all_messages() -> list[str]:
    """Return the answers without a quotation, in all languages."""
    return [NO_EVIDENCE, *(" ".join(sentences) for sentences in _NOTHING_FOUND.values())]
