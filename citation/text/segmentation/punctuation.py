"""Characters of all scripts that end, close or open sentences."""

from typing import Final

# Ends of sentences that are followed by a space
SPACED: Final = ".!?…‼⁇⁈⁉"
# Ends that need no space after them: CJK full and half width
CJK_ENDS: Final = "。！？｡；"
# Ends of scripts without case, followed by a space or not: Arabic and Urdu, Syriac, danda family, Khmer, Myanmar,
# Ethiopic, Armenian, Tibetan, Greek question mark, Mongolian, Ol Chiki, Sinhala, N'Ko, Tifinagh-neutral marks
OTHER_ENDS: Final = "؟۔܀܁܂।॥។៕၊။።፧፨։།༎\u037e᠃᠉᱾᱿෴꓿꛳꛷"
ENDS: Final = SPACED + CJK_ENDS + OTHER_ENDS.replace("၊", "")

# What may stand right after the end and belongs to the sentence
CLOSERS: Final = "\"'”’»›)]}*_~`）］｝」』】》〉〕〗〙〛＂＇≫"
# What may stand before the first word of the next one
OPENERS: Final = "\"'“‘«‹([{*_~¿¡„‚（［｛「『【《〈〔〖≪<-–—"

SPACES: Final = " \t\r\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000"  # for a character class; no newline

CJK: Final = (
    "\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uac00-\ud7af\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff"
)
THAI_LAO: Final = "\u0e00-\u0eff"
ARMENIAN: Final = "\u0531-\u0587"
GREEK: Final = "\u0370-\u03ff\u1f00-\u1fff"
# Emoji and what joins them: after the end they belong to the sentence before
EMOJI: Final = "\u200d\ufe0e\ufe0f\u20e3\u2600-\u27bf\u2b50\u2b55\U0001f000-\U0001faff\U000e0020-\U000e007f"

THAI_CLAUSE: Final = 40  # Thai and Lao write no full stop: a space ends a sentence of at least this many characters
FOOTNOTES: Final = "¹²³⁰⁴⁵⁶⁷⁸⁹"  # numbers of notes stand behind the end
