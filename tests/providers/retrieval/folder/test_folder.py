"""The embedded store as a retriever: relevant excerpts come first in searches by words and by vectors."""

import asyncio
import os
import shutil
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from citestream.providers.embedding import Embedder, Limits
from citestream.providers.errors import ProviderError, Unreachable
from citestream.providers.retrieval import retriever
from citestream.providers.retrieval.folder.folder_retriever import FolderRetriever
from citestream.providers.retrieval.folder.indexing import index
from citestream.providers.retrieval.folder.store import Store
from citestream.providers.retrieval.folder.store_file import StoreError
from citestream.providers.retrieval.hybrid_search import combine, fuse
from citestream.providers.retrieval.question_scope import breadth
from citestream.providers.retrieval.ranking import MAX_QUESTION_CHARACTERS

TEXTS = {
    "bridge.md": "# Bridge\n\nThe Harlan bridge was opened on 4 May 1932 by the mayor.",
    "fruit.txt": "Bananas grow in the tropics.",
    "lanes.txt": "The bridge carries two lanes.",
    "zh.txt": "这座桥于1932年通车。",
    "artifacts/summary/bridge.md": "The Harlan bridge: opened in 1932, two lanes, a mayor.",
}
MEANINGS = ("bridge brücke 桥", "banana fruit obst", "open eröffnet 通车")


class MeaningModel:
    """A model with a dimension for each of three meanings in several languages."""

    name = "meanings"
    limits = Limits(texts=8, characters=10_000, text_characters=1_000)

    async def vectors(self, texts: Any) -> Any:
        return [[0.01 + sum(word in text.casefold() for word in words.split()) for words in MEANINGS] for text in texts]

    async def aclose(self) -> None:
        """Nothing is open."""


class UnreachableModel(MeaningModel):
    """The same model with a server that cannot be reached."""

    async def vectors(self, texts: Any) -> Any:
        raise Unreachable("The embedder could not be reached.")


class HangingModel(MeaningModel):
    """The same model with a server that never answers."""

    async def vectors(self, texts: Any) -> Any:
        await asyncio.Event().wait()


async def fill(path: Path, texts: dict[str, str], embedder: Embedder | None = None) -> None:
    (path / "docs").mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        (path / "docs" / name).parent.mkdir(parents=True, exist_ok=True)
        (path / "docs" / name).write_text(text, "utf-8")
    store = Store(path / "e.db", create=True)
    if embedder:
        store.set_embedder(embedder.model.name, embedder.model.name)
    async for _ in index(store, path / "docs", lambda entry: entry, embedder=embedder):
        pass
    store.close()


@asynccontextmanager
async def filled(
    path: Path, texts: dict[str, str] = TEXTS, embedder: Embedder | None = None
) -> AsyncIterator[FolderRetriever]:
    await fill(path, texts, embedder)
    created = retriever("folder", path=path / "e.db", find_embedder=lambda _: embedder)
    assert isinstance(created, FolderRetriever)
    try:
        yield created
    finally:
        await created.aclose()


def names(entries: Sequence[dict[str, Any]]) -> list[str]:
    return [entry["file_name"] for entry in entries]


CLOSEST = {
    "When was the Harlan bridge opened?": "bridge.md",
    "How many lanes does the bridge carry?": "lanes.txt",
    "Where do bananas grow?": "fruit.txt",
    "这座桥什么时候通车?": "zh.txt",
    "桥": "zh.txt",
}


@pytest.mark.parametrize("question", CLOSEST)
async def test_the_closest_excerpt_comes_first(question: str, tmp_path: Path) -> None:
    async with filled(tmp_path) as folder:
        found = await folder.retrieve(question, 3)
    assert names(found.entries)[0] == CLOSEST[question]
    assert all(0 < entry["score"] <= 1 for entry in found.entries)
    assert len(found.entries) <= min(3, found.matched)


@pytest.mark.parametrize("question", ["Xyzzy?", "", "?!", '" OR * NEAR(', "a" * 100_000, "\0"])
async def test_a_question_without_matches_has_no_results(question: str, tmp_path: Path) -> None:
    async with filled(tmp_path) as folder:
        found = await folder.retrieve(question, 5)
    assert (found.entries, found.matched) == ([], 0)


HANDBOOK = {
    "returns.md": "Opened cartridges cannot be returned.",
    "anleitung.md": "Die Kartusche ist nach zwölf Monaten zu wechseln.",
    "zaehler.md": "Der Zählerstand wird im Dezember abgelesen.",
    "zh.md": "借书证在服务台办理。",
    "shop.md": "The shop in Hamburg opens at nine.",
}
OTHER_WORDS = {
    "spelling mistakes": ("opend cartrige", "returns.md"),
    "another form of a word": ("wie oft muss die Kartusche gewechselt werden?", "anleitung.md"),
    "a compound": ("Zählerstandsmeldung", "zaehler.md"),
    "a part of a compound": ("Zähler", "zaehler.md"),
    "one character of a word": ("怎么借?", "zh.md"),
}


@pytest.mark.parametrize("name", OTHER_WORDS)
async def test_a_passage_with_similar_words_comes_first(name: str, tmp_path: Path) -> None:
    question, file = OTHER_WORDS[name]
    async with filled(tmp_path, HANDBOOK) as folder:
        found = await folder.retrieve(question, 3)
    assert names(found.entries)[0] == file
    assert all(0 < entry["score"] <= 1 for entry in found.entries)


async def test_the_words_of_the_question_count_more_than_similar_ones(tmp_path: Path) -> None:
    texts = {"a.md": "Die Kartusche liegt im Schrank.", "b.md": "Der Kartuschenwechsel steht im Schrank."}
    async with filled(tmp_path, texts) as folder:
        for question, file in (("Kartusche Schrank", "a.md"), ("Kartuschenwechsel Schrank", "b.md")):
            entries = (await folder.retrieve(question, 2)).entries
            assert names(entries) == [file, *({"a.md", "b.md"} - {file})]
            assert entries[0]["score"] > entries[1]["score"]


async def test_the_words_of_a_changed_file_are_found(tmp_path: Path) -> None:
    async with filled(tmp_path, HANDBOOK) as folder:
        assert not (await folder.retrieve("escalater", 3)).entries
        await fill(tmp_path, {"lift.md": "The escalator stops at every floor."})
        assert names((await folder.retrieve("escalater", 3)).entries) == ["lift.md"]


ACRONYMS = {
    "without stop words": ("Who is the CEO?", "The chief executive officer of Acme is Dana Wells."),
    "with stop words": ("Which DOB is stated?", "Her date of birth is unknown."),
    "of four letters": (
        "What did NIST publish?",
        "The National Institute of Standards and Technology published a guide.",
    ),
}


@pytest.mark.parametrize("name", ACRONYMS)
async def test_an_acronym_matches_its_expansion(name: str, tmp_path: Path) -> None:
    question, text = ACRONYMS[name]
    async with filled(tmp_path, TEXTS | {"a.txt": text}) as found:
        entries = (await found.retrieve(question, 5)).entries
        assert [entry["text"] for entry in entries] == [text]


async def test_an_acronym_is_not_expanded_if_many_excerpts_contain_it(tmp_path: Path) -> None:
    many = {f"{n}.txt": f"The CEO opened office {n}." for n in range(12)}
    async with filled(tmp_path, many | {"a.txt": "The chief executive officer resigned."}) as found:
        entries = (await found.retrieve("Who is the CEO?", 20)).entries
        assert [entry["text"] for entry in entries if "CEO" not in entry["text"]] == []


async def test_a_removed_excerpt_is_not_found_by_an_acronym(tmp_path: Path) -> None:
    await fill(tmp_path, {"a.txt": "The chief executive officer resigned."})
    (tmp_path / "docs" / "a.txt").unlink()
    async with filled(tmp_path, {"b.txt": "Ferries cross the bay."}) as found:
        assert (await found.retrieve("Who is the CEO?", 5)).entries == []


async def test_only_the_beginning_of_a_question_is_searched_for(tmp_path: Path) -> None:
    async with filled(tmp_path) as folder:
        found = await folder.retrieve("bananas" + " " * MAX_QUESTION_CHARACTERS + "bridge", 5)
        assert names(found.entries) == ["fruit.txt"]


async def test_a_broad_question_prefers_artifacts_and_a_narrow_one_source_text(tmp_path: Path) -> None:
    async with filled(tmp_path) as folder:
        broad = await folder.retrieve("Give me an overview of the Harlan bridge and its mayor", 2)
        narrow = await folder.retrieve("When was the Harlan bridge opened by the mayor?", 2)
    assert names(broad.entries) == ["artifacts/summary/bridge.md", "bridge.md"]
    assert names(narrow.entries) == ["bridge.md", "artifacts/summary/bridge.md"]
    assert broad.entries[0]["artifact_kind"] == "summary"
    assert (broad.notes["breadth"], narrow.notes["breadth"]) == ("broad", "narrow")


async def test_vectors_find_the_same_meaning_in_other_words(tmp_path: Path) -> None:
    async with filled(tmp_path, embedder=Embedder(MeaningModel())) as folder:
        found = await folder.retrieve("Obst?", 3)
    assert names(found.entries)[0] == "fruit.txt"
    assert found.notes["by_words"] == 0
    assert found.notes["by_vectors"] == len(TEXTS)


async def test_words_alone_are_used_if_the_embedder_cannot_be_reached(tmp_path: Path) -> None:
    await fill(tmp_path, TEXTS, Embedder(MeaningModel()))
    folder = FolderRetriever(tmp_path / "e.db", lambda _: Embedder(UnreachableModel()))
    found = await folder.retrieve("Where do bananas grow?", 3)
    await folder.aclose()
    assert names(found.entries) == ["fruit.txt"]
    assert found.notes["degraded"] == "by words only: The embedder could not be reached."


async def test_words_alone_are_used_if_the_embedder_never_answers(tmp_path: Path) -> None:
    await fill(tmp_path, TEXTS, Embedder(MeaningModel()))
    folder = FolderRetriever(tmp_path / "e.db", lambda _: Embedder(HangingModel()), timeout=0.001)
    found = await folder.retrieve("Where do bananas grow?", 3)
    await folder.aclose()
    assert names(found.entries) == ["fruit.txt"]
    assert found.notes["degraded"] == "by words only: The embedder did not answer in time."


async def test_words_alone_are_used_until_the_embedder_is_available(tmp_path: Path) -> None:
    await fill(tmp_path, TEXTS, Embedder(MeaningModel()))
    available = iter([None, Embedder(MeaningModel())])
    folder = FolderRetriever(tmp_path / "e.db", lambda _: next(available))
    notes = [(await folder.retrieve("Obst?", 3)).notes for _ in range(2)]
    await folder.aclose()
    assert [note["by_vectors"] for note in notes] == [0, len(TEXTS)]
    assert [note.get("degraded") for note in notes] == ["by words only: the embedder is not available", None]


async def test_an_open_retriever_finds_changes_of_the_folder(tmp_path: Path) -> None:
    embedder = Embedder(MeaningModel())
    async with filled(tmp_path, embedder=embedder) as folder:
        await folder.retrieve("bananas", 3)
        (tmp_path / "docs/fruit.txt").unlink()
        await fill(tmp_path, {"new.txt": "Kumquats are a fruit."}, embedder)
        assert names((await folder.retrieve("Kumquats", 1)).entries) == ["new.txt"]
        found = names((await folder.retrieve("Obst, bananas", 9)).entries)
        assert "fruit.txt" not in found
        assert found[0] == "new.txt"


async def test_the_error_for_a_destroyed_store_names_the_store(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with filled(tmp_path) as folder:
        (tmp_path / "e.db").write_bytes(b"\xff" * 10_000)
        with pytest.raises(ProviderError, match="evidence store"):
            await folder.retrieve("bananas", 3)
    assert any("e.db cannot be " in message and "not a database" in message for message in caplog.messages)


Replace = Callable[[Path, Path], object]  # the path of the new file, and that of the store in use


def copied_in_two_steps(new: Path, store: Path) -> None:
    content = new.read_bytes()
    store.write_bytes(content[: len(content) // 2])
    with suppress(StoreError):
        Store(store).close()
    store.write_bytes(content)


def deleted_before(new: Path, store: Path) -> None:
    store.unlink()
    new.rename(store)


REPLACED: dict[str, Replace] = {
    "by another file": os.replace,
    "in place": shutil.copyfile,
    "after it was moved away": lambda new, store: (store.rename(store.with_name("old.db")), new.rename(store)),
    "after it was deleted": deleted_before,
    "in two steps": copied_in_two_steps,
}


async def new_store(path: Path, embedder: Embedder | None = None) -> Path:
    """Return the path of a store whose only file mentions kumquats."""
    await fill(path, {"new.txt": "Kumquats are a fruit."}, embedder)
    return path / "e.db"


@pytest.mark.parametrize("method", REPLACED)
async def test_a_replaced_store_is_used_for_the_next_search(method: str, tmp_path: Path) -> None:
    new = await new_store(tmp_path / "new")
    async with filled(tmp_path) as folder:
        assert names((await folder.retrieve("bananas", 3)).entries) == ["fruit.txt"]
        REPLACED[method](new, tmp_path / "e.db")
        assert names((await folder.retrieve("bananas kumquats", 3)).entries) == ["new.txt"]
        await fill(tmp_path, {"late.txt": "Kumquats ripen late."})  # indexing works afterwards
        assert "late.txt" in names((await folder.retrieve("kumquats ripen late", 3)).entries)


async def test_a_store_that_was_moved_away_stays_in_use(tmp_path: Path) -> None:
    async with filled(tmp_path) as folder:
        (tmp_path / "e.db").rename(tmp_path / "old.db")
        assert names((await folder.retrieve("bananas", 3)).entries) == ["fruit.txt"]
        await folder.reach()


async def test_an_invalid_file_does_not_replace_an_open_store(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "broken").write_bytes(b"\xff" * 10_000)
    async with filled(tmp_path) as folder:
        (tmp_path / "broken").replace(tmp_path / "e.db")
        for _ in range(2):
            assert names((await folder.retrieve("bananas", 3)).entries) == ["fruit.txt"]
    assert sum("the old one stays in use" in record.getMessage() for record in caplog.records) == 1


async def test_searches_succeed_while_the_store_is_replaced(tmp_path: Path) -> None:
    new = await new_store(tmp_path / "new")
    async with filled(tmp_path) as folder, asyncio.TaskGroup() as tasks:
        searches = [tasks.create_task(folder.retrieve("bananas kumquats", 3)) for _ in range(50)]
        await searches[0]
        new.replace(tmp_path / "e.db")
    found = [names(search.result().entries) for search in searches]
    assert all(entries in (["fruit.txt"], ["new.txt"]) for entries in found)


async def test_a_replaced_store_is_searched_with_its_own_embedder(tmp_path: Path) -> None:
    class OtherModel(MeaningModel):
        name = "others"

    embedders = {"meanings": Embedder(MeaningModel()), "others": Embedder(OtherModel())}
    new = await new_store(tmp_path / "new", embedders["others"])
    await fill(tmp_path, TEXTS, embedders["meanings"])
    options: list[str] = []

    def find(option: str) -> Embedder:
        options.append(option)
        return embedders[option]

    folder = FolderRetriever(tmp_path / "e.db", find)
    await folder.retrieve("Obst", 3)
    new.replace(tmp_path / "e.db")
    # The vector of this question is still from the former model.
    assert (await folder.retrieve("Obst", 3)).notes["by_vectors"] == 0
    assert (await folder.retrieve("Obst", 3)).notes["by_vectors"] == 1
    assert options == ["meanings", "meanings", "others"]
    await folder.aclose()


async def test_an_empty_store_finds_nothing(tmp_path: Path) -> None:
    async with filled(tmp_path, {}, Embedder(MeaningModel())) as folder:
        assert (await folder.retrieve("bananas", 3)).entries == []


def test_the_error_for_an_unknown_kind_names_it() -> None:
    with pytest.raises(ValueError, match="unknown retriever 'psychic'; there are: folder"):
        retriever("psychic")


FUSED = {
    "first in both": ([[1, 2], [1, 3]], 1),
    "second in both before first in one": ([[1, 2, 3], [4, 2, 3]], 2),
    "one ranking stays as it is": ([[5, 6, 7]], 5),
}


@pytest.mark.parametrize(("rankings", "first"), FUSED.values(), ids=FUSED)
def test_rankings_are_fused(rankings: list[list[int]], first: int) -> None:
    found = fuse(rankings)
    assert found[0][0] == first
    assert all(0 < score <= 1 for _, score in found)
    assert {item for item, _ in found} == {item for ranking in rankings for item in ranking}


def test_a_weight_does_not_add_an_item_to_the_rankings() -> None:
    assert fuse([[1, 2]], {2: 2.0, 3: 2.0}) == [(2, pytest.approx(11 / 6)), (1, 1.0)]


COMBINED: dict[str, tuple[dict[int, float], dict[int, float], dict[int, float], list[int]]] = {
    "the best of both first": (
        {1: 9.0, 2: 3.0},
        {1: 0.8, 3: 0.9, 4: 0.1},
        {1: 0.8, 2: 0.2, 3: 0.0, 4: 0.0},
        [1, 3, 2, 4],
    ),
    "vectors decide if words are few": ({1: 9.0}, {1: 0.1, 2: 0.9}, {1: 0.2, 2: 0.0}, [2, 1]),
    "words decide if all are there": ({1: 9.0}, {1: 0.1, 2: 0.9}, {1: 1.0, 2: 0.0}, [1, 2]),
    "the range of the similarities does not count": ({}, {1: 0.71, 2: 0.72}, {1: 0.5, 2: 0.0}, [2, 1]),
    "equal similarities": ({1: 1.0}, {1: 0.5, 2: 0.5}, {1: 0.5, 2: 0.0}, [1, 2]),
    "nothing": ({}, {}, {}, []),
}


@pytest.mark.parametrize("name", COMBINED)
def test_scores_are_combined(name: str) -> None:
    by_words, by_vectors, coverage, order = COMBINED[name]
    assert [item for item, _ in combine(by_words, by_vectors, coverage)] == order


def test_a_preferred_item_moves_up() -> None:
    coverage = {1: 0.5, 2: 0.45}
    assert [item for item, _ in combine({}, {}, coverage)] == [1, 2]
    assert [item for item, _ in combine({}, {}, coverage, {2: 1.15})] == [2, 1]


BREADTH = {
    "Summarise the report": "broad",
    "What are the main themes of the book?": "broad",
    "Worum geht es in dem Buch?": "broad",
    "De quoi parle ce livre ?": "broad",
    "概括这本书的主要内容": "broad",
    "この本の要約": "broad",
    "When was it opened?": "narrow",
    "What does Ann say to Bob?": "narrow",
    "Wie viele Brücken gibt es?": "narrow",
    "这座桥什么时候通车?": "narrow",
    'Who wrote "The tide"?': "narrow",
    "explain tides": "",
    "How should I tie a knot?": "",
}


@pytest.mark.parametrize("question", BREADTH)
def test_the_breadth_of_a_question_is_detected(question: str) -> None:
    assert breadth(question) == BREADTH[question]


async def test_the_exact_nearest_vectors_are_found(tmp_path: Path) -> None:
    class Noise(MeaningModel):
        async def vectors(self, texts: Any) -> Any:
            return np.stack([np.random.default_rng(len(text)).normal(size=16) for text in texts])

    await fill(tmp_path, {"a.jsonl": "\n".join(f'"{"x" * n} y"' for n in range(1, 400))}, Embedder(Noise()))
    store = Store(tmp_path / "e.db")
    numbers, vectors = store.load_vectors()
    store.close()
    query = vectors[123].astype(np.float32)
    wanted = numbers[np.argsort(-(vectors.astype(np.float32) @ query))[:100]].tolist()
    folder = FolderRetriever(tmp_path / "e.db")

    def closest() -> list[int]:
        with folder._store.snapshot():
            folder._load()
            return [hit.excerpt for hit in folder._by_vectors(query)]

    assert await folder._in_thread(closest) == wanted
    await folder.aclose()
