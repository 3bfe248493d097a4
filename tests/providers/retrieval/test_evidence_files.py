"""Evidence from files and folders, and the errors for files without any."""

from pathlib import Path

import pytest

from citestream.providers.retrieval.evidence_files import UnreadableFileError, evidence_of

NOT_JSON = (
    "is not JSON (column 2: Expecting property name enclosed in double quotes); check it with `python -m json.tool`"
)


def write(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8")


def test_the_files_of_a_folder_are_in_the_order_of_their_paths(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "b.md": "# B\n\nOf b.",
            "a/x.txt": "Of x.",
            "c.jsonl": '{"text": "Of c."}\n\n"Of d."\n',
            "program.py": "no = 'evidence'",
            ".git/description.txt": "hidden",
            ".hidden.md": "hidden",
        },
    )
    found = evidence_of(tmp_path)
    assert [(entry["text"], entry.get("file_name")) for entry in found] == [
        ("Of x.", "a/x.txt"),
        ("Of b.", "b.md"),
        ("Of c.", None),
        ("Of d.", None),
    ]


def test_unreadable_files_of_a_folder_are_skipped_and_reported(tmp_path: Path) -> None:
    write(tmp_path, {"a.md": "Of a.", "b.jsonl": '{"text": "Of b."}\n{', "c.txt": "Of c."})
    skipped: list[str] = []
    found = evidence_of(tmp_path, lambda error: skipped.append(str(error)))
    assert [entry["text"] for entry in found] == ["Of a.", "Of c."]
    assert skipped == [f"{tmp_path}/b.jsonl, line 2 {NOT_JSON}"]


def test_files_of_a_folder_that_may_contain_secrets_are_read_only_if_they_are_named(tmp_path: Path) -> None:
    key = "-----BEGIN PRIVATE KEY-----\n"
    write(tmp_path, {"a.txt": "Of a.", "id_rsa": key, "key.txt": key, "n.txt": key, "credentials.json": '["x"]'})
    reasons: list[str] = []
    assert [entry["text"] for entry in evidence_of(tmp_path, lambda error: reasons.append(error.reason))] == ["Of a."]
    assert reasons == ["contains a private key; name the file to read it"]
    assert len(evidence_of(tmp_path / "key.txt")) == 1


def test_a_file_that_is_replaced_by_a_link_after_the_listing_is_skipped(tmp_path: Path) -> None:
    write(tmp_path, {"docs/a.jsonl": "{", "docs/b.txt": "Of b.", "docs/c.txt": "Of c.", "secret.txt": "A password."})
    reasons: list[str] = []

    def skip(error: UnreadableFileError) -> None:
        if not reasons:  # the folder was listed, and its first file was read
            (tmp_path / "docs/b.txt").unlink()
            (tmp_path / "docs/b.txt").symlink_to(tmp_path / "secret.txt")
        reasons.append(error.reason)

    assert [entry["text"] for entry in evidence_of(tmp_path / "docs", skip)] == ["Of c."]
    assert reasons == [f"line 1 {NOT_JSON}", "is a link"]


def test_an_unreadable_file_that_is_given_by_name_is_an_error(tmp_path: Path) -> None:
    write(tmp_path, {"b.jsonl": "{"})
    with pytest.raises(UnreadableFileError, match="line 1 is not JSON"):
        evidence_of(tmp_path / "b.jsonl", lambda error: None)


JSON_FORMS = {
    "a list": '[{"text": "x", "url": "https://e"}]',
    "a list of strings": '["x"]',
    "one piece": '{"text": "x"}',
    "a request with evidence": '{"evidence": [{"text": "x"}]}',
    "a request with documents": '{"documents": ["x"]}',
    "with a byte order mark": '\ufeff[{"text": "x"}]',
}


@pytest.mark.parametrize("text", JSON_FORMS.values(), ids=JSON_FORMS)
def test_accepted_forms_of_json(text: str, tmp_path: Path) -> None:
    write(tmp_path, {"e.json": text})
    assert [entry["text"] for entry in evidence_of(tmp_path / "e.json")] == ["x"]


def test_a_text_file_without_a_suffix_is_read_as_text(tmp_path: Path) -> None:
    write(tmp_path, {"README": "It is red."})
    (entry,) = evidence_of(tmp_path / "README")
    assert (entry["text"], entry["file_name"]) == ("It is red.", "README")


UNREADABLE = {
    "a missing file": ("nowhere.md", None, "does not exist"),
    "an empty file": ("e.txt", "\n", "contains no text"),
    "an empty list": ("e.json", "[]", "contains no text"),
    "not JSON": ("e.json", "[", "e.json is not JSON"),
    "nested too deeply": ("e.json", "[" * 100_000, "e.json is not JSON"),
    "a line that is not JSON": ("e.jsonl", '{"text": "x"}\n{\n', "e.jsonl, line 2 is not JSON"),
    "entries without text": ("e.json", '["", {"text": " "}, null]', "contains no text"),
}


@pytest.mark.parametrize(("name", "text", "expected"), UNREADABLE.values(), ids=UNREADABLE)
def test_the_error_for_an_unreadable_file_names_the_place(
    name: str, text: str | None, expected: str, tmp_path: Path
) -> None:
    if text is not None:
        write(tmp_path, {name: text})
    with pytest.raises(UnreadableFileError) as caught:
        evidence_of(tmp_path / name)
    assert expected in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_folder_with_a_binary_file_or_without_files_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "x.txt").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(UnreadableFileError, match="is not text"):
        evidence_of(tmp_path)
    (tmp_path / "x.txt").unlink()
    with pytest.raises(UnreadableFileError, match="contains no file ending in"):
        evidence_of(tmp_path)
