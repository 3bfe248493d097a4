"""The words of an index: mistakes, compounds and other forms are similar to a word, other words are not."""

import pytest

from citestream.providers.retrieval.folder.vocabulary import MAX_SIMILAR, MAX_TERMS, Vocabulary, edit_distance

UNRELATED = ["banana", "unrelated", "wagon"]

SIMILAR = {
    "a missing letter": ("cartrige", "cartridge"),
    "an additional letter": ("garlick", "garlic"),
    "another letter": ("accomodatior", "accomodation"),
    "exchanged letters": ("recieve", "receive"),
    "two mistakes in a long word": ("certefcate", "certificate"),
    "another form": ("gewechselte", "gewechselten"),
    "a part of a compound": ("kartusche", "kartuschenwechsel"),
    "the end of a compound": ("tasche", "handtasche"),
    "the compound of a part": ("kartuschenwechsel", "kartusche"),
    "Cyrillic": ("договар", "договор"),
}


@pytest.mark.parametrize("name", SIMILAR)
def test_similar_words_are_found(name: str) -> None:
    term, word = SIMILAR[name]
    weights = Vocabulary([*UNRELATED, word]).similar(term, is_unknown=True)
    assert list(weights) == [word]
    assert 0 < weights[word] < 1


DIFFERENT = {
    "two mistakes in a short word": ("house", "mouth"),
    "a short part": ("art", "gartenart"),
    "a part in the middle": ("tasche", "handtaschendieb"),
    "the same letters in another order": ("listen", "silent"),
    "another word": ("bridge", "brochure"),
    "an abbreviation": ("bpn", "bpm"),
    "a number": ("1932", "1933"),
    "an identifier": ("bw400", "bw401"),
    "Chinese": ("桥梁工程师", "桥梁工程"),
    "nothing": ("", "bridge"),
}


@pytest.mark.parametrize("name", DIFFERENT)
def test_other_words_are_not_similar(name: str) -> None:
    term, word = DIFFERENT[name]
    assert Vocabulary([*UNRELATED, word]).similar(term, is_unknown=True) == {}


def test_a_word_of_the_index_is_no_mistake_but_can_be_a_part() -> None:
    vocabulary = Vocabulary(["form", "farm", "formular"])
    assert set(vocabulary.similar("form", is_unknown=False)) == {"formular"}
    assert set(vocabulary.similar("form", is_unknown=True)) == {"farm", "formular"}


def test_an_empty_index_has_no_similar_words() -> None:
    assert Vocabulary().similar("bridge", is_unknown=True) == {}


def test_the_most_similar_words_stand_for_a_term() -> None:
    compounds = [f"cartridg{a}{b}{b}{a}" for a in "abcdef" for b in "klmnop"]
    similar = Vocabulary(["cartridge", *compounds]).similar_terms({"cartridg": 0})
    assert len(similar["cartridg"]) == MAX_SIMILAR
    assert max(similar["cartridg"], key=similar["cartridg"].__getitem__) == "cartridge"


def test_the_words_of_a_question_do_not_stand_for_one_another() -> None:
    similar = Vocabulary(["handtasche", "tasche"]).similar_terms({"handtasche": 1, "tasche": 1})
    assert similar == {"handtasche": {}, "tasche": {}}


def test_the_characters_of_an_unknown_pair_stand_for_it() -> None:
    assert set(Vocabulary(["cartridge"]).similar_terms({"怎么": 0, "服务": 3})["怎么"]) == {"怎", "么"}
    assert Vocabulary(["cartridge"]).similar_terms({"服务": 3}) == {"服务": {}}


def test_a_long_question_has_no_similar_words() -> None:
    terms = {f"{'abcdefghijklm'[number]}artrige": 0 for number in range(MAX_TERMS + 1)}
    vocabulary = Vocabulary(["cartridge"])
    assert vocabulary.similar_terms(terms) == {}
    assert vocabulary.similar_terms(dict(list(terms.items())[:MAX_TERMS]))["cartrige"]


DISTANCES = {
    ("", ""): 0,
    ("bridge", "bridge"): 0,
    ("bridge", ""): 6,
    ("kitten", "sitting"): 3,
    ("recieve", "receive"): 1,
    ("ca", "abc"): 3,  # optimal string alignment: no letter between exchanged ones
}


@pytest.mark.parametrize("pair", DISTANCES, ids="-".join)
def test_the_edit_distance_is_symmetric(pair: tuple[str, str]) -> None:
    assert edit_distance(*pair) == edit_distance(*reversed(pair)) == DISTANCES[pair]
