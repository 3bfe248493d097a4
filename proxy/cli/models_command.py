"""The command `citestream models list`: the known checkers, and the installed ones."""

import json
from typing import Any

from citestream.providers.judging.checkers import NAMED, PRESETS, find_checker, installed


def show(*, as_json: bool) -> None:
    """Print the models, or JSON. Raise ProviderError if a file in the folder of a model is broken."""
    rows = [*_presets(), *_others()]
    if as_json:
        print(json.dumps(rows))
        return
    width = max(len(row["name"]) for row in rows)
    for row in rows:
        state = "installed" if row["installed"] else ""
        print(f"{row['name']:{width}}  {row['megabytes']:4} MB  {state:9}  {row['model']}".rstrip())
        details = (row[name] for name in ("languages", "licence", "note"))
        if line := "; ".join(filter(None, details)):
            print(f"{'':{width}}  {line}")


def _presets() -> list[dict[str, Any]]:
    rows = []
    for name, preset in PRESETS.items():
        checker = find_checker(name)
        rows.append(
            {
                "name": name,
                "model": preset.id,
                "revision": preset.revision,
                "installed": checker is not None and checker.is_installed,
                "megabytes": preset.megabytes,
                "licence": preset.licence,
                "languages": preset.languages,
                "note": preset.note,
                "labels": preset.model_format.labels,
                "output": preset.model_format.output,
                "max_tokens": preset.model_format.max_tokens,
                "sha256": dict(preset.sha256),
            }
        )
    return rows


def _others() -> list[dict[str, Any]]:
    """Return the downloaded models that are no presets."""
    presets = {(preset.id, preset.revision) for preset in PRESETS.values()}
    rows = []
    for model, revision, folder in installed():
        if (model, revision) in presets:
            continue
        checker = find_checker(f"{NAMED}{model}@{revision}")
        rows.append(
            {
                "name": f"{NAMED}{model}@{revision}",
                "model": model,
                "revision": revision,
                "installed": checker is not None and checker.is_installed,
                "megabytes": sum(path.stat().st_size for path in folder.glob("*.onnx")) // 10**6,
                "licence": "",
                "languages": "",
                "note": "",
            }
        )
    return rows
