"""Abbreviations whose full stop does not end a sentence, and words that tell whether it does. Lower case."""

from typing import Final


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# A name, a noun or an explanation follows, so the sentence goes on
NEVER: Final = _words("""
    mr mrs ms mx dr drs prof profs skt mt rev hon gen col maj capt cpt lt sgt cpl cmdr adm brig gov sen rep
    pres supt insp messrs pvt mme mlle mgr
    e.g i.e eg ie cf viz vs v approx incl excl esp resp ca circa ibid op bros exod mw
    hr hrn fr dipl ing dipl.-ing med kath evang z.b bzw u.a d.h u.ä vgl evtl ggf ggfs sog inkl zzgl einschl insb
    u.u i.d.r z.t z.zt s.o s.u o.ä o.g m.e i.a v.a geb gest verh ehem bspw exkl tel
    p.ex ej p.ej sra srta sras sres dña ud uds vd vds lic párrf párr aprox núm gral
    sig sigg dott dott.ssa avv arch rag psicol amm egr gent
    ул т.е т.к проф акад доц св пгт напр см ср г-н г-жа пл просп тов
    np tzn tzw tj inż prof mgr wg resp napr např tzv tj mj ing mudr judr rndr
    ir bv dhr mevr bijv d.w.z o.a m.b.t i.v.m nl
    f.eks bl.a dvs ca
    örn yrd doç
""")
TITLES: Final = _words("mr mrs ms dr prof")
# A number follows; before anything else it is a word
BEFORE_NUMBER: Final = _words("""
    kl no nos nr nrs fig figs p pp pg vol vols ch chap sec secs eq eqs art arts par abs bd bde kap tab ziff rn s ss n
    núm nº n° pág págs p.p cap cra ext tel str č čl obr rys poz lk č.j nr.
    mar lun mié jue vie sáb dom mer gio ven set lug ott ago mag
    стр рис табл гл п пп ст кв д вып т № тел
""")
# May end a sentence, where a typical first word follows
SOMETIMES: Final = _words("""
    inc ltd corp co llc plc u.s u.k e.u u.n u.s.a d.c ph.d m.d b.a m.a b.sc m.sc
    jan feb apr jun jul aug sep sept oct okt nov dec dez
    mié jue sáb ene abr giu janv févr avr juil déc
    янв фев февр апр авг сент окт нояб дек
    mon tue tues wed thu thurs fri
    jr sr esq st rd др пр ee uu s.a s.l s.p.a s.r.l s.r.o a.s gmbh e.v ft v.chr n.chr str jh jhd chr
    sts ft ave blvd dept univ assn mio mrd tsd al mag г гг в вв им р тыс млн млрд руб
""")
AFTER_NUMBER: Final = _words("г гг р руб коп")  # a year or an amount ends with these
ENDING: Final = _words(
    "etc usw usf uvm т.д т.п ecc itd atd apod enz"
)  # end a list, and a sentence where a capital follows
CLOCK: Final = _words("a.m p.m am pm")
# Belong to the time before them
ZONES: Final = _words("""
    est edt et pst pdt pt cst cdt ct mst mdt mt gmt utc bst cet cest ist jst eastern pacific central mountain
    monday tuesday wednesday thursday friday saturday sunday
""")
# A letter after these is a name of its own: plan B, vitamin C
LETTERED: Final = _words("""
    appendix annex vitamin plan group type class grade hepatitis figure table section part exhibit schedule option team
    phase level category point step item choice scenario model variant series block building room gate
    anhang gruppe klasse typ teil variante abschnitt
""")
STARTERS: Final = _words("""
    the this that these those there here it its he she they we you i his her their our my your
    a an if in on at by for from with when while where what who whom whose which why how however but and or so yet nor
    then thus therefore hence moreover furthermore meanwhile although though because since as after before during
    despite instead also both each every some many most few several all no not only one two three another other such
    even just did do does is are was were has have had can could will would should may might must let please today
    yesterday tomorrow now once yes according finally first second third next overall additionally to of about under
    der die das ein eine einer es er sie wir ihr ich dies diese dieser dieses jedoch aber und oder wenn als weil da dann
    dort hier auch nach vor im am zu für mit bei seit durch daher deshalb außerdem zudem doch
    le la les il elle ils elles un une des nous vous je ce cette ces cela mais et ou donc car si dans en pour par sur
    avec après avant selon ainsi cependant
    el los las ella ellos unos unas esto este esta estos estas pero y porque para con según después antes también además
    lo gli questo questa ma dopo prima secondo inoltre anche non
    os uma ele ela eles isso mas depois
    он она оно они мы вы это этот эта эти но и а если когда потом после в на с по для из от также однако затем
    det den de hvad hvor hvordan hvem jeg du han hun vi og men han hun het een hij zij wij dit dat deze maar
""")
NAMES: Final = _words("will may an so le la los las des de du den das der di i a и а в с")  # are parts of names, too
MONTHS: Final = _words("""
    januar februar märz april mai juni juli august september oktober november dezember jänner jahrhundert jahrhunderts
    janvier février mars avril juin juillet août septembre octobre novembre décembre
    january february march may june july october december
    stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października listopada grudnia
    ledna února března dubna května června července srpna září října prosince
    januára februára marca apríla mája júna júla augusta septembra októbra novembra decembra
    marts maj februari maart mei augustus
""")
# German: an ordinal follows these, so a number's full stop belongs to the number
BEFORE_DAY: Final = _words("am der dem den des die das vom zum im seit bis ab beim jeder jedem jeden")
