"""Disagreements by rule: comparisons, restrictions, added parts, times and causes, and Chinese bindings."""

import pytest

from citestream.citation.evidence import Evidence
from citestream.citation.support.gates import GateChecks
from citestream.citation.support.gates.disagreement import Disagreement
from citestream.citation.support.scorers import Claim, scorer


def disagreements(text: str, claim: str) -> list[Disagreement]:
    prepared = scorer("lexical").prepare([Evidence(1, text, "a")])
    asked = Claim(claim)
    return GateChecks(asked, prepared.index).disagreements(0, (0, len(text)))


def refusing_rules(text: str, claim: str) -> set[str]:
    return {one.rule for one in disagreements(text, claim)}


REFUSED = {
    "a comparison the other way round": (
        "comparison",
        "Mount Kelda is higher than Mount Ristor.",
        "Mount Ristor is higher than Mount Kelda.",
    ),
    "the opposite grade": ("comparison", "Silver is softer than steel.", "Silver is harder than steel."),
    "more for as much": (
        "comparison",
        "Women scored as high as men in the test.",
        "Women scored higher than men in the test.",
    ),
    "a multiple the other way round": (
        "comparison",
        "Plan A costs twice as much as plan B.",
        "Plan B costs twice as much as plan A.",
    ),
    "the second comparison of a sentence": (
        "comparison",
        "Zinc is cheaper than copper but more expensive than iron.",
        "Zinc is cheaper than iron but more expensive than copper.",
    ),
    "a German comparison": ("comparison", "Der Rhein ist länger als die Elbe.", "Die Elbe ist länger als der Rhein."),
    "a comparison, of which the passage names one side": (
        "comparison",
        "Das Modell Luna wiegt 1,2 kg. Das Modell Sol ist 300 g schwerer.",
        "Luna ist schwerer als Sol.",
    ),
    "a comparison, of which the claim names one side": (
        "comparison",
        "The lake path is longer than the hill path.",
        "The hill path is longer.",
    ),
    "a part of a total that comes first": (
        "part",
        "Von den 48 befragten Betrieben gaben 31 an, Fachkräfte zu suchen.",
        "Alle befragten Betriebe suchen Fachkräfte.",
    ),
    "a French comparison": (
        "comparison",
        "Le train est plus rapide que le bus.",
        "Le bus est plus rapide que le train.",
    ),
    "a Chinese comparison": ("comparison", "火车比汽车快。", "汽车比火车快。"),
    "a Chinese comparison with 于": ("comparison", "甲厂的产量低于乙厂。", "甲厂的产量比乙厂高。"),
    "a French passive with the same order": (
        "role",
        "Le facteur a averti le maire.",
        "Le facteur a été averti par le maire.",
    ),
    "a Chinese passive with the same order": ("role", "东方公司起诉了西城银行。", "东方公司被西城银行起诉。"),
    "another person in Chinese": ("name", "这座桥由工程师林雨设计。", "高远设计了这座桥。"),
    "another office in Chinese": ("name", "报告由环保局撰写。", "卫生局撰写了报告。"),
    "a denial two words later": (
        "denied nearby",
        "Voyage 9 flew past the comet in March. The probe did not land on it.",
        "Voyage 9 landed on the comet in March.",
    ),
    "a story": ("frame", "In the story, the harbour of Brenn burns down.", "The harbour of Brenn burns down."),
    "another day than the only ones": (
        "outside",
        "The train stops in Holten only on weekdays.",
        "The train stops in Holten only on Sundays.",
    ),
    "more than the only thing": (
        "outside",
        "The drug was tested only on mice.",
        "The drug was tested on mice and on humans.",
    ),
    "others than the only ones in Chinese": ("outside", "博物馆只在周末开放。", "博物馆每天开放。"),
    "a part that the passage does not have": (
        "added",
        "The camera records in 4K and has two microphones.",
        "The camera records in 4K, has two microphones and is waterproof.",
    ),
    "a verb that denies in the place of another": (
        "denied",
        "The insurer rejected the claim for water damage.",
        "The insurer paid the claim for water damage.",
    ),
    "all of a part": (
        "part",
        "Two thirds of the members supported the motion.",
        "All members supported the motion.",
    ),
    "an obstacle told as a reason": (
        "obstacle",
        "The crew survived thanks to the life raft.",
        "The crew survived in spite of the life raft.",
    ),
    "another reason": (
        "cause",
        "The match was postponed owing to the storm.",
        "The match was postponed owing to a strike.",
    ),
    "a state that has ended": (
        "until",
        "Until 2019 entry to the museum was free. Since then a ticket has cost 6 euros.",
        "Entry to the museum is free.",
    ),
    "a question told as an answer": (
        "open",
        "Critics ask whether the tunnel is safe.",
        "Critics confirm that the tunnel is safe.",
    ),
    "an event of a dream": ("frame", "In her dream, the whole village was flooded.", "The whole village was flooded."),
    "two people of one Chinese sentence": ("conjuncts", "张明教物理，刘芳教历史。", "张明教历史。"),
    "two values of one Chinese sentence": ("conjuncts", "成人票12元，儿童票5元。", "儿童票12元。"),
    "an exception in Chinese": ("negation", "除南门外，公园的所有入口都开放。", "公园南门开放。"),
    "before for after in Chinese": ("when", "货款在交货后支付。", "货款在交货前支付。"),
    "not all in Chinese": ("quantifier", "并非所有样品都合格。", "所有样品都合格。"),
    "roles in French, with the auxiliary a": (
        "role",
        "Le locataire a poursuivi le propriétaire.",
        "Le propriétaire a poursuivi le locataire.",
    ),
    "directions in French": (
        "from",
        "L'entreprise a transféré son siège de Lille à Metz.",
        "L'entreprise a transféré son siège de Metz à Lille.",
    ),
    "no other is as large for the largest, turned round": (
        "comparison",
        "No other bridge in the valley is as tall as Elmgate.",
        "Elmgate is not as tall as other bridges in the valley.",
    ),
    "a cause in place of an effect": (
        "cause",
        "Higher fares annoyed passengers on the island.",
        "The passengers caused higher fares on the island.",
    ),
    "the date from which another event is counted": (
        "conjuncts",
        "The lease was signed on 30 May and ended two weeks later.",
        "The lease ended on 30 May.",
    ),
    "the date of what came after": (
        "conjuncts",
        "The opera was performed in 1903, two years after the symphony.",
        "The symphony was performed in 1903.",
    ),
    "a subject with a relative clause": (
        "conjuncts",
        "The baker was raised in Turku; the tailor who taught her was raised in Oulu.",
        "The tailor was raised in Turku.",
    ),
    "a place with another preposition": (
        "conjuncts",
        "The sauna is on the third floor and the laundry in the cellar.",
        "The sauna is in the cellar.",
    ),
    "a thing that only the next sentence names": (
        "elsewhere",
        "New tenants receive a key on the first day. Badges are sent after a week.",
        "New tenants receive a badge on the first day.",
    ),
    "a correction of what people say": (
        "retracted",
        "Many visitors say that the gate was cast in Ghent. In fact it was cast in Namur.",
        "The gate was cast in Ghent.",
    ),
    "a plan for the month of May": (
        "plan",
        "The council is expected to sell the depot in May.",
        "The council sold the depot in May.",
    ),
    "the reason that is denied": (
        "negation",
        "The pilot quit because of the schedule, not because of the pay.",
        "The pilot quit because of the pay.",
    ),
    "another weekday than the one reached": (
        "antonym",
        "The trial was moved from Thursday to the following day.",
        "The trial was moved to Wednesday.",
    ),
    "all but": (
        "negation",
        "All stoves but the one in the attic are lit.",
        "The stove in the attic is lit.",
    ),
    "a condition that is waived": (
        "condition",
        "The gate cannot be opened unless it has been unlocked first.",
        "The gate can be opened without being unlocked first.",
    ),
    "a minority for a majority": (
        "quantifier",
        "The majority of the tenants were farmers.",
        "A minority of the tenants were farmers.",
    ),
    "versions in the other direction": (
        "from",
        "The clock was moved from tower 5 to tower 4.",
        "The clock was moved from tower 4 to tower 5.",
    ),
    "the giver as the receiver, named by a pronoun": (
        "role",
        "Ida Berg inherited the mill from her uncle.",
        "The uncle of Ida Berg inherited the mill from her.",
    ),
    "since for a reason, turned round": (
        "cause",
        "Since the tank was full, the valve stayed shut.",
        "The tank was full because the valve stayed shut.",
    ),
    "a rumour that the next sentence denies": (
        "retracted",
        "It is said in town that the mill was sold. Its owner denies this.",
        "The mill was sold.",
    ),
    "a computed year for the event with a year of its own": (
        "date",
        "The painter was born in 1882 and moved to Turku at the age of 25.",
        "The painter was born in 1907.",
    ),
    "the date of what came after, as a noun": (
        "conjuncts",
        "The fair closes on 12 March, six weeks after its opening.",
        "The fair opens on 12 March.",
    ),
    "object and complement exchanged": (
        "role",
        "The kiosk prefers paper bags to plastic ones.",
        "The kiosk prefers plastic bags to paper ones.",
    ),
    "the setting of a game": (
        "frame",
        "The game is set in 2150, when whales govern the sea.",
        "Whales govern the sea.",
    ),
    "the lowest for the highest": (
        "antonym",
        "The Kelda is the highest mountain of the range.",
        "No mountain of the range is lower than the Kelda.",
    ),
    "all for up to some": (
        "part",
        "Up to three spare keys can be ordered by a tenant.",
        "All spare keys can be ordered by a tenant.",
    ),
    "other people than those whom a passage restricts": (
        "outside",
        "Uniforms are made for bar staff only.",
        "Uniforms are made for new staff.",
    ),
    "another king": ("class", "Henry VIII founded the school.", "Henry VII founded the school."),
    "a plan told as done, in all words of a long sentence": (
        "whole",
        "Next year, after the repair of the roof and the northern wall, the choir wants to record its second album.",
        "The choir recorded its second album.",
    ),
    "an accusation told as a fact": (
        "whole",
        "Two neighbours accuse the firm of dumping paint in the river near the old mill at night.",
        "The firm dumped paint in the river.",
    ),
    "another letter": ("class", "Halls A and C are heated with gas.", "Hall B is heated with gas."),
    "another agent of a passive": (
        "by",
        "The wall was built in 1840 by masons from Ulm and painted in 1902. The tower was designed by Ida Lund.",
        "Ida Lund built the wall.",
    ),
    "a name that the passage does not mention": (
        "by",
        "The accounts were checked by Omar Fry without remarks.",
        "The accounts were checked by Ida Lund.",
    ),
    "another row, named by the letter before its description": (
        "row",
        "| Hall | Seats |\n|---|---|\n| A – old building | 120 |\n| B – annex by the lake | 80 |",
        "Hall B has 120 seats.",
    ),
    "a prohibition for a rule with a limit": (
        "negation",
        "Guards should report damage within a day.",
        "Guards may not report damage within a day.",
    ),
}


@pytest.mark.parametrize(("rule", "text", "claim"), REFUSED.values(), ids=REFUSED.keys())
def test_a_false_claim_breaks_a_rule(rule: str, text: str, claim: str) -> None:
    assert rule in refusing_rules(text, claim)


PASSED = {
    "the opposite of a comparison, of which the claim names one side": (
        "The lake path is longer than the hill path.",
        "The hill path is shorter.",
    ),
    "plan A and plan B exchanged on both sides": (
        "Plan A costs twice as much as plan B.",
        "Plan B costs half as much as plan A.",
    ),
    "a participle behind a noun": (
        "Ore is a drama directed by Ida Lund and starring Omar Fry.",
        "Ida Lund directed the drama Ore.",
    ),
    "an adverb before a predicate": (
        "Squash is a sport commonly played by two people in halls.",
        "Squash is played by two people in halls.",
    ),
    "what is held to be so": (
        "Ore, considered the best film of its year by many, won the prize.",
        "Ore won the prize for the best film of its year.",
    ),
    "a purpose": ("Ida left the firm in order to open a school.", "Ida left the firm and opened a school."),
    "a genre": ("Outer Dark is a science fiction film of 1971.", "Outer Dark is a film of 1971."),
    "parts of a whole": ("The council is made up of nine members.", "The council has nine members."),
    "a Chinese comparison with 于 turned round": ("新工艺的成本高于旧工艺。", "旧工艺的成本比新工艺低。"),
    "a Chinese passive turned round": ("东方公司起诉了西城银行。", "西城银行被东方公司起诉。"),
    "a French passive turned round": ("Le facteur a averti le maire.", "Le maire a été averti par le facteur."),
    "the same person in a Chinese passive": ("这座桥由工程师林雨设计。", "林雨设计了这座桥。"),
    "a next sentence that denies something else": (
        "The company presented a new ferry in June. It has not taken any passengers yet.",
        "In June the company presented a new ferry.",
    ),
    "a German verb with its prefix apart": (
        "Die Gemeinde lehnte den Antrag des Vereins ab.",
        "Der Antrag des Vereins wurde von der Gemeinde abgelehnt.",
    ),
    "a comparison from the other side": ("Silver is softer than steel.", "Steel is harder than silver."),
    "half for twice": ("Plan A costs twice as much as plan B.", "Plan B costs half as much as plan A."),
    "less for more in French": (
        "Le Doubs est moins long que la Saône.",
        "La Saône est plus longue que le Doubs.",
    ),
    "the opposite grade in Spanish": (
        "El cobre es más caro que el hierro.",
        "El hierro es más barato que el cobre.",
    ),
    "a denial by the next sentence": (
        "Tomas Wiik proposed a new warehouse in Malmö. The board did not approve it.",
        "The board did not approve the new warehouse in Malmö.",
    ),
    "a superlative for no greater one": (
        "Aucune tour du quartier n'est plus haute que la tour Nord.",
        "La tour Nord est la plus haute tour du quartier.",
    ),
    "the same restriction": (
        "The train stops in Holten only on weekdays.",
        "Only on weekdays does the train stop in Holten.",
    ),
    "an upper bound for a forbidden excess": (
        "The tablet must not be stored above 25 degrees.",
        "The tablet must be stored at 25 degrees or below.",
    ),
    "a freedom for no duty": (
        "Attendance at the briefing is voluntary.",
        "Nobody has to attend the briefing.",
    ),
    "a reason behind a denial": (
        "Because the river was low, the barges could not sail.",
        "The barges could not sail because of the low river.",
    ),
    "a reason as the subject": (
        "The match was cancelled owing to the storm.",
        "The storm was the reason for cancelling the match.",
    ),
    "closed for open until": ("The shop was open until 2015.", "The shop closed in 2015."),
    "it is not true that, in German": (
        "Es stimmt nicht, dass das Wasser verseucht ist.",
        "Das Wasser ist nicht verseucht.",
    ),
    "wurde is not würde": (
        "Nach dem Brand wurde das Dach erneuert.",
        "Das Dach wurde nach dem Brand erneuert.",
    ),
    "no in a name": (
        "The book was adapted into the film No Country for Old Men.",
        "No Country for Old Men was adapted into a film.",
    ),
    "a heading that is a sentence": (
        "## Elena Brandt appointed as head of the national team\nThe federation announced it on Monday.",
        "Elena Brandt was appointed as head of the national team.",
    ),
    "a duty for nobody without": (
        "Nobody may enter the vault without a badge.",
        "Entering the vault requires a badge.",
    ),
    "a duty for not unless": (
        "The pump does not start unless two valves are open.",
        "For the pump to start, two valves have to be open.",
    ),
    "a date for not until": ("The lift did not open until 2014.", "The lift opened in 2014."),
    "what a passage omits": ("The leaflet omits any mention of the cable.", "The leaflet does not mention the cable."),
    "what a study leaves open": (
        "Does the syrup help? The authors leave this open.",
        "The authors do not say whether the syrup helps.",
    ),
    "the oldest for no other as old": (
        "No other chapel in the county is as old as Wexley.",
        "Wexley is the oldest chapel in the county.",
    ),
    "a weekday some days later": (
        "The crate was sent on Friday and arrived three days later.",
        "The crate arrived on Monday.",
    ),
    "the end of a length of time": (
        "The workshop began on 3 May and lasted ten days.",
        "The workshop ended on 13 May.",
    ),
    "no is part of the phrase that denies": (
        "Since the merger the firm has not printed any catalogue.",
        "The firm has printed no catalogue since the merger.",
    ),
    "not while it is so": (
        "As long as the lamp is red, the hatch stays locked.",
        "The hatch does not open while the lamp is red.",
    ),
    "against for rejected": (
        "Two out of three members rejected the plan.",
        "About 67 % of the members were against the plan.",
    ),
    "more than half for a majority": (
        "The majority of the tenants were farmers.",
        "More than half of the tenants were farmers.",
    ),
    "a date in the year of the other event": (
        "The dam was completed in October 1936, five months after the opening of the canal.",
        "The canal opened in May 1936.",
    ),
    "a purpose at the beginning": (
        "The architect planned a glass dome. It was left out to save money.",
        "To save money, the glass dome was left out.",
    ),
    "no other is faster for the fastest": (
        "The tram is the fastest means of transport in the town.",
        "No means of transport in the town is faster than the tram.",
    ),
    "the month two years later": (
        "The next audit is due two years after the last one, which took place in June 2023.",
        "The next audit is due in June 2025.",
    ),
    "what a correction says": (
        "Many visitors say that the gate was cast in the ninth century. In fact it dates from the twelfth.",
        "The gate dates from the twelfth century.",
    ),
    "two days before for two days after": (
        "The kiosk closed two days after the storm.",
        "Two days before the kiosk closed, there was a storm.",
    ),
}


@pytest.mark.parametrize(("text", "claim"), PASSED.values(), ids=PASSED.keys())
def test_a_paraphrase_breaks_no_rule(text: str, claim: str) -> None:
    assert refusing_rules(text, claim) == set()
