"""Detection of sentences that make a claim, which evidence could support."""

import re
from collections.abc import Iterable

from ..text.segmentation import CITABLE, Kind

# A longer sentence says more than the greeting or announcement at its beginning.
_MAX_PHRASE = 90

_WORD = re.compile(r"[^\W\d_]{2,}|[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]")
_CODE = re.compile(r"`[^`]*`")
# A label or an address ends at the next bracket of its kind, so that none of them is read more than once. An address
# may contain pairs of parentheses.
_LINK = re.compile(r"(?:!?\[[^\[\]]*+\]\([^()]*+(?:\([^()]*+\)[^()]*+)*+\)|https?://\S++)\s*+")
_DECORATION = " \t\r\n*_#>~\"'“”‘’«»「」『』-–—•|"
_OPEN_ENDS = ("?", "？", "؟", ":", "：")  # the ends of questions and lead-ins
_LIST_NUMBER = re.compile(r"^(?:\(?\d{1,3}[.)]|[-*+•])\s+")

# The rest of a sentence that only names an address: "See https://example.org for details."
_POINTER = re.compile(
    r"(?:(?:see|also|visit|go|read|more|at|here|via|to|for|on|under|details|information|source|link|siehe|auch|unter|mehr"
    r"|quelle|für|dazu|voir|aussi|plus|sur|détails|ver|véase|más|en|información|fuente|详见|参见|来源)\W*)+",
    re.IGNORECASE,
)
# At most two words and a conjunction: an item of a list that goes on, such as "by phone, or".
_FRAGMENT = re.compile(r"(?:[^\W\d_]+ ){0,1}[^\W\d_]+,? (?:and|or|und|oder|y|o|et|ou)[,;]?", re.IGNORECASE)

# Complete sentences that are courtesies.
_COURTESY = re.compile(
    r"""(?:hi|hello|hey|good\ (?:morning|afternoon|evening)|welcome|sure(?:\ thing)?|certainly
    |of\ course|absolutely|great|okay|ok|yes
    |no|thanks?(?:\ you)?|thank\ you\ very\ much|you(?:'|’)?re\ welcome|great\ question|good\ question|sorry
    |goodbye|bye|glad\ to\ help
    |happy\ to\ help|i\ hope\ (?:this|that)\ helps|hope\ (?:this|that)\ helps|let\ me\ know\ if\ .*
    |feel\ free\ to\ .*|please\ let\ me\ know.*
    |if\ you\ (?:have|need|want|would\ like)\ .*
    |hallo|guten\ (?:morgen|tag|abend)|gern(?:e)?(?:\ geschehen)?|natürlich|selbstverständlich|klar|vielen\ dank
    |danke(?:\ schön)?|ja|nein
    |gute\ frage|entschuldigung|ich\ hoffe,?\ das\ hilft.*|falls\ (?:du|sie)\ .*|wenn\ (?:du
    |sie)\ (?:noch\ )?(?:fragen|weitere).*|lassen\ sie\ (?:es\ )?mich\ wissen.*
    |hola|buenos\ días|buenas\ (?:tardes|noches)|claro(?:\ que\ sí)?|por\ supuesto|desde\ luego|gracias
    |muchas\ gracias|de\ nada|sí|lo\ siento
    |buena\ pregunta|espero\ que\ (?:esto\ )?.*ayude.*|si\ (?:tienes|tiene|necesitas|necesita)\ .*
    |no\ dudes\ en\ .*|avísame\ si\ .*
    |bonjour|bonsoir|salut|bien\ sûr|certainement|volontiers|merci(?:\ beaucoup)?|de\ rien|oui|non|désolée?
    |bonne\ question
    |j(?:'|’)espère\ que\ .*|n(?:'|’)hésitez\ pas\ à\ .*|si\ vous\ avez\ (?:d(?:'|’)autres|des)\ .*
    |olá|bom\ dia|obrigad[oa]|ciao|buongiorno|grazie|prego|certo|привет|здравствуйте|спасибо|конечно|пожалуйста
    |你好|您好|好的|当然|當然(?:可以)?|当然可以|没问题|沒問題|谢谢|謝謝|不客气|不客氣|抱歉|希望(?:这|這
    |以上).*(?:帮助|幫助).*|如果(?:你|您)(?:还|還)?有.*|如有.*(?:问题|問題|疑问|疑問).*
    |こんにちは|はい|もちろんです|ありがとうございます|안녕하세요|네|물론입니다|감사합니다|مرحبا|شكرا|بالتأكيد)
    """,
    re.VERBOSE | re.IGNORECASE,
)

# Sentences about the answer itself, or about information that the excerpts lack.
_META = re.compile(
    r"""^(?:
    (?:here\ (?:is|are)|here(?:'|’)s|below\ (?:is|are)|the\ following\ (?:is|are)|this\ is)\ (?:a|an|the|my|your
    |some)?\ ?(?:\w+\ ){0,3}?(?:summary|overview|list|answer|explanation|breakdown|outline|comparison|table
    |steps?|points?|details?|response)\b
    |(?:let\ me|let(?:'|’)s|i\ will|i(?:'|’)ll|i\ can|i\ would|i(?:'|’)d)[ ](?:now\ |be\ (?:happy|glad)\ to[ ]
    |like\ to\ |first\ )?(?:explain|summari[sz]e|help|answer|list|outline|show|walk|look|start|begin|provide
    |give|describe|go|break)\b
    |(?:based\ on|according\ to)\ the\ (?:provided\ |given\ |available\ )?(?:excerpts|sources|context|documents
    |evidence|passages|text|information)[,.:]?$
    |(?:in\ (?:summary|conclusion|short)|to\ summari[sz]e|overall)[,.:]?$
    |(?:unfortunately,?\ |sorry,?\ (?:but\ )?|however,?\ )?(?:i\ (?:could|can|was|am|do|did)\ ?(?:not|n(?:'|’)t
    |unable)|i(?:'|’)m\ (?:sorry|not|unable)|i\ have\ no)\b
    |.{0,40}\b(?:excerpts?|sources|context|passages?|documents?|evidence)(?:\ (?:provided|given|above
    |available))?\ (?:do(?:es)?\ not|don(?:'|’)t|doesn(?:'|’)t|did\ not|contains?\ no|provides?\ no
    |says?\ nothing)\b
    |(?:there\ is\ )?(?:not\ enough|insufficient|no)\ (?:relevant\ )?information\b
    |hier\ (?:ist|sind|folgt|finden\ sie)\ (?:eine?|die|der|das|einige)?\ ?(?:\w+\ ){0,2}?(?:zusammenfassung
    |übersicht|überblick|liste|antwort|erklärung|tabelle|schritte|punkte)\b
    |(?:leider\ )?(?:ich\ (?:kann|konnte|habe|werde|möchte)|kann\ ich|konnte\ ich)\b.*
    |(?:leider\ )?(?:enthalten|enthält|nennen|geben|sagen)?\ ?(?:die|der|den|das)\ (?:auszüge|auszügen|quellen
    |textstellen|kontext|dokumente|dokumenten)\b.*\b(?:nicht|keine?n?|nichts)\b
    |aquí\ (?:está|están|tienes|tiene|hay)\ (?:un|una|el|la|los|las|algunos)?\ ?(?:\w+\ ){0,2}?(?:resumen|lista
    |respuesta|explicación|tabla|pasos|puntos)\b
    |(?:lamentablemente,?\ |lo\ siento,?\ (?:pero\ )?)?(?:no\ (?:pude|puedo|encontré|he\ encontrado
    |se\ encuentra|hay\ (?:suficiente\ )?información)|voy\ a)\b
    |(?:los\ extractos|las\ fuentes|los\ documentos|el\ contexto|los\ fragmentos)\b.*\bno\b
    |voici\ (?:un|une|le|la|les|des|quelques)?\ ?(?:\w+\ ){0,2}?(?:résumé|liste|réponse|explication|aperçu
    |tableau|étapes|points)\b
    |(?:malheureusement,?\ )?(?:je\ (?:n(?:'|’)ai\ pas|ne\ (?:peux|trouve|dispose)|vais)|il\ n(?:'
    |’)y\ a\ pas\ (?:assez\ )?d(?:'|’)informations?)\b
    |les\ (?:extraits|sources|documents|passages)\b.*\bne\b.*\bpas\b
    |(?:以下|下面)(?:是|为|為).{0,20}(?:总结|總結|摘要|概述|列表|回答|说明|說明|步骤|步驟|要点|要點)
    |(?:抱歉|很遗憾|很遺憾|对不起|對不起)?[，,]?(?:我)?(?:无法|無法|不能|没有|沒有|未能)(?:找到|在|回答|提供|从|從)
    |(?:提供的|所给的|給定的|给定的|现有的|以上)?(?:摘录|摘錄|资料|資料|来源|來源|文档|文檔|文本|上下文
    |材料)(?:中)?(?:并|並)?(?:没有|沒有|未|不)
    )""",
    re.VERBOSE | re.IGNORECASE,
)


def makes_claim(text: str, kind: Kind) -> bool:
    """Return whether `text`, a sentence without markers, states something that can be true or false.

    Headings, code, questions, lead-ins that end in a colon, courtesies, and sentences about the answer itself or about
    missing information do not. In doubt the result is True, since a claim that is not detected is not verified.
    """
    if kind not in CITABLE:
        return False
    plain = _LIST_NUMBER.sub("", text.strip())
    plain = _CODE.sub(" ", plain) if "`" in plain else plain
    linked = "](" in plain or "://" in plain
    plain = _LINK.sub("", plain) if linked else plain
    plain = plain.strip(_DECORATION)
    if (linked and _POINTER.fullmatch(plain)) or _FRAGMENT.fullmatch(plain):
        return False
    if not _WORD.search(plain) and not (kind is Kind.TABLE_ROW and any(c.isdigit() for c in plain)):
        return False
    if plain.endswith(_OPEN_ENDS):
        return False
    if _META_LONG.match(plain):
        return False
    return len(plain) > _MAX_PHRASE or not (_COURTESY.fullmatch(plain.rstrip(".!。！,，~ ")) or _META.match(plain))


# The beginning of an entry in a list of sources, up to the marker: "[1]", "- [1]".
_ENTRY_MARKER = re.compile(r"\s*(?:(?:[-*+•]|\d{1,3}[.)])\s+)?[*_]{0,2}[\[［【]")
_MAX_ENTRY = 400
_PLACE = re.compile(
    r"[\W_]*(?:(?:pages?|pp?|seiten?|s|páginas?|págs?|sections?|excerpts?|chunks?|第)[.\s]*\d+(?:\s*[-–]\s*\d+)?[页頁]?[\W_]*)?",
    re.IGNORECASE,
)


def names_source(sentence: str, text: str, names: Iterable[str]) -> bool:
    """Return whether a sentence is an entry in a list of sources that the model wrote: "[1] report.pdf, page 3".

    Such an entry states nothing. `sentence` has the model's markers, `text` does not. `names`: of the evidence.
    """
    if len(sentence) > _MAX_ENTRY or not _ENTRY_MARKER.match(sentence):
        return False
    rest = _LINK.sub(" ", text)
    for name in sorted(names, key=len, reverse=True):
        rest = rest.replace(name, " ")
    return rest != text and _PLACE.fullmatch(rest) is not None


# Sentences of any length about missing information, and the note of the embedded provider.
_META_LONG = re.compile(
    r"this is citestream['’]s embedded provider"
    r"|(?:unfortunately,? |sorry,? (?:but )?)?(?:i (?:could not|couldn['’]t|cannot|can['’]t|was unable to|did not)"
    r" (?:find|answer|determine)"
    r"|the (?:provided |given |available )?(?:excerpts?|sources|context|passages?|documents)"
    r" (?:do(?:es)? not|don['’]t|doesn['’]t)"
    r"|(?:leider )?ich (?:kann|konnte) .{0,40}nicht (?:finden|beantworten)"
    r"|die (?:auszüge|quellen) (?:enthalten|nennen) kein"
    r"|no (?:pude|he podido|puedo) encontrar|los extractos no|je n['’]ai pas (?:pu )?trouv|les extraits ne)",
    re.IGNORECASE,
)
