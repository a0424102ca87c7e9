# `make help` lists the targets. A fresh machine needs Python 3.11 or newer with its venv module, make, and nothing else.
# Another interpreter:      make PYTHON=python3.13 …
# Tests in one process:     make test WORKERS=0
# Only some of the tests:   make test TESTS="tests/rules -k R11"
# Figures beside others':    make bench-server PEERS=~/peers ARGS="--rounds 3" (docs/benchmarks.md)

PYTHON  ?= python3
WORKERS ?= 2
TESTS   ?= tests

BIN    := .venv/bin
UV     := .build/uv/bin/uv
UV_PIN := uv==0.13.9
PROTOS := $(wildcard protos/gouji/*/v1/*.proto)
IMAGE  := protos/last-release.binpb

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help stubs lock lint lint-style lint-types lint-imports lint-protos format test
.PHONY: demo serve picture rule-pages exact-counts bench-server bench-rules compiled leak break soak release-image clean

help:
	@echo 'make .venv          the virtual environment, from requirements.lock'
	@echo "make demo           a server, six bots, a match, its records (ARGS='--rules shandong')"
	@echo 'make serve          a server that keeps running'
	@echo 'make picture        docs/images/table.svg anew, from a demo'
	@echo 'make test           all tests; says what was skipped and why'
	@echo 'make lint           ruff, mypy --strict, import contracts, buf lint and buf breaking'
	@echo 'make format         rewrites the Python files as ruff wants them'
	@echo 'make stubs          the Python stubs of protos/, in gen/'
	@echo 'make rule-pages     docs/rules/ anew, from the texts of the engine and worked records'
	@echo 'make exact-counts   tests/cases/*_counts.tsv anew: how many plays and ways on every preset has'
	@echo 'make bench-server   figures of the served game;  make bench-rules  of the rules alone'
	@echo "make compiled       a compiled wheel against the sources, deal by deal (ARGS='--deals 10000')"
	@echo 'make leak           the leak gate over many more games (GAMES=3000)'
	@echo 'make break          odd messages on every method (MESSAGES=100000 SEED=1)'
	@echo 'make soak           a server played at for long; its memory must stay flat (MINUTES=30)'
	@echo 'make lock           requirements.lock anew from pyproject.toml (UPGRADE=1: newest versions)'
	@echo 'make release-image  $(IMAGE), which buf breaking compares with; once a release'
	@echo 'make clean          removes everything that make made'

.venv: .venv/.installed

# Depends on what decides the installation alone: sources and protos need no new one.
.venv/.installed: pyproject.toml requirements.lock
	@command -v $(PYTHON) >/dev/null || { echo 'make: there is no $(PYTHON) here; gouji needs Python 3.11 or newer' >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo 'make: gouji needs Python 3.11 or newer; $(PYTHON) is '"$$($(PYTHON) --version 2>&1)"'. Try: make PYTHON=python3.11' >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' || \
	  { echo 'make: $(PYTHON) comes without venv or pip; on Debian install python3-venv' >&2; exit 1; }
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes --only-binary :all: --no-deps -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

# The folders are named too, so that a proto added or removed counts as a change.
gen/.generated: $(PROTOS) $(wildcard protos/gouji/*/v1) hatch_build.py .venv/.installed
	$(BIN)/python hatch_build.py

stubs: gen/.generated

$(UV):
	$(PYTHON) -m venv .build/uv
	.build/uv/bin/python -m pip install --quiet --disable-pip-version-check --only-binary :all: '$(UV_PIN)'

lock: $(UV)
	$(UV) pip compile pyproject.toml --output-file requirements.lock --universal --python-version 3.11 --generate-hashes \
	  --no-emit-index-url --no-emit-find-links --no-header --no-annotate --all-extras --only-binary :all: --quiet --no-config \
	  $(if $(UPGRADE),--upgrade)

# In parts, so that `make --keep-going lint` shows all that is wrong.
lint: lint-style lint-types lint-imports lint-protos

lint-style: .venv
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

lint-types: stubs
	$(BIN)/mypy

lint-imports: stubs
	$(BIN)/lint-imports --no-cache

lint-protos: .venv
	$(BIN)/buf lint protos
	@test -f $(IMAGE) || \
	  { echo 'make: $(IMAGE) is missing, so nothing says what must not change: make release-image' >&2; exit 1; }
	$(BIN)/buf breaking protos --against $(IMAGE)

format: .venv
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

test: stubs
	$(BIN)/pytest -n $(WORKERS) $(TESTS)

demo: stubs
	$(BIN)/gouji demo $(ARGS)

serve: stubs
	$(BIN)/gouji serve --data-dir build/serve --log-format text

picture: stubs
	$(BIN)/gouji demo --fast --deals 12 --out build/picture --picture docs/images/table.svg

rule-pages: stubs
	$(BIN)/python -m tests.docs.rule_pages

exact-counts: stubs
	$(BIN)/python -m tests.rules.exact_counts

bench-server: stubs
	$(BIN)/python -m tests.benchmarks.served $(ARGS)

bench-rules: stubs
	$(BIN)/python -m tests.benchmarks.rules $(ARGS)

compiled: stubs
	$(BIN)/python -m tests.compiled.differential $(ARGS)

leak: stubs
	LEAK_GAMES=$(or $(GAMES),3000) $(BIN)/pytest -n $(WORKERS) -m leak tests/leak

break: stubs
	$(BIN)/python -m tests.breaking.fuzzing --messages $(or $(MESSAGES),100000) --seed $(or $(SEED),1)

soak: stubs
	$(BIN)/python -m tests.breaking.soak --minutes $(or $(MINUTES),30) --seed $(or $(SEED),1) $(ARGS)

release-image: .venv
	$(BIN)/buf build protos --exclude-source-info --output $(IMAGE)

clean:
	rm -rf .venv .build build dist gen .mypy_cache .pytest_cache .ruff_cache .hypothesis
