"""Parsing German sentences: verbs at the beginning, separable prefixes, the future tense, object clauses."""

import pytest

from citestream.citation.text import analyze_text
from citestream.citation.text.clauses import Statement, parse


def parsed(text: str) -> Statement:
    return parse(text, "de", analyze_text(text, "de").quantities)


KINDS = {
    "a condition that begins with its verb": ("Sinkt der Druck, schließt das Ventil.", {"if"}, set()),
    "a condition that begins with an auxiliary": ("Wird die Frist versäumt, verfällt der Anspruch.", {"if"}, {"plan"}),
    "a condition that begins with a modal verb": (
        "Sollte die Pumpe ausfallen, läuft eine zweite an.",
        {"if"},
        {"plan"},
    ),
    "a condition with so": ("Fehlt ein Beleg, so wird nichts bezahlt.", {"if"}, set()),
    "two imperatives": ("Reinigen Sie das Sieb, schalten Sie das Gerät ein.", set(), {"if"}),
    "a question": ("Sinkt der Druck, schließt das Ventil?", set(), {"if"}),
    "the future tense": ("Der Verein wird die Halle verkaufen.", {"plan"}, set()),
    "the future tense in a subordinate clause": ("Er sagt, dass er die Halle verkaufen wird.", {"plan"}, set()),
    "the passive voice": ("Die Halle wird jeden Tag gereinigt.", set(), {"plan"}),
    "the passive voice with a strong verb": ("Der Plan wird vom Rat angenommen.", set(), {"plan"}),
    "werden before an adjective": ("Der Rest wird im Mai fällig.", set(), {"plan"}),
    "a prefix that looks like an exception": ("Das Fest findet im Rathaus statt.", set(), {"except"}),
    "a verb that denies with its prefix": ("Der Verein sagte das Konzert kurzfristig ab.", {"denies"}, {"min"}),
    "a contrast that denies one word": ("Den Preis erhielt nicht Meier, sondern Huber.", {"except"}, {"not"}),
    "outside of a place": ("Ausserhalb der Halle ist das Rauchen erlaubt.", {"except", "may"}, set()),
}


@pytest.mark.parametrize(("text", "wanted", "other"), KINDS.values(), ids=KINDS)
def test_operators_are_found(text: str, wanted: set[str], other: set[str]) -> None:
    kinds = parsed(text).kinds()
    assert wanted <= kinds
    assert not other & kinds


ONE_CLAUSE = {
    "a statement with dass": "Man glaubte lange, dass der See vergiftet ist.",
    "a statement with dass at the beginning": "Dass der See vergiftet ist, glaubte man lange.",
    "an infinitive": "Der Minister bestritt, Geld angenommen zu haben.",
    "reported speech": "Der Minister sagte, er habe kein Geld angenommen.",
    "an abbreviation": "Der Vortrag von Dr. Ehlers dauert eine Stunde.",
}


@pytest.mark.parametrize("text", ONE_CLAUSE.values(), ids=ONE_CLAUSE)
def test_an_object_is_in_the_clause_of_its_verb(text: str) -> None:
    assert parsed(text).clauses == 1


def test_a_condition_is_a_separate_clause() -> None:
    condition, consequence = (token.clause for token in parsed("Sinkt der Druck, schließt das Ventil.").tokens[1:3])
    assert condition != consequence


def test_a_verb_at_the_beginning_is_not_a_name() -> None:
    first = parsed("Verwenden Sie nur dieses Netzteil.").tokens[0]
    assert first.verbal
    assert not first.name


def test_stop_words_with_the_stem_of_a_foreign_antonym_are_not_content() -> None:
    words = {token.folded for token in parsed("Man hat sich noch nicht entschieden.").tokens}
    assert words == {"entschieden"}
