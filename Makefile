# Every target makes its own virtual environment and installs what it needs: Python >= 3.11 and make are enough.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMPS := $(VENV)/stamps

.PHONY: demo test check bench house bars docs build clean

demo: $(STAMPS)/base  ## Audit a small image search of known bias: the product in one command
	@$(BIN)/fairlead demo

test: $(STAMPS)/test  ## Every law, with reduced counts
	$(BIN)/python -m pytest -n 2 --dist loadfile -q

bars: $(STAMPS)/test $(STAMPS)/bench  ## The same tests with the full counts of the bars, and the closing table
	FAIRLEAD_BARS=full $(BIN)/python -m pytest -n 2 --dist loadfile -q
	$(BIN)/python benchmarks/run.py --full

check: $(STAMPS)/check  ## Lint, types, import contract, docs, wheel
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python docs/reference.py --check
	$(BIN)/python docs/stub.py --check
	$(BIN)/mkdocs build --strict --quiet --site-dir $(VENV)/site
	$(BIN)/python -m build --wheel --outdir $(VENV)/dist .

docs: $(STAMPS)/check  ## Write the generated reference pages and serve the documentation
	$(BIN)/python docs/reference.py
	$(BIN)/python docs/stub.py
	$(BIN)/mkdocs serve

bench: $(STAMPS)/bench  ## Speed as ratios against peers, in one process
	$(BIN)/python benchmarks/run.py

house: $(STAMPS)/check  ## How readable the sources are, in numbers
	$(BIN)/python benchmarks/house.py

build: $(STAMPS)/check  ## A wheel
	$(BIN)/python -m build --wheel

$(STAMPS)/venv:
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade "pip>=25.1"
	@mkdir -p $(STAMPS) && touch $@

$(STAMPS)/base: $(STAMPS)/venv pyproject.toml
	$(BIN)/python -m pip install --quiet --editable .
	@touch $@

$(STAMPS)/test: $(STAMPS)/base constraints-cpu.txt  # every extra, with the CPU build of torch where one is to be had under this version
	$(BIN)/python -m pip install --quiet --constraint constraints-cpu.txt --editable ".[all]" --group test
	@touch $@

$(STAMPS)/%: $(STAMPS)/base
	$(BIN)/python -m pip install --quiet --group $*
	@touch $@

clean:
	rm -rf $(VENV) dist site
