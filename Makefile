# Everything builds its own .venv: a fresh machine needs Python 3.11, pip, g++, make and git.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check -q
NATIVE := $(wildcard core/*/*.* core/*/*/*.*) CMakeLists.txt pyproject.toml
SANITIZED := build/sanitized
MUTATION := build/mutation
TOOLS := $(VENV)/built $(VENV)/requirements
CHROMIUM ?= /usr/bin/chromium

.PHONY: demo test test-browser test-minimum check bench campaign docs api pins sbom verifier sanitize fuzz mutants format stub \
	clean wheel test-wheel reproducible platforms release

demo: $(VENV)/built
	$(BIN)/novikoff demo --folder build/demo

test: $(TOOLS)
	$(BIN)/python -m pytest -n 2

# The pages in a real browser: playwright from PyPI, Chromium from Debian.
test-browser: $(TOOLS) $(VENV)/browser $(CHROMIUM)
	CHROMIUM=$(CHROMIUM) $(BIN)/python -m pytest -o addopts="--strict-markers --strict-config -ra" tests/browser

check: $(TOOLS)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache
	$(BIN)/python -m verifier.build --check
	$(BIN)/sphinx-build -W --keep-going -q docs build/docs
	$(BIN)/clang-format --dry-run --Werror $(wildcard core/*/*.?pp core/*/*.inc core/*/*/*.?pp fuzz/*.?pp)

bench: $(TOOLS)
	$(BIN)/python -m benchmarks $(ROW)

# Hostile input of every kind (SECURITY.md): CAMPAIGNS picks some by name, SIZE says how many cases.
CAMPAIGNS ?=
SIZE ?=
SEED ?= 0
campaign: $(TOOLS)
	$(BIN)/python -m campaigns $(CAMPAIGNS) $(if $(SIZE),--size $(SIZE)) --seed $(SEED)

# The tests again, on a core built with AddressSanitizer and UndefinedBehaviorSanitizer.
sanitize: $(TOOLS)
	$(PYTHON) -m venv $(SANITIZED)
	cd $(BIN)/../lib/python3*/site-packages && pwd > $(CURDIR)/$$(cd $(CURDIR) && echo $(SANITIZED)/lib/python3*/site-packages)/development.pth
	PATH="$(CURDIR)/$(BIN):$$PATH" $(SANITIZED)/bin/python -m pip -q install --no-build-isolation --no-deps \
		-C build-dir=build/sanitize -C cmake.define.NOVIKOFF_SANITIZE=ON -C cmake.define.NOVIKOFF_STRICT=ON .
	LD_PRELOAD="$$(gcc -print-file-name=libasan.so) $$(gcc -print-file-name=libstdc++.so)" \
	ASAN_OPTIONS=detect_leaks=0 PATH="$(CURDIR)/$(BIN):$$PATH" $(SANITIZED)/bin/python -m pytest -s -q -p no:cacheprovider tests

# The parsers of text, each for SECONDS; needs clang. Findings are kept in fuzz/seeds.
SECONDS ?= 60
FUZZED_CPU := $(if $(shell grep -m1 -o avx2 /proc/cpuinfo),-march=x86-64-v3)
fuzz:
	@command -v clang++ > /dev/null || { echo "make fuzz needs clang++ (Debian: apt-get install clang)"; exit 1; }
	mkdir -p build/fuzz
	for name in number svmlight csv vw words; do \
		clang++ -std=c++20 -O1 -g $(FUZZED_CPU) -fsanitize=fuzzer,address,undefined \
			-fno-sanitize-recover=undefined -o build/fuzz/$$name fuzz/$$name.cpp && mkdir -p build/fuzz/corpus-$$name && \
		build/fuzz/$$name -max_total_time=$(SECONDS) -timeout=10 -rss_limit_mb=2000 -print_final_stats=1 \
			-artifact_prefix=build/fuzz/$$name- build/fuzz/corpus-$$name fuzz/seeds/$$name || exit 1; \
	done

# Mutants: does a test fail when the code is changed? MUTANTS picks some by name. Run without the editable install, whose
# import hook would find the unchanged package first.
MUTANTS ?=
mutants: $(TOOLS) $(VENV)/mutation
	$(PYTHON) -m venv --without-pip $(MUTATION)
	cd $(BIN)/../lib/python3*/site-packages && pwd > $(CURDIR)/$$(cd $(CURDIR) && echo $(MUTATION)/lib/python3*/site-packages)/development.pth
	mkdir -p mutants/src/novikoff
	cp $(BIN)/../lib/python3*/site-packages/novikoff/_core*.so mutants/src/novikoff
	PATH="$(CURDIR)/$(MUTATION)/bin:$$PATH" $(MUTATION)/bin/python -m mutmut run --max-children 1 $(MUTANTS)

# Into dist/: the source archive, and one wheel for each of PYTHONS, built from it. See docs/building.md.
PYTHONS ?= $(PYTHON)
wheel: $(TOOLS) $(VENV)/release
	$(BIN)/python -m release.wheels $(PYTHONS)

# The tests against the wheels in dist/, in a fresh environment without a compiler. TESTS picks some.
TESTS ?=
test-wheel: $(TOOLS)
	@ls dist/*.whl > /dev/null 2>&1 || $(MAKE) wheel
	$(BIN)/python -m release.installed $(PYTHONS) -- $(TESTS)

# Two builds in different folders: the same bytes?
reproducible: $(TOOLS) $(VENV)/release
	$(BIN)/python -m release.reproducible

# GCC, clang, without AVX2, and aarch64: the same bits? Needs clang, g++-aarch64-linux-gnu and qemu-user of
# Debian; what is missing is left out and named. CONTRACTS=--contracts also plays the contracts on each.
CONTRACTS ?=
platforms: $(TOOLS)
	$(BIN)/python -m release.platforms $(CONTRACTS)

# Everything except the upload, of what is committed.
release:
	@test -z "$$(git status --porcelain)" || { echo "release: expected a tree without changes, got:"; git status --short; \
		echo "Commit or remove them."; exit 1; } >&2
	$(MAKE) wheel
	$(BIN)/python -m twine check --strict dist/*
	$(MAKE) reproducible
	$(MAKE) test-wheel
	$(BIN)/python -m release.sbom > dist/sbom.json
	cd dist && sha256sum novikoff-* sbom.json > SHA256SUMS && cat SHA256SUMS

format: $(TOOLS)
	$(BIN)/ruff format .
	$(BIN)/clang-format -i $(wildcard core/*/*.?pp core/*/*.inc core/*/*/*.?pp fuzz/*.?pp)
	$(BIN)/ruff check --fix .

# Pages that are written from the code; the tests compare them. Then all of them as HTML, in build/docs.
docs: $(TOOLS)
	$(BIN)/python docs/theorem_plots.py > /dev/null
	$(BIN)/python docs/theorem_pages.py
	$(BIN)/python -c "from novikoff.cli.help_page import page; print(page(), end='')" > docs/cli.md
	$(BIN)/python docs/reference.py
	$(BIN)/python docs/minnow.py
	$(BIN)/python docs/halfspaces.py
	$(BIN)/python docs/classes.py
	$(BIN)/sphinx-build -W --keep-going -q docs build/docs

# The listing of all that is public, which a test compares with the code.
api: $(TOOLS)
	$(BIN)/python docs/api.py

# The one file of the verifier, from its sources.
verifier:
	$(PYTHON) -m verifier.build

stub: $(TOOLS)
	$(BIN)/python -m nanobind.stubgen -q -m novikoff._core -o src/novikoff/_core.pyi
	$(BIN)/ruff check -q --fix --select I src/novikoff/_core.pyi
	$(BIN)/ruff format -q src/novikoff/_core.pyi

# The hashes of all files of the pinned packages, for every platform, from requirements/*.txt; needs a network.
PINS := build/pins
pins:
	$(PYTHON) -m venv $(PINS)
	$(PINS)/bin/python -m pip --disable-pip-version-check -q install pip-tools==7.6.2
	for name in build dev browser mutation release; do \
		$(PINS)/bin/pip-compile -q --generate-hashes --allow-unsafe --strip-extras --no-header --no-annotate \
			--no-emit-index-url --no-emit-trusted-host --no-emit-find-links \
			-c requirements/dev.txt -o requirements/hashed/$$name.txt requirements/$$name.txt || exit 1; \
	done

# Some tests with the oldest packages that pyproject.toml allows, without those that need newer frames to test with.
# MINIMUM_TESTS picks others.
MINIMUM := build/minimum
MINIMUM_TESTS ?= tests/learners/test_contracts.py tests/saving tests/receipts/test_certificates.py \
	tests/comparators/test_margin.py tests/streams tests/reports/test_reports.py tests/service \
	tests/cluster/test_shard_data.py \
	--ignore=tests/streams/test_arrow.py --ignore=tests/streams/test_frames.py --ignore=tests/streams/test_frame_libraries.py
test-minimum: $(TOOLS)
	$(PYTHON) -m venv $(MINIMUM)
	$(MINIMUM)/bin/python -m pip --disable-pip-version-check -q install -r requirements/minimum.txt
	rm -rf build/minimum-wheel
	PATH="$(CURDIR)/$(BIN):$$PATH" $(PIP) wheel --no-build-isolation --no-deps -w build/minimum-wheel .
	$(MINIMUM)/bin/python -m pip --disable-pip-version-check -q install --no-deps --force-reinstall build/minimum-wheel/*.whl
	$(MINIMUM)/bin/python -m pytest -n 2 -q -p no:cacheprovider $(MINIMUM_TESTS)

# What a wheel consists of and needs, as CycloneDX JSON.
sbom: $(TOOLS)
	mkdir -p build
	$(BIN)/python -m release.sbom > build/sbom.json

# What building and the demo need, and what testing needs besides.
$(VENV)/build: requirements/hashed/build.txt
	@echo "Installing what the build needs into $(VENV); the first time takes a minute or two."
	$(PYTHON) -m venv $(VENV)
	$(PIP) install --require-hashes -r requirements/hashed/build.txt
	touch $@

$(VENV)/requirements: requirements/hashed/dev.txt $(VENV)/build
	@echo "Installing what the tests need into $(VENV); the first time takes some minutes."
	$(PIP) install --require-hashes -r requirements/hashed/dev.txt
	touch $@

$(VENV)/browser: requirements/hashed/browser.txt $(VENV)/requirements
	$(PIP) install --require-hashes -r requirements/hashed/browser.txt
	touch $@

$(VENV)/release: requirements/hashed/release.txt $(VENV)/requirements
	$(PIP) install --require-hashes -r requirements/hashed/release.txt
	touch $@

$(VENV)/mutation: requirements/hashed/mutation.txt $(VENV)/requirements
	$(PIP) install --require-hashes -r requirements/hashed/mutation.txt
	touch $@

$(CHROMIUM):
	@if [ "$$(id -u)" = 0 ] && command -v apt-get > /dev/null && [ $@ = /usr/bin/chromium ]; then \
		apt-get update -q && DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends chromium fonts-dejavu-core; \
	else \
		echo "test-browser: expected Chromium at $@, got none. Run as root: apt-get install chromium;" \
			"or name yours: make test-browser CHROMIUM=/path/to/chromium" >&2; exit 1; \
	fi

$(VENV)/built: $(VENV)/build $(NATIVE)
	@echo "Building the core."
	$(PIP) install --no-build-isolation --no-deps -C cmake.define.NOVIKOFF_STRICT=ON -e .
	touch $@

clean:
	rm -rf build mutants $(VENV) .mypy_cache .pytest_cache .ruff_cache
