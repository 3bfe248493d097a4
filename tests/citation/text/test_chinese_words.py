"""Word segmentation of Chinese text."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citestream.citation.text.clauses.chinese_words import lexicon

SEGMENTED = {
    "the longest words": ("乘客携带手提行李登机", "乘客 携带 手提行李 登机"),
    "the last of two possible words is longer": ("办公室还没收到材料", "办公室 还没 收到 材料"),
    "a word that contains a negation": ("公司不断发展", "公司 不断 发展"),
    "unknown characters are one word": ("赫尔辛基举行会议", "赫尔辛基 举行 会议"),
    "a surname and a given name": ("校长周敏主持会议", "校长 周敏 主持 会议"),
    "a surname before a title": ("林导演离开剧组", "林 导演 离开 剧组"),
}


@pytest.mark.parametrize(("text", "words"), SEGMENTED.values(), ids=SEGMENTED)
def test_a_text_is_segmented_into_words(text: str, words: str) -> None:
    assert [text[word.start : word.end] for word in lexicon().divide(text, 0, len(text))] == words.split()


def test_words_that_begin_with_a_surname_are_names() -> None:
    text = "周敏和林导演"
    names = [text[word.start : word.end] for word in lexicon().divide(text, 0, len(text)) if word.is_name]
    assert names == ["周敏", "林"]


@given(st.text(alphabet="不没收到有的公司在周敏和了试用期内请假三月一日将已通车市博物馆龘", max_size=40))
def test_the_words_cover_the_text_in_order(text: str) -> None:
    words = list(lexicon().divide(text, 0, len(text)))
    assert "".join(text[word.start : word.end] for word in words) == text
    assert all(before.end == after.start for before, after in pairwise(words))
