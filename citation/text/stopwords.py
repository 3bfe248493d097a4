"""Function words and characters of the languages answers mostly come in, folded (no case, no diacritics)."""

from .normalize import fold, table, words

_WORDS = dict(line.split(": ", 1) for line in table("function_words.txt"))

# Particles, pronouns and copulas: a pair of characters that holds one says little.
_CHARS = """
的了是在和与與及或而也都就还還又很把被让讓向从從到对對为為以之其这這那此该該个個们們你我他她它吗嗎呢
吧啊着著过過会會能可要将將于於由所则則但并並且因如若有无無不没沒中上下等更最已曾はがをにへとでもやの
かよねだするしたてまれいなこそらさ은는이가을를의에로와과도만
"""

FUNCTION_CHARS = frozenset(_CHARS) - {"\n"}  # particles of Chinese, Japanese and Korean


# Function words of one language that say something in another: only a text known to be in theirs drops them.
_MEANINGFUL = frozenset(
    words(
        """die war son man hat mine will ton car sur pour gut sin con ton tout use once hay ante bin den per art fin van
    op met door over dos sera tot est or ni ha has do sea los las use par dans sobre para fur am im es as os a i
    in on"""
    )
) - frozenset(words("a i in on as am do has or"))


def _tables() -> dict[str | None, frozenset[str]]:
    tables: dict[str | None, frozenset[str]] = {
        language: frozenset(fold(word) for word in ["", *words.split()]) for language, words in _WORDS.items()
    }
    everything = frozenset().union(*tables.values())
    english = tables["en"]
    tables[None] = everything - (_MEANINGFUL - english)
    return tables


_TABLES = _tables()


def stopwords(language: str | None) -> frozenset[str]:
    """Those of the language, and ""; of all of them, save what means something elsewhere, where it is not known."""
    return _TABLES.get(language, _TABLES[None])
