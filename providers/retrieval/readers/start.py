"""The first file of a process that reads documents. It runs as a program: `python -I start.py SEARCH_PATH ...`.

It loads the same files of Citestream as the process that started it, also from a checkout that is not installed.
"""

import json
import sys
from importlib.machinery import PathFinder
from importlib.util import module_from_spec
from pathlib import Path
from runpy import run_module

PACKAGE = Path(__file__).parents[3]  # citestream/


def main() -> None:
    """Extend the search path, load the package from its folder and run the readers."""
    sys.path += [entry for entry in json.loads(sys.argv.pop(1)) if entry not in sys.path]
    spec = PathFinder.find_spec(PACKAGE.name, [str(PACKAGE.parent)])
    if spec is None or spec.loader is None:
        raise ImportError(f"{PACKAGE} is no package")
    module = sys.modules[PACKAGE.name] = module_from_spec(spec)
    spec.loader.exec_module(module)
    run_module(f"{PACKAGE.name}.providers.retrieval.readers", run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
