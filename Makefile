# make demo    sets up, scans examples/ and shows what is in them
# make test    sets up, then lint, types, tests, documentation tests and the installed wheel
# make types   the types alone
# make core    the core's tests alone
# make test-slow  the tests that make test leaves out: attacks, canaries of masking, what takes long or the network
# make test-federated  three sites with Flower, in .venv-federated, as Flower needs older packages than .venv has
# make test-spark  tests on PySpark with Java, in .venv-spark, as PySpark and the client in .venv share a folder
# make test-dumps  dumps of PostgreSQL, MariaDB and SQLite, masked and loaded again; installs their servers where it may
# make fuzz    damages 4,000 files of every kind, for five minutes at most; fails where anything in them is passed over
# make docs    builds the documentation site in build/site, and fails where a link or an anchor leads nowhere
# make coverage   which lines of piiscan no test reaches; fails where they are too many
# make lock    pins today's versions in requirements-dev.lock and requirements-docs.lock
# make format  formats the code and regenerates the output shown in the documentation and the table of collisions
# make bench   measures speed, alone and beside other tools (half an hour, 5 GB below benchmarks/.cache)
# PYTHON=python3.13 picks another interpreter.

SHELL = /bin/sh
PYTHON = python3
BIN = .venv/bin
PIP = $(BIN)/python -m pip -qq --disable-pip-version-check

# Without bytecode, every worker and every process that a test starts would compile the package and the tests anew.
unexport PYTHONDONTWRITEBYTECODE

# Each worker starts with half of the modules, so that what a module makes for all its tests is made once, and the first to be done
# takes over from the other.
PYTEST = $(BIN)/python -m pytest --numprocesses=2 --dist=worksteal

.PHONY: demo test types core test-slow test-spark test-federated test-dumps fuzz docs coverage lock format bench clean

demo: .venv/run.stamp
	@echo '$$ piiscan scan examples'
	@$(BIN)/python -m piiscan scan examples; status=$$?; \
	if [ $$status -eq 1 ]; then echo; echo 'scan ended with status 1: it found personal data, as it should here.'; \
	else echo "scan ended with status $$status, expected 1"; exit 1; fi

test: .venv/dev.stamp
	$(BIN)/python -m ruff check .
	$(BIN)/python -m ruff format --check .
	@$(MAKE) --no-print-directory --jobs=2 types core

# Beside the tests, as mypy keeps one core busy for a minute and more where it has no cache.
types: .venv/dev.stamp
	$(BIN)/python -m mypy
	$(BIN)/python -m mypy models

core: .venv/dev.stamp
	$(PYTEST) -m 'not slow and not dumps' --durations=25

# Of the modules with such tests alone, since importing all of them takes each worker a quarter of a minute.
test-slow: .venv/dev.stamp
	$(PYTEST) -m slow --durations=25 $$(grep -l 'mark\.slow' tests/test_*.py)

test-spark: .venv-spark/spark.stamp
	.venv-spark/bin/python -m pytest --durations=10 tests/spark_classic.py

test-federated: .venv-federated/federated.stamp
	.venv-federated/bin/python -m pytest --durations=5 tests/federated_flower.py

test-dumps: .venv/dev.stamp
	@tests/dump_servers.sh
	$(BIN)/python -m pytest -m dumps --durations=10 $$(grep -l 'mark\.dumps' tests/test_*.py)

fuzz: .venv/dev.stamp
	$(BIN)/python -m tests.fuzz --seconds 300 --cases 4000 --json .venv/fuzz.json

docs: .venv-docs/docs.stamp
	$(PYTHON) tests/site_pages.py
	NO_MKDOCS_2_WARNING=1 .venv-docs/bin/python -m mkdocs build --strict
	@echo 'Open build/site/index.html'

coverage: .venv/dev.stamp
	$(BIN)/python -m coverage erase
	$(BIN)/python -m coverage run -m pytest --numprocesses=2 --dist=worksteal -m 'not slow and not dumps'
	$(BIN)/python -m coverage combine --quiet
	@rm -f .coverage.*  # what tests of killed processes and full disks cut short
	$(BIN)/python -m coverage report

lock: .venv/dev.stamp
	CUSTOM_COMPILE_COMMAND='make lock' $(BIN)/python -m piptools compile --quiet --upgrade --strip-extras \
		$(foreach extra,all dask ray spark,--extra=$(extra)) \
		--no-emit-index-url --no-emit-find-links --no-emit-trusted-host --no-emit-options \
		--output-file=requirements-dev.lock pyproject.toml requirements-dev.in
	CUSTOM_COMPILE_COMMAND='make lock' $(BIN)/python -m piptools compile --quiet --upgrade --strip-extras \
		--no-emit-index-url --no-emit-find-links --no-emit-trusted-host --no-emit-options \
		--output-file=requirements-docs.lock requirements-docs.in

format: .venv/dev.stamp
	$(BIN)/python -m ruff check --fix .
	$(BIN)/python -m ruff format .
	$(BIN)/python tests/documentation.py

bench: .venv/dev.stamp
	$(BIN)/python -m benchmarks.scan_speed benchmarks/.cache
	$(BIN)/python -m benchmarks.startup benchmarks/.cache
	$(BIN)/python benchmarks/peers/compare.py benchmarks/.cache

clean:
	rm -rf .venv .venv-docs .venv-federated .venv-spark build dist .coverage .coverage.*

# Stamps make the second run of each command fast; a change of what they depend on installs again.
.venv/python.stamp:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || \
		{ echo 'piiscan needs Python 3.11 or newer as $(PYTHON); set PYTHON=/path/to/python3.11, for example'; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || \
		{ echo '$(PYTHON) comes without venv; install it first (Debian, Ubuntu: apt install python3-venv)'; exit 1; }
	@echo 'Making a virtual environment in .venv'
	@$(PYTHON) -m venv .venv
	@touch $@

.venv/run.stamp: .venv/python.stamp pyproject.toml hatch_build.py requirements-dev.lock
	@echo 'Installing piiscan'
	@$(PIP) install --constraint requirements-dev.lock --editable .
	@touch $@

.venv/dev.stamp: .venv/run.stamp
	@echo 'Installing the development tools'
	@$(PIP) install --requirement requirements-dev.lock
	@touch $@

# Of its own, since whoever uses or tests piiscan needs none of it.
.venv-docs/docs.stamp: .venv/python.stamp requirements-docs.lock
	@echo 'Installing the tools of the documentation site'
	@$(PYTHON) -m venv .venv-docs
	@.venv-docs/bin/python -m pip -qq --disable-pip-version-check install --requirement requirements-docs.lock
	@touch $@

.venv-spark/spark.stamp: pyproject.toml hatch_build.py requirements-spark.lock
	@command -v java >/dev/null || { apt-get -qq update && apt-get -qq install --yes openjdk-17-jre-headless; }
	@echo 'Making a virtual environment in .venv-spark'
	@$(PYTHON) -m venv .venv-spark
	@.venv-spark/bin/python -m pip -qq --disable-pip-version-check install --requirement requirements-spark.lock --editable '.[dp]'
	@touch $@

.venv-federated/federated.stamp: pyproject.toml hatch_build.py requirements-federated.lock
	@echo 'Making a virtual environment in .venv-federated'
	@$(PYTHON) -m venv .venv-federated
	@.venv-federated/bin/python -m pip -qq --disable-pip-version-check install --requirement requirements-federated.lock --editable '.[dp]'
	@touch $@
