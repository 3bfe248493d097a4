"""Installation hints name a command that works for the origin of the package."""

import sys
from pathlib import Path

import pytest

from citestream.providers.install_hint import install_command
from citestream.providers.judging.cross_encoder import PACKAGES, require_packages

ORIGINS = {
    "an index": (None, "pip install 'citestream[onnx]'"),
    "a checkout in place": (
        '{"url": "file:///src/citestream", "dir_info": {"editable": true}}',
        "pip install --editable '.[onnx]' (in the checkout of citestream)",
    ),
    "a copy of a checkout": (
        '{"url": "file:///src/citestream", "dir_info": {}}',
        "pip install '.[onnx]' (in the checkout of citestream)",
    ),
    "a wheel in a folder": (
        '{"url": "file:///dist/citestream-0.1-py3-none-any.whl", "archive_info": {}}',
        "pip install 'citestream[onnx]'",
    ),
    "a repository": (
        '{"url": "https://example.org/citestream.git", "vcs_info": {"vcs": "git"}}',
        "pip install 'citestream[onnx]'",
    ),
}


@pytest.mark.parametrize("origin", ORIGINS)
def test_the_command_fits_the_origin(origin: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    record, command = ORIGINS[origin]
    folder = tmp_path / "citestream-0.1.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: citestream\nVersion: 0.1\n")
    if record:
        (folder / "direct_url.json").write_text(record)
    monkeypatch.syspath_prepend(tmp_path)
    install_command.cache_clear()
    assert install_command("onnx") == command
    install_command.cache_clear()


def test_a_missing_package_is_reported_with_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, PACKAGES[0], None)
    with pytest.raises(Exception, match=r"scorer `checker` needs packages: pip install .*\[onnx\]"):
        require_packages()
