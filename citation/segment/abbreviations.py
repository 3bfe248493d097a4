"""Abbreviations whose full stop does not end a sentence, and words that tell whether it does."""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# A name, a noun or an explanation follows, so the sentence goes on
NEVER = _words("""
    mr mrs ms dr prof st mt ft rev hon gen col maj capt lt sgt cmdr adm gov sen rep pres supt insp messrs mme mlle
    e.g i.e cf viz vs v approx incl esp resp ca hr fr dipl ing mag z.b bzw u.a d.h vgl evtl ggf sog inkl zzgl u.u i.d.r
    s.o s.u o.ä p.ex ej p.ej sra srta dña uds ud lic г гг ул им т.е т.к проф акад св р mgr inż np tzn tj ir drs bv
    ave blvd dept univ assn bros exod mw op mio mrd tsd
""")
# A number follows; before anything else it is a word
BEFORE_NUMBER = _words("""
    no nos nr fig figs p pp vol vols ch sec eq art par abs bd kap tab s núm nº n n° стр рис табл pág lk č č.j
""")
# May end a sentence, where a typical first word follows
SOMETIMES = _words("""
    etc inc ltd corp co usw al a.m p.m am pm u.s u.k e.u u.n d.c ph.d jan feb mar apr jun jul aug sep sept oct nov dec
    jr sr esq st rd др пр т.д т.п usf
""")
STARTERS = _words("""
    the a an he she it they we you i this that these those there here in on at as but and so if when while after before
    however although for from by with his her its their our my your what who where why how not no yes did do does is
    are was were can could will would one some many most all each both
    der die das ein eine er sie es wir ich und aber doch le la les il elle ils un une el los las nous mais но и а он она
""")
MONTHS = _words("""
    januar februar märz april mai juni juli august september oktober november dezember jänner
    janvier février mars avril juin juillet août septembre octobre novembre décembre
    january february march may june july october december
    stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października listopada grudnia
""")
# German: an ordinal follows these, so a number's full stop belongs to the number
BEFORE_DAY = tuple(
    [word]
    for word in [
        "am",
        "der",
        "dem",
        "den",
        "des",
        "die",
        "das",
        "vom",
        "zum",
        "im",
        "seit",
        "bis",
        "ab",
        "beim",
        "jeder",
        "jedem",
        "jeden",
    ]
)
