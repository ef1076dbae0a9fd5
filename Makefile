# Everything happens in .venv; `make help` lists what there is.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/pip install --quiet --disable-pip-version-check
TEST_JOBS ?= 2

.DEFAULT_GOAL := help
.PHONY: help venv demo test lint regenerate clean

help:  ## list the targets
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## */\t/' | expand -t 14

venv: $(VENV)/installed  ## make .venv and install the program in it

demo: $(VENV)/installed  ## raise examples/gemm.mlir, source and result side by side
	@$(BIN)/python -m raising.demo examples/gemm.mlir

test: lint  ## all checks: lint, then the tests
	$(BIN)/pytest -n $(TEST_JOBS)

lint: $(VENV)/installed-dev  ## style, types and the direction of imports
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

regenerate: $(VENV)/installed-dev  ## read the dialect definitions again into grammar/data
	$(BIN)/python -m raising.grammar.regenerate linalg stablehlo tosa

clean:  ## remove .venv and everything that was generated
	rm -rf $(VENV) build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/installed: pyproject.toml | $(BIN)/python
	$(PIP) --editable .
	ln -sf "$$($(BIN)/python -c 'from raising.support.mlir.lowering import mlir_opt; print(mlir_opt())')" $(BIN)/mlir-opt
	@touch $@

$(VENV)/installed-dev: $(VENV)/installed
	$(PIP) --editable '.[dev]'
	@touch $@
