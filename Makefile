# Everything a developer runs. Each target makes what it needs by itself: a virtual environment in build/, the wheel, the broker.
SPARK ?= 4.3.0
OLDEST_SPARK := 3.5.9
EVERY_SPARK := $(OLDEST_SPARK) 4.0.5 4.1.4 4.2.1 4.3.0
PYTHON ?= python3
VENV := build/venv-$(SPARK)
BIN := $(VENV)/bin
SOURCES := $(shell find sac_kafka schemas -type f -not -name '*.pyc' 2>/dev/null) pyproject.toml README.md LICENSE
PYTEST := $(BIN)/pytest
ROUNDS ?= 24
QUERIES ?= 20000

.DEFAULT_GOAL := help
.PHONY: help check test test-subset test-atlas conformance conformance-on demo bench chaos soak nightly broker stack-up stack-down stack-status docs matrix clean java venv

help: ## List the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sort | sed -E 's/:.*## /\t/' | while IFS="$$(printf '\t')" read -r t d; do printf '  %-13s %s\n' "$$t" "$$d"; done

java: ## Check that a Java 17 or newer is there
	@$(PYTHON) -m stack.java

# ---- the environment

$(VENV)/.dependencies: pyproject.toml
	@command -v $(PYTHON) >/dev/null || { echo "make: $(PYTHON) is not there: install Python 3.10 or newer"; exit 2; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10))' || { echo "make: $$($(PYTHON) --version) is too old: name a Python 3.10 or newer, as in make demo PYTHON=python3.11"; exit 2; }
	@$(PYTHON) -c 'import venv, ensurepip' 2>/dev/null || { echo "make: $(PYTHON) has no venv: install it (Debian, Ubuntu: apt-get install python3-venv)"; exit 2; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install -q --upgrade "pip>=25.1"
	$(BIN)/pip install -q "pyspark==$(SPARK)" --group dev
	@touch $@

$(VENV)/.wheel: $(VENV)/.dependencies $(SOURCES)
	@rm -rf build/wheel-$(SPARK)
	$(BIN)/python -m build -q --wheel --no-isolation --outdir build/wheel-$(SPARK)
	$(BIN)/pip install -q --upgrade build/wheel-$(SPARK)/*.whl
	$(BIN)/pip install -q --force-reinstall --no-deps build/wheel-$(SPARK)/*.whl
	@touch $@

venv: $(VENV)/.wheel ## Make the virtual environment of SPARK (default 4.3.0) with the wheel in it

# ---- checks and tests

check: $(VENV)/.wheel ## Lint, format, types, layers, docstrings
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache >build/lint-imports.log || { cat build/lint-imports.log; exit 1; }

test: java $(VENV)/.wheel ## The whole suite but `atlas` and `nightly`, on SPARK, against the installed wheel
	SAC_KAFKA_TEST_INSTALLED=1 $(PYTEST) -m "not nightly and not atlas and not conformance" $(ARGS)

test-subset: java $(VENV)/.wheel ## The part of the suite that is run on every Spark: make test-subset SPARK=3.5.9
	SAC_KAFKA_TEST_INSTALLED=1 $(PYTEST) -m "subset and not nightly and not atlas and not conformance" $(ARGS)

test-atlas: java $(VENV)/.wheel ## The acceptance jobs, and what a real Atlas server shows of them
	SAC_KAFKA_TEST_INSTALLED=1 $(PYTEST) -m "atlas and not nightly" $(ARGS)

conformance: java ## Every case of the file that SAC_KAFKA_CONFORMANCE names, through the hook, on the oldest Spark and the newest
	@test -n "$(SAC_KAFKA_CONFORMANCE)" || { echo "make: SAC_KAFKA_CONFORMANCE is not set: it names the JSON file of cases, make conformance SAC_KAFKA_CONFORMANCE=/path/to/cases.json"; exit 2; }
	@test -f "$(SAC_KAFKA_CONFORMANCE)" || { echo "make: $(SAC_KAFKA_CONFORMANCE) is not there"; exit 2; }
	@for spark in $(OLDEST_SPARK) $(SPARK); do $(MAKE) conformance-on SPARK=$$spark || exit 1; done

conformance-on: $(VENV)/.wheel
	SAC_KAFKA_TEST_INSTALLED=1 SAC_KAFKA_CONFORMANCE="$(abspath $(SAC_KAFKA_CONFORMANCE))" $(PYTEST) -m conformance tests/conformance $(ARGS)

demo: java $(VENV)/.wheel ## A real job, a real Kafka over SASL_SSL, and what arrived on ATLAS_HOOK
	$(BIN)/python -m demo

bench: java $(VENV)/.wheel ## What the hook costs, in pairs with and without it
	$(BIN)/python -m benchmarks
	$(BIN)/python -m benchmarks.delivery

chaos: java $(VENV)/.wheel ## Jobs whose broker, network, disk or driver fails: make chaos ROUNDS=200 [SEED=n]
	$(BIN)/python tests/delivery/chaos.py --rounds $(ROUNDS) $(if $(SEED),--seed $(SEED))

soak: java $(VENV)/.wheel ## 20,000 small queries: what the driver's memory does
	$(BIN)/python tests/spark/soak.py $(QUERIES)

matrix: ## Every case on every Spark, and docs/matrix.md out of the results
	@mkdir -p build/matrix
	@for spark in $(EVERY_SPARK); do $(MAKE) -s venv SPARK=$$spark && build/venv-$$spark/bin/pytest -q tests/spark/test_cases_live.py \
	  tests/spark/test_hive_cases.py -k test_a_case_has_its_lineage --junitxml=build/matrix/$$spark-cases.xml || exit 1; done
	$(BIN)/python tests/matrix.py build/matrix > docs/matrix.md

nightly: ## All that CI has no time for: every Spark, the benchmarks, 200 chaos rounds, the long soak
	@for spark in $(EVERY_SPARK); do $(MAKE) test SPARK=$$spark || exit 1; done
	$(MAKE) bench
	$(PYTEST) -m nightly

broker: java $(VENV)/.wheel ## Run the local Kafka in the foreground, as atlas-application.properties expects it
	$(BIN)/python -m stack kafka

stack-up: java $(VENV)/.wheel ## Start a local Kafka and Atlas in the background; prints addresses and passwords
	$(BIN)/python -m stack up

stack-down: $(VENV)/.wheel ## End them
	$(BIN)/python -m stack down

stack-status: $(VENV)/.wheel ## Say how they are
	$(BIN)/python -m stack status

docs: $(VENV)/.wheel ## Write what is generated: docs/configuration.md, schemas/
	$(BIN)/python -m sac_kafka.settings > docs/configuration.md
	$(BIN)/python -m sac_kafka.atlas.schemas

clean: ## Remove build/ (not the jars in the user's cache directory)
	rm -rf build .mypy_cache .ruff_cache .pytest_cache
