"""Write fitted trees in the format of `citation/support/weights/`."""

import json
from typing import Any

from sklearn.ensemble import HistGradientBoostingClassifier  # type: ignore[import-untyped]


def export(learned: HistGradientBoostingClassifier, names: tuple[str, ...], depth: int) -> dict[str, Any]:
    """Return the forest as complete trees of `depth`, breadth first. A missing split is `null`: always go left."""
    trees = []
    for (grown,) in learned._predictors:
        split: list[list[Any]] = [[names[0], None] for _ in range(2**depth - 1)]
        leaf = [0.0] * 2**depth
        _fill(grown.nodes, 0, 0, depth, names, split, leaf)
        trees.append({"split": split, "leaf": leaf})
    return {"features": list(names), "base": float(learned._baseline_prediction.ravel()[0]), "trees": trees}


def _fill(
    nodes: Any, at: int, place: int, depth: int, names: tuple[str, ...], split: list[list[Any]], leaf: list[float]
) -> None:
    """Copy node `at` and those below it to `place`, `depth` levels above the leaves."""
    node = nodes[at]
    if depth == 0:
        leaf[place - len(split)] = float(node["value"])
    elif node["is_leaf"]:
        _fill(nodes, at, 2 * place + 1, depth - 1, names, split, leaf)
        _fill(nodes, at, 2 * place + 2, depth - 1, names, split, leaf)
    else:
        split[place] = [names[int(node["feature_idx"])], float(node["num_threshold"])]
        _fill(nodes, int(node["left"]), 2 * place + 1, depth - 1, names, split, leaf)
        _fill(nodes, int(node["right"]), 2 * place + 2, depth - 1, names, split, leaf)


def readable(raw: dict[str, Any]) -> str:
    """Return JSON with one tree per line. `raw`: forests and other values."""
    parts = []
    for name, value in raw.items():
        if isinstance(value, dict) and "trees" in value:
            trees = ",\n    ".join(json.dumps(_rounded(tree)) for tree in value["trees"])
            head = json.dumps({k: v for k, v in value.items() if k != "trees"})
            parts.append(f'  "{name}": {head[:-1]}, "trees": [\n    {trees}\n  ]}}')
        else:
            parts.append(f'  "{name}": {json.dumps(value)}')
    return "{\n" + ",\n".join(parts) + "\n}\n"


def _rounded(value: Any) -> Any:
    match value:
        case float():
            return round(value, 5)
        case list():
            return [_rounded(v) for v in value]
        case dict():
            return {k: _rounded(v) for k, v in value.items()}
        case _:
            return value
