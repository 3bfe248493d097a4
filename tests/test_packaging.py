"""The distributions are complete: the wheel installs one package, and the source distribution builds the same wheel."""

import json
import re
import runpy
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from email.parser import Parser
from pathlib import Path

import pytest
from packaging.metadata import Metadata

import citestream
from citestream.proxy.cli.commands import main as cli

ROOT = Path(__file__).parent.parent
SOURCES = ("citation", "providers", "proxy")  # citestream/ has a symbolic link to each of them
FILES = ("pyproject.toml", "MANIFEST.in", "README.md", "CHANGELOG.md", "LICENSE")
IGNORED = shutil.ignore_patterns("__pycache__", "*.egg-info")


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a copy of the files that a build reads. A build in place would add what an earlier build left."""
    folder = tmp_path_factory.mktemp("packaging") / "checkout"
    for name in ("citestream", *SOURCES):
        shutil.copytree(ROOT / name, folder / name, symlinks=True, ignore=IGNORED)
    for name in FILES:
        shutil.copy(ROOT / name, folder)
    return folder


@pytest.fixture(scope="module")
def wheel(checkout: Path) -> Path:
    return built(checkout, checkout.parent / "wheel", "--wheel")


@pytest.fixture(scope="module")
def source_distribution(checkout: Path) -> Path:
    return built(checkout, checkout.parent / "sdist", "--sdist")


@pytest.fixture(scope="module")
def installed(wheel: Path) -> Path:
    """Return a folder that holds nothing but the installed wheel."""
    target = wheel.parent / "installed"
    pip("install", "--no-deps", "--no-index", "--no-compile", "--target", str(target), str(wheel))
    return target


def built(source: Path, output: Path, kind: str) -> Path:
    """Build without isolation, so that no network is needed: setuptools is installed with the extra `dev`."""
    command = [sys.executable, "-m", "build", "--no-isolation", kind, "--outdir", str(output), str(source)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    (file,) = output.iterdir()
    return file


def pip(*arguments: str) -> None:
    subprocess.run([sys.executable, "-m", "pip", "--quiet", *arguments], check=True)


def expected_files() -> set[str]:
    """Return every file of the three source folders and of citestream/, by its name in the distributions."""
    folders = [("citestream", ROOT / "citestream"), *((f"citestream/{name}", ROOT / name) for name in SOURCES)]
    return {
        f"{prefix}/{path.relative_to(folder).as_posix()}"
        for prefix, folder in folders
        for path in folder.rglob("*")
        if path.is_file() and path.suffix != ".pyc"
    }


@pytest.mark.slow
def test_the_wheel_installs_one_package_with_all_its_files(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    packed = {name for name in names if ".dist-info/" not in name}
    assert packed == expected_files()
    assert {name.partition("/")[0] for name in names - packed} == {dist_info(wheel)}
    assert {
        "citestream/py.typed",
        "citestream/proxy/openapi.yaml",
        "citestream/proxy/component/citestream.d.ts",
        "citestream/proxy/playground/index.html",
        "citestream/proxy/playground/languages/de.json",
        "citestream/citation/prompt/templates/system.md",
        "citestream/citation/support/weights/lexical.json",
    } <= packed


@pytest.mark.slow
def test_both_distributions_have_the_same_valid_metadata(wheel: Path, source_distribution: Path) -> None:
    """The same validation as that of the index, which rejects an upload with invalid metadata."""
    with tarfile.open(source_distribution) as archive:
        (name,) = [name for name in archive.getnames() if re.fullmatch(r"[^/]+/PKG-INFO", name)]
        of_source = archive.extractfile(name)
        assert of_source is not None
        text = of_source.read()
    assert zipfile.ZipFile(wheel).read(f"{dist_info(wheel)}/METADATA") == text
    metadata = Metadata.from_email(text, validate=True)
    assert (metadata.name, metadata.description_content_type) == ("citestream", "text/markdown")
    assert str(metadata.version) in source_distribution.name


@pytest.mark.slow
def test_the_wheel_names_the_command_the_licence_and_the_readme(wheel: Path) -> None:
    archive = zipfile.ZipFile(wheel)
    folder = dist_info(wheel)
    metadata = Parser().parsestr(archive.read(f"{folder}/METADATA").decode())
    assert (metadata["Name"], metadata["License-Expression"]) == ("citestream", "MIT")
    assert metadata.get_payload() == (ROOT / "README.md").read_text("utf-8")
    assert "citestream = citestream.__main__:main" in archive.read(f"{folder}/entry_points.txt").decode()
    assert archive.read(f"{folder}/licenses/LICENSE") == (ROOT / "LICENSE").read_bytes()


def test_a_release_makes_every_link_of_the_readme_absolute() -> None:
    """A package index shows the README outside the repository."""
    absolute_links = runpy.run_path(str(ROOT / "docs/absolute_links.py"))["absolute_links"]
    repository, text = "https://git.example/owner/citestream", (ROOT / "README.md").read_text("utf-8")
    text += "[a](https://other.example/a) [b](#install) [c](docs/start.md#install)"
    changed = absolute_links(text, repository, "v1.2.3")
    places = [re.sub(r"^.*/(blob|raw)/v1\.2\.3/", r"\1 ", target) for target in links(changed)]
    assert places == [
        target if ":" in target or target[0] == "#" else f"{'raw' if target.endswith('.gif') else 'blob'} {target}"
        for target in links(text)
    ]
    assert all(target.startswith(repository) for target in links(changed) if "/v1.2.3/" in target)
    assert all((ROOT / place.partition(" ")[2].partition("#")[0]).exists() for place in places if " " in place)
    assert "docs/absolute_links.py README.md" in (ROOT / ".github/workflows/release.yml").read_text("utf-8")


def links(text: str) -> list[str]:
    return re.findall(r"\]\(([^()\s]+)\)", text)


def dist_info(wheel: Path) -> str:
    return f"{'-'.join(wheel.name.split('-')[:2])}.dist-info"


@pytest.mark.slow
def test_the_source_distribution_has_files_in_place_of_links_and_no_other_package(source_distribution: Path) -> None:
    with tarfile.open(source_distribution) as archive:
        members = archive.getmembers()
    assert [member.name for member in members if member.issym() or member.islnk()] == []
    names = {member.name.partition("/")[2] for member in members if member.isfile()}
    assert {name for name in names if name.startswith("citestream/")} == expected_files()
    assert {name.partition("/")[0] for name in names} == {
        "citestream",
        "citestream.egg-info",
        "PKG-INFO",
        "setup.cfg",
        *FILES,
    }


@pytest.mark.slow
def test_the_source_distribution_builds_the_same_wheel(source_distribution: Path, wheel: Path, tmp_path: Path) -> None:
    with tarfile.open(source_distribution) as archive:
        archive.extractall(tmp_path, filter="data")
    (unpacked,) = tmp_path.iterdir()
    assert contents(built(unpacked, tmp_path / "wheel", "--wheel")) == contents(wheel)


def contents(wheel: Path) -> dict[str, bytes]:
    archive = zipfile.ZipFile(wheel)
    return {name: archive.read(name) for name in archive.namelist()}


@pytest.mark.slow
def test_the_container_copies_all_files_that_its_build_reads(checkout: Path, wheel: Path, tmp_path: Path) -> None:
    containerfile = (ROOT / "deploy/Containerfile").read_text("utf-8")
    copied = {
        name for line in re.findall(r"^COPY (?!--from)(.*)$", containerfile, re.MULTILINE) for name in line.split()[:-1]
    }
    included = set(re.findall(r"^!(.*)$", (ROOT / ".dockerignore").read_text("utf-8"), re.MULTILINE))
    assert copied == included
    shutil.copytree(
        checkout,
        tmp_path / "context",
        symlinks=True,
        ignore=lambda folder, names: set(names) - copied if folder == str(checkout) else set(),
    )
    assert contents(built(tmp_path / "context", tmp_path / "wheel", "--wheel")) == contents(wheel)


@pytest.mark.slow
def test_the_installed_package_exposes_the_documented_names(installed: Path, tmp_path: Path) -> None:
    program = (
        "import citestream\n"
        "print(citestream.__file__)\n"
        "print(*[name for name in citestream.__all__ if getattr(citestream, name) is not None])\n"
        "print(citestream.cite('It opened in 1932.', [citestream.Evidence(1, 'It opened in 1932.', 'e')]).text)\n"
    )
    assert run(installed, tmp_path, "-c", program).splitlines() == [
        str(installed / "citestream/__init__.py"),
        " ".join(citestream.__all__),
        "It opened in 1932. [1]",
    ]


@pytest.mark.slow
def test_the_installed_command_runs_outside_the_checkout(installed: Path, tmp_path: Path) -> None:
    assert set(cli.commands) <= set(run(installed, tmp_path, "-m", "citestream", "--help").split())
    assert set(cli.commands) <= set(run(installed, tmp_path, str(installed / "bin/citestream"), "--help").split())


def run(installed: Path, folder: Path, *arguments: str) -> str:
    """Run Python with the installed package before every other, outside the checkout."""
    environment = {"PATH": "/usr/bin:/bin", "PYTHONPATH": str(installed)}
    command = [sys.executable, *arguments]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.slow
@pytest.mark.timeout(400)
def test_the_wheel_installs_into_an_empty_environment_and_its_command_cites(wheel: Path, tmp_path: Path) -> None:
    """Unlike the others, this test downloads the dependencies in their locked versions, unless pip has cached them."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(tmp_path / "venv")], check=True)
    locked = re.findall(
        r"^(\w\S*?)(?:\[.*?\])?(==.*?) \\$", (ROOT / "requirements.lock").read_text("utf-8"), re.MULTILINE
    )
    constraints = tmp_path / "constraints.txt"  # may contain neither extras nor hashes
    constraints.write_text("".join(f"{name}{version}\n" for name, version in locked))
    python = str(tmp_path / "venv/bin/python")
    pip("--python", python, "install", "--no-compile", "--constraint", str(constraints), str(wheel))
    (tmp_path / "bridge.md").write_text("The Harlan bridge was opened on 4 May 1932.")

    def citestream(*arguments: str) -> str:
        command = [str(tmp_path / "venv/bin/citestream"), *arguments]
        return subprocess.run(command, cwd=tmp_path, check=True, capture_output=True, text=True).stdout

    assert citestream("--version") == f"citestream, version {wheel.name.split('-')[1]}\n"
    cited = citestream("cite", "The bridge was opened in 1932.", "--evidence", "bridge.md")
    assert cited.startswith("The bridge was opened in 1932. [1]\n")


@pytest.mark.slow
def test_the_npm_package_contains_the_component_and_nothing_else(tmp_path: Path) -> None:
    component = ROOT / "proxy/component"
    command = ["npm", "pack", "--json", "--ignore-scripts", "--pack-destination", str(tmp_path), str(component)]
    packed = subprocess.run(command, cwd=tmp_path, check=True, capture_output=True, text=True)
    (report,) = json.loads(packed.stdout)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert (report["name"], report["version"]) == ("citestream", project["version"])
    with tarfile.open(tmp_path / report["filename"]) as archive:
        names = {member.name.removeprefix("package/") for member in archive.getmembers() if member.isfile()}
    files = {path.relative_to(component).as_posix() for path in component.rglob("*") if path.is_file()}
    assert names == {name for name in files if not re.search(r"\.pyc?$", name)}
    exported = json.loads((component / "package.json").read_text("utf-8"))["exports"]
    targets = re.findall(r'"\./([^"]+\.(?:js|d\.ts))"', json.dumps(exported))
    assert set(targets) == {"citestream.js", "citestream.d.ts", "react.js", "react.d.ts"}
    assert set(targets) <= names


def test_the_typescript_declarations_list_the_events_of_the_component() -> None:
    component = ROOT / "proxy/component"
    dispatching = re.findall(r"(?:#emit|CustomEvent)\(.*", (component / "answer.js").read_text("utf-8"))
    dispatched = set(re.findall(r'"(citestream-\w+)"', "\n".join(dispatching)))
    declared = set(re.findall(r'"(citestream-\w+)": CustomEvent<', (component / "citestream.d.ts").read_text("utf-8")))
    assert declared == dispatched
    assert "citestream-open" in declared
