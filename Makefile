# Everything a developer runs. Each target makes what it needs by itself: a virtual environment in build/, the wheel, the broker.
SPARK ?= 4.3.0
OLDEST_SPARK := 3.5.9
EVERY_SPARK := $(OLDEST_SPARK) 4.0.5 4.1.4 4.2.1 4.3.0
PYTHON ?= python3
VENV := build/venv-$(SPARK)
BIN := $(VENV)/bin
SOURCES := $(shell find sac_kafka -type f -not -name "*.pyc" 2>/dev/null) sac_kafka_auto.py sac_kafka_auto.pth pyproject.toml README.md LICENSE
PYTEST := $(BIN)/pytest
WORKERS ?= 2
# A file of tests is one worker's, in the order that tests/conftest.py gives; WORKERS=0 is one process, for a debugger.
SIDE_BY_SIDE = -n $(WORKERS) --dist loadfile --no-loadscope-reorder
# Prints the CPU time of all processes of a command; `.ci/run` keeps a ledger of it.
MEASURED = $(BIN)/python dev/cpu_time.py
TESTED = $(WITH_JAVA) SAC_KAFKA_TEST_INSTALLED=1 $(MEASURED) $(PYTEST) -q
OWN_TARGET := nightly or atlas or yarn or sources or conformance
# What `make quick` collects: what lies in tests/live mostly needs a server.
QUICK_FOLDERS := tests/replay tests/unit tests/project tests/helpers
PURE := not (spark or kafka or full or $(OWN_TARGET))
EVERYDAY := ($(PURE)) or (everyday and not ($(OWN_TARGET)))
# What targets with servers do not run; `.ci/run` adds `exhaustive`.
BEYOND ?= nightly
ROUNDS ?= 24
QUERIES ?= 20000
# Whoever has started nothing need not make an environment to hear so.
OF_THE_STACK = test -x $(BIN)/python || { echo "not running: nothing was ever started from here"; exit 0; }; $(BIN)/python -m stack

# Where bytecode is not kept, each of hundreds of processes would compile every module again.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help java venv demo stack-up stack-down stack-status broker wheel release-check check check-types check-style check-layers quick test test-loaded test-full test-rest test-subset test-atlas test-yarn test-sources test-sources-all record record-source docs pictures site classes \
	clean conformance conformance-on bench chaos soak smoke matrix matrix-of check-matrix nightly

# Under each heading its targets, in the order of this file: a target is listed by the `##` behind it.
help: ## List the targets
	@awk -F ':[^#]*## ' '/^##@/ {printf "\n%s\n", substr($$0, 5)} /^[a-z-]+:.*## / {printf "  %-13s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

# ---- the environment

# Java is set for what needs one: a machine with Python alone has none, and then it comes into build/ (stack/java17.py).
WITH_JAVA = JAVA_HOME="$$($(BIN)/python -m stack.java17 --home)"

java: $(VENV)/.dependencies
	@$(BIN)/python -m stack.java17

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

# What runs on the checkout needs what the wheel needs, not the wheel as it is now.
$(VENV)/.ready: $(VENV)/.dependencies
	@test -f $(VENV)/.wheel || $(MAKE) -s $(VENV)/.wheel
	@touch $@

# Spark's classes as its JVM keeps them in memory: every job of the tests starts and leaves in half the time.
$(VENV)/.classes: $(VENV)/.dependencies tests/helpers/jvm.py
	$(WITH_JAVA) $(BIN)/python -m tests.helpers.jvm
	@touch $@

##@ Try it

demo: java $(VENV)/.wheel ## A real job, a real Kafka over SASL_SSL, and what arrived on ATLAS_HOOK
	$(WITH_JAVA) $(BIN)/python -m demo

stack-up: java $(VENV)/.wheel ## Start a local Kafka and Atlas in the background; prints addresses and passwords
	$(WITH_JAVA) $(BIN)/python -m stack up

stack-status: ## Say how they are
	@$(OF_THE_STACK) status

stack-down: ## End them
	@$(OF_THE_STACK) down

broker: java $(VENV)/.wheel ## Run the local Kafka in the foreground, as atlas-application.properties expects it
	$(WITH_JAVA) $(BIN)/python -m stack kafka

wheel: $(VENV)/.dependencies ## Build dist/*.whl, to install elsewhere
	$(BIN)/python -m build -q --wheel --no-isolation --outdir dist
	@ls dist/*.whl

##@ Develop

quick: java check ## Less than two minutes: check, units, the replays of one Spark, the judge of messages, on the checkout; no Spark, no broker
	$(WITH_JAVA) $(MEASURED) $(BIN)/python -m pytest -q $(SIDE_BY_SIDE) -m "$(PURE) and not slow" $(QUICK_FOLDERS) $(ARGS)

test: java check $(VENV)/.wheel $(VENV)/.classes ## Minutes: all pure tests, and of each live part the few cases that say most; before a change is done
	$(TESTED) $(SIDE_BY_SIDE) -m "$(EVERYDAY)" $(ARGS)

test-loaded: java check $(VENV)/.wheel $(VENV)/.classes ## The tests of `test` beside four busy processes, then on one core: none may depend on a clock
	$(BIN)/python -m dev.busy 4 $(MAKE) test
	taskset -c 0 $(MAKE) test

check: $(VENV)/.ready ## Lint, format, types, layers, docstrings, limits of size
	@$(MAKE) -s -j2 -Otarget check-types check-style check-layers

check-types:
	$(BIN)/mypy

check-style:
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/python -m dev.clocks

check-layers:
	$(BIN)/python -m dev.limits
	$(BIN)/lint-imports --no-cache >build/lint-imports.log || { cat build/lint-imports.log; exit 1; }

record: java $(VENV)/.ready ## Record cases on SPARK, all of them or some: make record CASES="join pivot" SPARK=3.5.9
	$(WITH_JAVA) $(BIN)/python -m tests.cases.record $(CASES)

docs: $(VENV)/.wheel ## Write what is generated: docs/configuration.md, docs/metrics.md, tables of docs/atlas.md, schemas/
	$(BIN)/python -m dev.configuration > docs/configuration.md
	$(BIN)/python -m dev.metrics > docs/metrics.md
	$(BIN)/python -m dev.facts
	$(BIN)/python -m dev.schemas

site: $(VENV)/.for-site ## docs/ as a site, in build/site: strict, nothing of it from elsewhere
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict
	@$(BIN)/python -m dev.site.checking build/site

$(VENV)/.for-site: $(VENV)/.dependencies
	$(BIN)/pip install -q --group docs
	@touch $@

pictures: $(VENV)/.ready ## Draw docs/pictures: the page, by this machine's Chromium, and a terminal
	$(BIN)/python -m dev.pictures

classes: java $(VENV)/.ready ## Compile spark/java into spark/classes, for both versions of Scala: after every change there
	@$(MAKE) -s venv SPARK=$(OLDEST_SPARK)
	$(WITH_JAVA) $(BIN)/python -m dev.java_classes build/venv-$(SPARK)/lib/python*/site-packages/pyspark build/venv-$(OLDEST_SPARK)/lib/python*/site-packages/pyspark

venv: $(VENV)/.wheel ## Make the virtual environment of SPARK (default 4.3.0) with the wheel in it

release-check: $(VENV)/.dependencies ## Try a release: built twice and equal, metadata, contents, installed in an empty environment
	$(BIN)/python -m dev.release

clean: ## Remove build/ and dist/ (not the jars in the user's cache directory)
	rm -rf build dist .mypy_cache .ruff_cache .pytest_cache

##@ More

test-full: java $(VENV)/.wheel $(VENV)/.classes ## All tests but those that need a server, a source's jars or a night, on SPARK, against the installed wheel
	$(TESTED) $(SIDE_BY_SIDE) -m "not ($(OWN_TARGET))" $(ARGS)

test-rest: java $(VENV)/.wheel $(VENV)/.classes ## What test-full has beyond test; CI runs a part of it after test
	$(TESTED) $(SIDE_BY_SIDE) -m "not ($(OWN_TARGET) or $(BEYOND)) and not ($(EVERYDAY))" $(ARGS)

test-subset: java $(VENV)/.wheel $(VENV)/.classes ## The part of the suite that CI runs on the oldest Spark: make test-subset SPARK=3.5.9
	$(TESTED) $(SIDE_BY_SIDE) -m "subset and not ($(OWN_TARGET) or $(BEYOND))" $(ARGS)

test-atlas: java $(VENV)/.wheel $(VENV)/.classes ## The acceptance jobs, and what a real Atlas server shows of them
	@$(MAKE) -s venv build/venv-$(OLDEST_SPARK)/.classes SPARK=$(OLDEST_SPARK) # the jars of Delta and Iceberg are for this one
	$(TESTED) -m "atlas and not ($(BEYOND))" tests/live/server tests/live/stack/test_stack_background.py $(ARGS)

test-yarn: java $(VENV)/.wheel $(VENV)/.classes ## Jobs on a real YARN and on Spark's own cluster, with a packed environment, over SASL_SSL
	$(TESTED) -m "yarn and not ($(BEYOND))" tests/live/clusters $(ARGS)

RESULTS ?= build/results
SOURCES_TESTED ?= delta iceberg databases postgres
test-sources: java $(VENV)/.wheel $(VENV)/.classes ## Real formats and databases, one after the other: make test-sources SPARK=3.5.9 [SOURCES_TESTED="delta iceberg"]
	@for source in $(SOURCES_TESTED); do echo "== $$source on Spark $(SPARK)"; \
	SAC_KAFKA_TEST_SOURCE=$$source $(TESTED) -m "sources and not ($(BEYOND))" tests/live/sources/test_cases_live.py tests/live/sources/test_round_trip.py tests/live/sources/test_what_replaces.py $$(ls tests/live/sources/test_$${source}_*.py 2>/dev/null) --junitxml=$(RESULTS)/$(SPARK)-source-$$source.xml $(ARGS) || exit 1; done

test-sources-all: $(VENV)/.ready ## Every source on the oldest and the newest Spark that its jars are made for
	@$(BIN)/python -m tests.live.sources.families $(EVERY_SPARK) | while read -r source spark; do \
	$(MAKE) -s venv SPARK=$$spark && $(MAKE) -s test-sources SPARK=$$spark SOURCES_TESTED=$$source </dev/null || exit 1; done

record-source: java $(VENV)/.ready ## Record cases over a source: make record-source SOURCE=delta SPARK=3.5.9 [CASES="merge update"]
	$(WITH_JAVA) $(BIN)/python -m tests.live.sources.record $(SOURCE) $(CASES)

conformance: java ## Every case of the file that SAC_KAFKA_CONFORMANCE names, through the hook, on the oldest Spark and the newest
	@test -n "$(SAC_KAFKA_CONFORMANCE)" || { echo "make: SAC_KAFKA_CONFORMANCE is not set: it names the JSON file of cases, make conformance SAC_KAFKA_CONFORMANCE=/path/to/cases.json"; exit 2; }
	@test -f "$(SAC_KAFKA_CONFORMANCE)" || { echo "make: $(SAC_KAFKA_CONFORMANCE) is not there"; exit 2; }
	@for spark in $(OLDEST_SPARK) $(SPARK); do $(MAKE) conformance-on SPARK=$$spark || exit 1; done

conformance-on: java $(VENV)/.wheel $(VENV)/.classes
	SAC_KAFKA_CONFORMANCE="$(abspath $(SAC_KAFKA_CONFORMANCE))" $(TESTED) -m conformance tests/live/conformance $(ARGS)

bench: java $(VENV)/.wheel ## What the hook costs, in pairs with and without it, into benchmarks/README.md: make bench [ARGS=--quick]
	$(WITH_JAVA) $(BIN)/python -m benchmarks $(ARGS)

chaos: java $(VENV)/.wheel $(VENV)/.classes ## Jobs whose broker, network, disk or driver fails: make chaos ROUNDS=200 [SEED=n]
	$(WITH_JAVA) $(BIN)/python -m tests.live.delivery.chaos --rounds $(ROUNDS) $(if $(SEED),--seed $(SEED))

soak: java $(VENV)/.wheel ## 20,000 small queries: what the driver's memory does
	$(WITH_JAVA) $(BIN)/python -m tests.live.spark.soak $(QUERIES)

smoke: ## One small job on every Spark, under the Pythons and Javas that it runs on
	@for spark in $(EVERY_SPARK); do $(MAKE) -s venv SPARK=$$spark || exit 1; done
	$(TESTED) tests/live/smoke $(ARGS)

matrix: ## Every case on every Spark, tests/cases/results.md and docs/matrix.md out of the results
	@for spark in $(EVERY_SPARK); do $(MAKE) -s matrix-of SPARK=$$spark || exit 1; done
	$(BIN)/python -m tests.cases.matrix build/matrix > tests/cases/results.md
	$(BIN)/python -m tests.cases.matrix --summary
	@$(MAKE) -s test-sources-all RESULTS=build/matrix
	$(BIN)/python -m tests.live.sources.matrix build/matrix

check-matrix: $(VENV)/.ready
	$(BIN)/python -m tests.cases.matrix --check build/results
	$(BIN)/python -m tests.live.sources.matrix --check build/results

matrix-of: java $(VENV)/.wheel $(VENV)/.classes
	@mkdir -p build/matrix
	$(TESTED) tests/live/spark/test_cases_live.py tests/live/spark/test_hive_cases.py -k test_a_case_has_its_lineage --junitxml=build/matrix/$(SPARK)-cases.xml

nightly: java ## All that CI has no time for: every Spark, every server, the benchmarks, 200 chaos rounds, the long soak
	@for spark in $(EVERY_SPARK); do $(MAKE) test-full SPARK=$$spark || exit 1; done
	$(MAKE) test-atlas
	$(MAKE) test-yarn
	$(MAKE) test-sources-all
	$(MAKE) bench
	$(BIN)/python -m benchmarks.hostile_texts
	$(MAKE) test-loaded
	$(BIN)/pip install -q --group nightly
	$(TESTED) -m nightly
	SAC_KAFKA_ORIGINALS_ROUNDS=2500 $(TESTED) tests/unit/settings/files/test_originals.py
