"""Parsing sentences into content words, operators and clauses."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citestream.citation.text import analyze_text
from citestream.citation.text.clauses import LANGUAGES, Statement, parse
from citestream.citation.text.words.stemming import stem


def parsed(text: str, language: str = "en") -> Statement:
    return parse(text, language, analyze_text(text, language).quantities)


OPERATORS = {
    "a negation of two words is one operator": ("en", "The tram no longer stops here.", {"not"}),
    "not only negates nothing": ("en", "Not only members may borrow books.", {"not_only", "may"}),
    "a prohibition is one operator": ("en", "Visitors must not smoke.", {"may_not"}),
    "need not is not a prohibition": ("en", "The tenant need not repair the roof.", {"need_not"}),
    "without belongs to its phrase": ("en", "Visitors leave without an escort.", {"without"}),
    "at most is a bound, not a negation": ("en", "The lift carries no more than 12 persons.", {"max"}),
    "a contraction negates": ("en", "The bridge isn't open.", {"not"}),
    "no as an answer negates nothing": ("en", "No, every plan is tested.", {"all"}),
    "German modal verb with negation": ("de", "Besucher dürfen nicht rauchen.", {"may_not"}),
    "German exception": ("de", "Ohne Ausweis kommt man hinein.", {"without"}),
    "French quantity": ("fr", "La plupart des élèves partent.", {"most"}),
    "French no longer": ("fr", "L'usine ne fabrique plus de vélos.", {"not"}),
    "French only": ("fr", "Le bac ne circule que le dimanche.", {"only"}),
    "French more than": ("fr", "Le lac fait plus de 15 mètres.", {"over"}),
    "French only, elided": ("fr", "Le bac ne circule qu'en été.", {"only", "to"}),
    "French personne as a noun is not a negation": ("fr", "L'entrée coûte 5 euros par personne.", set()),
    "French personne without an article": ("fr", "Personne n'a vu le bac.", {"no"}),
    "French according to": ("fr", "D'après deux témoins, le bac coulait.", {"said"}),
    "French after": ("fr", "Le bac coula après la tempête.", {"after"}),
    "a French verb of motion is not a plan": ("fr", "Le bac va désormais à Nantes.", {"to"}),
    "a French future with va": ("fr", "Le bac va bientôt couler.", {"plan"}),
    "a Spanish clause with que is not a comparison": ("es", "El alcalde quiere que abran.", {"plan"}),
    "a Spanish comparison": ("es", "La sala es más grande que el patio.", {"than"}),
    "a Spanish word that begins like a denial": ("es", "La caja negra flotaba.", set()),
    "a Spanish word that begins like a bound": ("es", "El supermercado abre hoy.", set()),
    "a French noun that begins like an imperative": ("fr", "Le médecin rédige une ordonnance.", set()),
    "French auxiliary a is not a preposition": ("fr", "Lens a battu Nice.", set()),
    "German conditional": ("de", "Der Turm würde einstürzen.", {"would"}),
    "a comparison is not a bound": ("en", "Mount Kelda is higher than Mount Ristor.", {"than"}),
    "higher than a number is a bound": ("en", "The tower is higher than 90 metres.", {"over"}),
    "Chinese exception on both sides of its words": ("zh", "除南门外，入口都开放。", {"except", "all"}),
    "Chinese after": ("zh", "货款在交货后支付。", {"after"}),
    "a Chinese word with the character of before": ("zh", "公司前往上海。", set()),
    "most, with the character of all": ("zh", "大多数居民都同意。", {"most"}),
    "Spanish bound": ("es", "La sala admite como máximo 40 personas.", {"max"}),
    "Chinese negation": ("zh", "员工不得进入机房。", {"may_not"}),
    "a Chinese word with the character of a negation": ("zh", "公司不断发展。", set()),
    "the month of May is not a modal verb": ("en", "The bridge opened in May.", set()),
}


@pytest.mark.parametrize(("language", "text", "kinds"), OPERATORS.values(), ids=OPERATORS.keys())
def test_operators_are_found(language: str, text: str, kinds: set[str]) -> None:
    assert parsed(text, language).kinds() >= kinds
    assert not {"not", "no", "may_not", "need_not"} & (parsed(text, language).kinds() - kinds)


SIGNS = {
    "a negation applies to its clause": ("The board did not approve it, and the mayor resigned.", "approv", -1),
    "a negation does not apply to the next clause": (
        "The board did not approve it, and the mayor resigned.",
        "resign",
        1,
    ),
    "two negations cancel": ("No visitor may not smoke.", "smok", 1),
    "an exception applies to its phrase": ("All branches except the one in Harlow open early.", "harlow", -1),
    "the scope of an exception ends at the predicate": ("All branches except the one in Harlow open early.", "open", 1),
    "not without a predicate is an exception": ("Schools pay less for Basic, not for Premium.", "premium", -1),
}


@pytest.mark.parametrize(("text", "stem", "sign"), SIGNS.values(), ids=SIGNS.keys())
def test_negations_have_a_scope(text: str, stem: str, sign: int) -> None:
    statement = parsed(text)
    (token,) = (t for t in statement.tokens if t.stem == stem)
    assert token.sign == sign


def test_subjects_that_share_a_predicate_are_in_its_clause() -> None:
    statement = parsed("The roof did not burn, but the hall and a shed burned.")
    assert [(token.stem, token.clause) for token in statement.tokens] == [
        *(("roof", 0), ("burn", 0)),
        *(("hal", 1), ("shed", 1), ("burn", 1)),
    ]


def test_numbers_are_tokens_with_their_quantity() -> None:
    (number,) = (t for t in parsed("The lift carries 12 persons.").tokens if t.quantity)
    assert number.quantity is not None
    assert number.quantity.values == (12.0,)


def test_a_single_capital_letter_is_a_token() -> None:
    assert [t.stem for t in parsed("Plan A costs more than plan B.").tokens if len(t.stem) == 1] == ["a", "b"]


def test_an_object_is_not_a_predicate() -> None:
    verbs = [t.folded for t in parsed("Elena enseña física y Pablo enseña música.", "es").tokens if t.verbal]
    assert verbs == ["ensena", "ensena"]


PREDICATES = {
    "after an elided article": ("fr", "Le tram va jusqu'à l'hôpital.", "hopital", False),
    "after a French clitic": ("fr", "Elle les vend le samedi.", "vend", True),
    "after a Spanish clitic": ("es", "A la directora la nombró el consejo.", "nombro", True),
    "after a Spanish article": ("es", "El tren cruza la sala.", "sala", False),
}


@pytest.mark.parametrize(("language", "text", "word", "verbal"), PREDICATES.values(), ids=PREDICATES.keys())
def test_a_word_after_an_article_is_not_a_predicate(language: str, text: str, word: str, verbal: bool) -> None:
    token = next(token for token in parsed(text, language).tokens if token.folded == word)
    assert token.verbal is verbal


# The text, and words of its relative clause.
RELATIVE_CLAUSES = {
    "an auxiliary resumes the main clause": (
        "Parcels that were not collected within ten days are returned to the sender.",
        {"collected", "days"},
    ),
    "a verb resumes the main clause": (
        "The firm which had lost the contract in May sued the city.",
        {"lost", "contract", "May"},
    ),
    "a verb after a plural": ("Pupils who fail two subjects repeat the year.", {"fail", "subjects"}),
    "a relative clause of an object": ("The council bought land that was not fenced.", set()),
    "a statement with that": ("The mayor said that was not true.", set()),
    "a month is not an auxiliary": (
        "The fair that was planned for 9 May in Elm Road was held.",
        {"planned", "May", "Elm"},
    ),
}


@pytest.mark.parametrize(("text", "inside"), RELATIVE_CLAUSES.values(), ids=RELATIVE_CLAUSES)
def test_the_main_clause_continues_after_a_relative_clause(text: str, inside: set[str]) -> None:
    statement = parsed(text)
    words = {text[t.start : t.end]: t.clause for t in statement.tokens if t.quantity is None or t.quantity.unit}
    main = statement.tokens[0].clause
    assert statement.tokens[-1].clause == main
    relative = {word.split()[-1] for word, clause in words.items() if clause != main}
    assert relative >= inside
    assert bool(relative) == bool(inside)


def test_an_elided_word_is_a_separate_word() -> None:
    statement = parsed("L'usine d'Espagne n'ouvre plus.", "fr")
    assert statement.words == ["le", "usine", "de", "espagne", "ne", "ouvre", "plus"]
    assert [token.preposition for token in statement.tokens if token.name] == ["de"]


def test_a_full_stop_of_an_abbreviation_does_not_separate_pieces() -> None:
    assert parsed("Mme Roussel a prévenu M. Haddad hier.", "fr").pieces == 1


def test_headings_and_questions_are_marked() -> None:
    assert parsed("## Sick leave").heading
    assert parsed("Is there a free plan?").question
    assert not parsed("There is a free plan.").question


@given(st.text(max_size=200), st.sampled_from(sorted(LANGUAGES)))
def test_offsets_and_clauses_are_valid_for_any_text(text: str, language: str) -> None:
    statement = parsed(text, language)
    assert all(0 <= t.start <= t.end <= len(text) for t in statement.tokens)
    assert all(0 <= t.clause < statement.clauses for t in statement.tokens)
    assert all(op.after > op.word for op in statement.operators)


@given(st.integers(1, 40))
def test_all_sentences_of_a_text_are_parsed(count: int) -> None:
    one = parsed("The red valve opens slowly. ")
    assert len(parsed("The red valve opens slowly. " * count).tokens) == count * len(one.tokens)


PHRASAL_VERBS = {
    "the particle after the verb": ("The tour was called off in May.", "cancelled"),
    "the particle after the object": ("The owners turned the proposal down.", "rejected"),
    "an irregular verb": ("The festival took place in June.", "occurred"),
    "a noun": ("The start up has nine employees.", ""),
}


@pytest.mark.parametrize(("sentence", "verb"), PHRASAL_VERBS.values(), ids=PHRASAL_VERBS)
def test_a_phrasal_verb_has_the_stem_of_its_synonym(sentence: str, verb: str) -> None:
    joined = [token.phrasal_stem for token in parse(sentence, "en").tokens if token.phrasal_stem]
    assert joined == ([stem(verb)] if verb else [])
