"""Abbreviations whose full stop does not end a sentence, by what may follow them."""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# A name or a noun follows, so the sentence goes on whatever stands there
ALWAYS = _words("""
    mr mrs ms dr prof st sr jr rev hon gen col maj capt lt sgt cmdr adm gov sen rep pres supt insp messrs mme mlle
    e.g i.e cf viz vs v approx incl esp resp ca hr fr dipl ing mag z.b bzw u.a d.h vgl evtl ggf sog inkl zzgl u.u
    p.ex ej sra srta dña ud uds lic г гг ул им т.е т.к т.д т.п др пр тов проф акад mt ft
""")
# A number follows
BEFORE_NUMBER = _words("no nos nr fig figs p pp vol vols ch sec eq art par abs bd kap tab s núm nº n стр рис табл")
# May end a sentence, if what follows is a typical first word
BEFORE_LOWER = _words("etc inc ltd corp co usw al a.m p.m am pm u.s u.k e.u u.n d.c ph.d jan feb mar apr jun jul aug sep sept oct nov dec")
STARTERS = _words("""
    the a an he she it they we you i this that these those there here in on at as but and so if when while after before
    however although for from by with his her its their our my your what who where why how not no yes der die das ein
    eine er sie es wir ich und aber le la les il elle ils un une el los las on nous the
""")
