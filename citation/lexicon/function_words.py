"""Function words and characters of the languages answers mostly come in, folded (no case, no diacritics)."""

from .folding import fold

_WORDS = {
    "en": """
        a an the this that these those here there and or but nor so yet if then than as at by for from in into of off on onto out
        over to up down with within without about above across after again against along among around before behind below beneath
        beside between beyond during except through throughout toward towards under until upon via per
        i me my mine myself we us our ours you your yours he him his himself she her hers it its itself they them their theirs
        themselves who whom whose which what when where why how whether while because since although though however therefore thus
        hence also too very just only even still already ever often once such same other another each every either neither both
        all any some most more much many few less least several own
        be is are was were been being am do does did done doing have has had having will would shall should can could may might must
        let get got gets s t d ll re ve m o don
        not no never none nothing nobody cannot
    """,
    "de": """
        der die das den dem des ein eine einen einem einer eines und oder aber denn sondern doch wenn als wie so auch nur noch schon
        sehr mehr zu zum zur im in am an auf aus bei beim bis durch fur gegen mit nach ohne seit um unter uber von vom vor wahrend wegen
        zwischen ich du er sie es wir ihr mich dich ihn uns euch ihnen mein dein sein seine seinen seiner seinem ihre ihren ihrer ihrem
        unser dieser diese dieses diesen diesem jener welche welcher welches was wer wo wann warum dass ob weil damit
        ist sind war waren bin bist seid gewesen werden wird wurde wurden worden hat haben hatte hatten kann konnen konnte muss mussen
        soll sollte will wollen darf dabei dazu daher deshalb jedoch sowie etwa man sich nicht kein keine keinen keiner nie da hier dort
    """,
    "es": """
        el la los las lo un una unos unas y e o u ni que de del al a en con por para sin sobre entre hasta desde hacia segun durante
        mediante tras ante bajo contra se su sus mi mis tu tus nuestro nuestra me te le les nos yo ella ellos ellas usted
        este esta estos estas ese esa esos esas aquel aquella esto eso como cuando donde quien cual cuales porque aunque mientras pero
        sino si mas muy tan tanto tambien ya aun es son era eran fue fueron ser sido siendo esta estan estaba estado ha han habia haber
        hay tiene tienen no nunca cada todo toda todos todas otro otra otros otras mismo misma
    """,
    "fr": """
        le la les l un une des du de d et ou mais donc or ni car que qu qui quoi dont ou a au aux en dans par pour sur sous avec sans
        entre vers chez depuis pendant avant apres contre ce cet cette ces c son sa ses leur leurs mon ma mes ton ta tes notre nos votre
        vos je tu il elle on nous vous ils elles me te se s y ne pas plus tres aussi comme si quand lorsque puisque parce
        est sont etait etaient ete etre fut furent sera a ont avait avaient avoir ayant peut peuvent tout tous toute toutes autre autres
        meme n j m t
    """,
    "it": """
        il lo gli i uno dello della dei degli delle al allo alla ai agli alle dal dalla nel nella nei nelle sul sulla con su per tra fra
        che chi cui non e ed o ma se come quando dove perche anche piu molto e sono era erano stato stata essere ha hanno aveva questo
        questa questi queste quello quella suo sua suoi sue loro si ci vi
    """,
    "pt": """
        os as um uma uns umas do da dos das no na nos nas ao aos pelo pela pelos pelas com em e ou mas que se nao mais muito foi foram
        ser sido esta estao tem tinha seu sua seus suas ele ela eles elas isso isto este esta esse essa
    """,
    "nl": """
        het een van en op te dat die is was waren zijn met voor niet aan er om ook maar bij door over uit naar dan nog wel
    """,
    "ru": """
        и в во не на с со что как а то он она они оно мы вы я но да нет за по из от до к ко у о об при для же бы ли его ее их это этот
        эта эти тот та те был была было были быть есть или так также если когда где который которая которое которые который чтобы
    """,
    "el": """
        και το η ο του της τα τη την των οι στο στη στην με για από που είναι ήταν να θα δεν δε σε ένα μια
    """,
    "ar": """
        في من على إلى عن مع هذا هذه التي الذي كان كانت ما لا لم لن أن إن أو ثم هو هي هم قد كل بعد قبل بين
    """,
    "hi": """
        के का की को में से पर और है हैं था थे थी यह वह ने भी तो कि या एक नहीं इस उस हो कर
    """,
    "tr": """
        bir ve bu da de ile icin olarak olan den dan mi
    """,
    "pl": """
        i w z na do nie sie jest to ze o od po za dla jak przez oraz byl byla
    """,
}

# Particles, pronouns and copulas: a pair of characters that holds one says little.
_CHARS = """的了是在和与與及或而也都就还還又很把被让讓向从從到对對为為以之其这這那此该該个個们們你我他她它吗嗎呢吧啊着著过過会會
能可要将將于於由所则則但并並且因如若有无無不没沒中上下等更最已曾
はがをにへとでもやのかよねだでするしたてるますれいなこそれらさ
은는이가을를의에로와과도만"""

_FUNCTION_CHARS = frozenset(_CHARS) - {"\n"}


# Function words of one language that say something in another: only a text known to be in theirs drops them.
_MEANINGFUL = frozenset(
    "die war son man hat mine will ton car sur pour gut sin con ton tout use once hay ante bin den per art fin van op met door over "
    "dos sera tot est or ni ha has do sea los las use par dans sobre para fur am im es as os a i in on".split()
) - frozenset("a i in on as am do has or".split())


def _tables() -> dict[str | None, frozenset[str]]:
    tables: dict[str | None, frozenset[str]] = {
        language: frozenset(fold(word) for word in words.split()) for language, words in _WORDS.items()
    }
    everything = frozenset().union(*tables.values())
    english = tables["en"]
    tables[None] = everything - (_MEANINGFUL - english)
    return tables


_TABLES = _tables()


def function_words(language: str | None) -> frozenset[str]:
    """Those of the language; of all of them, save what means something elsewhere, where it is not known."""
    return _TABLES.get(language, _TABLES[None])


def is_function_char(char: str) -> bool:
    """Particles of Chinese, Japanese and Korean."""
    return char in _FUNCTION_CHARS
