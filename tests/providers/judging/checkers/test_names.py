"""Names of checkers and the folders that belong to them."""

from pathlib import Path

import pytest

from citestream.providers.errors import ProviderError
from citestream.providers.judging.checkers import PRESETS, find_checker, installed, models_folder, remove

SMALL = PRESETS["nli-small"]

NAMED = {
    "a preset": ("nli-small", (SMALL.id, SMALL.revision, True)),
    "the model of a preset": (f"hf:{SMALL.id}", (SMALL.id, SMALL.revision, True)),
    "another revision of it": (f"hf:{SMALL.id}@v2", (SMALL.id, "v2", True)),
    "a model that is no preset": ("hf:tiny/model.v1", ("tiny/model.v1", "main", False)),
    "a pull request": ("hf:tiny/model@refs/pr/1", ("tiny/model", "refs/pr/1", False)),
}


@pytest.mark.parametrize(("name", "expected"), NAMED.values(), ids=NAMED)
def test_a_name_is_a_model_with_a_revision(name: str, expected: tuple[str, str, bool]) -> None:
    checker = find_checker(name)
    assert checker is not None
    assert (checker.id, checker.revision, checker.preset is not None) == expected


@pytest.mark.parametrize("name", ["", "nli", "onnx:/models/nli", "openai/gpt-5-nano", "/models/nli"])
def test_everything_else_is_no_checker(name: str) -> None:
    assert find_checker(name) is None


@pytest.mark.parametrize(
    "name", ["hf:", "hf:model", "hf:a/b/c", "hf:../x", "hf:a/..", "hf:a/b@", "hf:a/b@../../x", "hf:a/b@-x", "hf:a b/c"]
)
def test_an_impossible_name_is_refused(name: str) -> None:
    with pytest.raises(ProviderError, match="must be hf:ORGANISATION/MODEL"):
        find_checker(name)


HOMES = {
    "HF_HOME": ({"HF_HOME": "/models", "XDG_CACHE_HOME": "/cache"}, "/models/citestream"),
    "HF_HOME with a variable": ({"HF_HOME": "$SPACE/hf", "SPACE": "/big"}, "/big/hf/citestream"),
    "the cache of the user": ({"XDG_CACHE_HOME": "/cache"}, "/cache/huggingface/citestream"),
    "the default": ({"HOME": "/home/ann"}, "/home/ann/.cache/huggingface/citestream"),
}


@pytest.mark.parametrize(("variables", "folder"), HOMES.values(), ids=HOMES)
def test_models_are_in_the_folder_of_the_hub(
    variables: dict[str, str], folder: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HF_HOME", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert models_folder() == Path(folder)


def test_every_folder_of_a_model_is_directly_in_that_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HF_HOME", str(tmp_path))
    for name in (*PRESETS, "hf:tiny/model@refs/pr/1", "hf:tiny/x..y"):
        checker = find_checker(name)
        assert checker is not None
        assert checker.folder.parent == tmp_path / "citestream"


def test_a_missing_model_is_an_error_with_the_command(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HF_HOME", str(tmp_path))
    checker = find_checker("nli-small")
    assert checker is not None
    with pytest.raises(ProviderError, match="The model nli-small is not installed: citestream models pull nli-small"):
        checker.require()
    assert (remove(checker), list(installed())) == (0, [])


def test_the_files_of_a_preset_are_safe_and_its_hashes_belong_to_them() -> None:
    for name, preset in PRESETS.items():
        sources = {*preset.onnx.values(), "tokenizer.json", "config.json"}
        assert [path for path in preset.onnx.values() if not path.endswith(".onnx")] == [], name
        assert set(preset.sha256) <= sources, name
        assert [value for value in preset.sha256.values() if len(value) != 64] == [], name
        assert 0 <= preset.model_format.entailment_index < len(preset.model_format.labels), name
