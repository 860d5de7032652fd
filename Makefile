# Everything a developer, a server or the pipeline runs starts here. `make` alone lists the targets.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.sietch-stamp

.DEFAULT_GOAL := help
.PHONY: help setup run lint check test laws nexus-tables bench asked chaos load test-containers publish-dry-run coverage lock scan format clean
.PHONY: image base-images compose-up compose-verify compose-restarts compose-backup compose-restore compose-down verify-plants

help: ## list the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 20

setup: $(STAMP) ## make .venv from the lock file (quick when it is up to date)

$(STAMP): requirements-dev.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "Sietch needs Python 3.11 or newer; '$(PYTHON)' is $$($(PYTHON) --version). Try: make setup PYTHON=python3.13"; exit 1; }
	@echo "[1/3] virtual environment in $(VENV)"
	@$(PYTHON) -m venv $(VENV)
	@echo "[2/3] packages from requirements-dev.lock (about a minute the first time)"
	@$(BIN)/python -m pip install --disable-pip-version-check --quiet --require-hashes -r requirements-dev.lock
	@echo "[3/3] sietch itself, editable"
	@$(BIN)/python -m pip install --disable-pip-version-check --quiet --no-deps --no-build-isolation -e .
	@touch $(STAMP)
	@test "$(MAKECMDGOALS)" != setup || echo "ready: make run"

run: setup ## start everything on this machine: http://127.0.0.1:8080
	@exec $(BIN)/sietch up

# Folders come into being as the project grows; only those that are there are run.
FAST := $(wildcard tests/unit tests/cases tests/property)
# The longest first: what comes last is short, so that neither worker waits for the other.
ALL := $(wildcard tests/system tests/verifier tests/chaos tests/property tests/service) $(filter-out tests/property,$(FAST))
TYPED := $(wildcard shared/dune shared/wire shared/ops services/rules services/embedded services/cli services/verifier deploy/pipeline)
# Two workers on two cores. Where servers run, a file stays on one worker, so that its servers are started once;
# the fast tests need none, and whichever worker is free takes the next.
PYTEST := $(BIN)/pytest -q -n 2 --dist loadfile --no-loadscope-reorder
# The browser tests have processes of their own: Playwright keeps an event loop running, in which no other can be run.
PYTEST_FAST := $(BIN)/pytest -q -n 2 --dist worksteal -m "not slow"

lint: setup ## format, lint, types, import contracts
	@$(BIN)/ruff format --check --quiet . || { echo "run: make format"; exit 1; }
	@$(BIN)/ruff check --quiet .
	@$(BIN)/mypy --no-error-summary $(TYPED)
	@$(BIN)/lint-imports --no-logo >.import-linter.log 2>&1 || { cat .import-linter.log; exit 1; }

check: lint ## lint, unit tests, cases, a short property run (under 3 minutes)
	@$(PYTEST_FAST) $(FAST)

test: lint ## everything that a machine without a container engine can run (under 25 minutes)
	@.ci/chromium
	@$(BIN)/pytest -q -n 2 --dist worksteal tests/browser
	@SIETCH_LAWS_GAMES=24 $(PYTEST) $(ALL)

laws: setup ## random games with every law: make laws MODE=advanced MODULES=nexus GAMES=500 SEED=1 EVERY=1 WORLDS=25 (dearest laws, two worlds at each n-th decision) JSON=sum.json REQUIRE=1 (add up; every window seen) QUEST=karama_half (games for one reaction)
	@SIETCH_LAWS_WINDOWS=1 SIETCH_LAWS_GAMES=$(or $(GAMES),100) SIETCH_LAWS_SEED=$(or $(SEED),1) SIETCH_LAWS_EVERY=$(or $(EVERY),1) \
		SIETCH_LAWS_WORLDS=$(or $(WORLDS),25) SIETCH_LAWS_MODE=$(or $(MODE),basic) SIETCH_LAWS_MODULES=$(MODULES) \
		SIETCH_LAWS_JSON=$(JSON) SIETCH_LAWS_REQUIRE=$(REQUIRE) SIETCH_LAWS_QUEST=$(QUEST) $(BIN)/pytest -q -n 2 --dist load tests/property/test_laws.py

nexus-tables: setup ## Nexus cards in whole games over HTTP and on a phone, restarts in the middle: make nexus-tables ONLY=stop_voice
	@.ci/chromium
	@SIETCH_NEXUS_TABLES=1 $(BIN)/pytest -q tests/browser/test_nexus_windows.py tests/browser/test_nexus_games.py tests/browser/test_nexus_scenes.py $(if $(ONLY),-k "$(ONLY)" || test $$? = 5)
	@SIETCH_NEXUS_TABLES=1 $(BIN)/pytest -q tests/system/test_nexus_games.py $(if $(ONLY),-k "$(ONLY)" || test $$? = 5)

bench: setup ## figures against the floor: make bench QUICK=1 ROWS=append,engine RECORD=1 (docs/benchmarks.md)
	@$(BIN)/python -m tests.bench $(if $(QUICK),--quick) $(if $(ROWS),--rows "$(ROWS)") $(if $(RECORD),--record)

asked: setup ## how often a seat is asked in an Advanced game, with and without standing orders: make asked GAMES=10 SEED=1
	@$(BIN)/python -m tests.bench.asked --games $(or $(GAMES),10) --seed $(or $(SEED),1)

chaos: setup ## kill, freeze and cut a deployment full of games: make chaos KILLS=200 ROOMS=40 SEED=1 ONLY=nats (ONLY="at a point": each service dies between each two steps of its work)
	@$(BIN)/python -m tests.chaos --kills $(or $(KILLS),200) --rooms $(or $(ROOMS),40) $(if $(SEED),--seed $(SEED)) $(if $(ONLY),--only "$(ONLY)") $(if $(SECONDS),--seconds $(SECONDS))

load: setup ## busy tables for minutes, then every promise held against the store: make load ROOMS=200 MINUTES=10 THINK=1 TURNS=1
	@$(BIN)/python -m tests.bench.load --rooms $(or $(ROOMS),200) --minutes $(or $(MINUTES),10) --think $(or $(THINK),1) --turns $(or $(TURNS),1)

test-containers: setup ## the service tests on PostgreSQL and NATS as containers, and the pipeline's own (needs an engine)
	@SIETCH_TESTS_MUST_RUN=1 SIETCH_TEST_SERVERS=containers $(PYTEST) tests/service tests/containers

publish-dry-run: setup ## the whole pipeline of the image for real, into a registry of this run: make publish-dry-run QUICK=1 IMAGE=sietch:local
	@$(BIN)/python -m deploy.pipeline rehearse $(if $(QUICK),--quick) $(if $(IMAGE),--image $(IMAGE))

image: setup ## the container image, and what is in it: make image IMAGE=sietch:local
	@deploy/image/build

base-images: setup ## local stand-ins for public images that cannot be pulled (Debian, as root): make base-images FORCE=1 ONLY=proxy
	@deploy/image/bases

compose-up: ## secrets where there are none, then everything in containers: http://127.0.0.1:8080
	@deploy/compose/up

compose-verify: ## judge the composed deployment over HTTP, and what it stored: make compose-verify FULL=1 SECONDS_ALLOWED=2400 ONLY=store
	@deploy/compose/verify

compose-restarts: setup ## restart every part of the composed deployment while games go on, then judge what was stored
	@SIETCH_TESTS_MUST_RUN=1 SIETCH_COMPOSED=1 $(BIN)/pytest -q tests/composed

compose-backup: ## one consistent moment of the composed deployment's store: make compose-backup FILE=backups/today.dump
	@deploy/compose/backup

compose-restore: ## replace what the composed deployment has stored by a backup: make compose-restore FILE=backups/today.dump
	@deploy/compose/restore

compose-down: ## stop the composed deployment; its data stays: make compose-down DATA=remove
	@deploy/compose/down

verify-plants: setup ## plant faults at the door, in the store, in services: each must be found: make verify-plants RECORD=1 PART=door
	@$(BIN)/python -m tests.verifier $(if $(RECORD),--record) $(if $(FULL),--full) $(if $(PART),--part $(PART))

coverage: setup ## branches of the language and the rules that tests reach (95 % is the gate)
	@$(PYTEST_FAST) --cov=shared/dune --cov=services/rules --cov-branch --cov-report=term:skip-covered \
		--cov-fail-under=95 $(FAST) tests/service/rules

format: setup ## write code as the formatter and the linter's safe fixes want it
	@$(BIN)/ruff check --quiet --fix . || true
	@$(BIN)/ruff format --quiet .

lock: ## resolve the lock files again from pyproject.toml
	$(BIN)/uv pip compile pyproject.toml --universal --upgrade --generate-hashes --no-emit-index-url \
		--custom-compile-command "make lock" -q -o requirements.lock
	$(BIN)/uv pip compile pyproject.toml --extra embedded --extra pipeline --extra dev --universal --upgrade --generate-hashes \
		--no-emit-index-url --custom-compile-command "make lock" -q -o requirements-dev.lock
	echo pip-audit | $(BIN)/uv pip compile - --universal --upgrade --generate-hashes --no-emit-index-url \
		--custom-compile-command "make lock" -q -o requirements-scan.lock

scan: setup ## known holes in what is locked, and in the workflows (asks the package index)
	@$(PYTHON) -m venv build/scan
	@build/scan/bin/python -m pip install --disable-pip-version-check --quiet --require-hashes -r requirements-scan.lock
	@build/scan/bin/pip-audit --strict --disable-pip --require-hashes -r requirements.lock
	@$(BIN)/zizmor --offline --no-progress .github/workflows

clean: ## remove the environment and caches; games under .sietch/ stay
	rm -rf $(VENV) build *.egg-info .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis .coverage htmlcov
	find services shared tests -name __pycache__ -type d -prune -exec rm -rf {} +
