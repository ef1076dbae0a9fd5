# Everything happens in .venv; `make help` lists what there is.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/pip install --quiet --disable-pip-version-check --constraint constraints.txt
EDITABLE := --no-build-isolation --config-settings editable_mode=strict --editable
# Where Python may not write what it compiles, each command would compile a hundred modules again (1.1 s for gemm).
COMPILE := $(BIN)/python -m compileall -q build
TEST_JOBS ?= 2

# An editable installation links to single files, so it is made anew when a file comes or goes.
STAGES := affine driver eqsat frontend grammar native polybench support synth validate
FILES := $(shell find $(STAGES) -type f -not -name '*.pyc' | LC_ALL=C sort | cksum | cut -d' ' -f1)
INSTALLED := $(VENV)/installed-$(FILES)

.DEFAULT_GOAL := help
.PHONY: help venv demo test quick lint docs constraints regenerate clean

help:  ## list the targets
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## */\t/' | expand -t 14

venv: $(INSTALLED)  ## make .venv and install the program in it

demo: $(INSTALLED)  ## raise examples/gemm.mlir, source and result side by side
	@$(BIN)/python -m raising.demo examples/gemm.mlir

test: $(INSTALLED)-dev  ## all checks: the tests, and lint beside them
	@($(MAKE) --no-print-directory lint >$(VENV)/lint.log 2>&1 || { cat $(VENV)/lint.log; exit 1; }) & \
	$(BIN)/pytest -n $(TEST_JOBS) --dist worksteal; tests=$$?; \
	wait $$! && lint=0 || lint=1; cat $(VENV)/lint.log; exit $$((tests | lint))

quick: $(INSTALLED)-dev  ## the tests that what changed since the last commit can reach
	$(BIN)/python -m tests.quick -n $(TEST_JOBS)

lint: $(INSTALLED)-dev  ## style, types and the direction of imports
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

docs: $(INSTALLED)-dev  ## these pages as a site, in build/site
	$(PIP) $(EDITABLE) '.[docs]'
	$(BIN)/mkdocs build --strict --quiet

constraints: $(INSTALLED)-dev  ## write constraints.txt from what is installed
	$(BIN)/pip freeze --exclude-editable | LC_ALL=C sort -f > constraints.txt

regenerate: $(INSTALLED)-dev  ## read the dialect definitions again into grammar/data
	$(BIN)/python -m raising.grammar.regenerate linalg stablehlo tosa

clean:  ## remove .venv and everything that was generated
	rm -rf $(VENV) build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)
	$(PIP) setuptools

$(INSTALLED): pyproject.toml constraints.txt | $(BIN)/python
	$(PIP) $(EDITABLE) '.[stablehlo]'
	ln -sf "$$($(BIN)/python -c 'from raising.support.mlir.lowering import mlir_opt; print(mlir_opt())')" $(BIN)/mlir-opt
	$(COMPILE)
	@rm -f $(VENV)/installed-* && touch $@

$(INSTALLED)-dev: $(INSTALLED)
	$(PIP) $(EDITABLE) '.[dev]'
	$(COMPILE)
	@touch $@
