# The front door. Each target installs the Debian packages it needs, after saying which (DEPS=0 skips
# that), and does one thing. CMake does the building, through the presets of CMakePresets.json.

BUILD_PACKAGES = g++ cmake ninja-build pkg-config libhwy-dev librandom123-dev libcli11-dev libfmt-dev \
                 nlohmann-json3-dev libsimdjson-dev libtomlplusplus-dev zlib1g-dev libzstd-dev libzip-dev \
                 libcurl4-openssl-dev libssl-dev libonnx-dev libprotobuf-dev libdlpack-dev \
                 libjs-dygraphs libopenmpi-dev openmpi-bin libgtest-dev librapidcheck-dev
REPORT_PACKAGES = gnuplot-nox librsvg2-bin fonts-dejavu-core
NODE_PACKAGES  = $(if $(shell command -v npm),,nodejs npm)
TEST_PACKAGES  = python3 python3-numpy python3-torch python3-sklearn python3-venv \
                 strace openssl chromium mpich libmpich-dev $(NODE_PACKAGES) $(REPORT_PACKAGES)
BENCH_PACKAGES = libdnnl-dev python3-torch libopenblas0-openmp
PREFIX        ?= /usr/local
ENV           ?= env
DEPS          ?= 1
SETUP          = $(if $(filter 0,$(DEPS)),true,tools/install_packages.sh)

.PHONY: all demo check test python bench sanitize fuzz attack tidy format install clean

all:
	@$(SETUP) $(BUILD_PACKAGES)
	@cmake --preset release -DRWA_TESTS=OFF >/dev/null
	@cmake --build --preset release

# Three of the paper's experiments, and the report.
demo: all
	@$(SETUP) $(REPORT_PACKAGES)
	@build/release/rwa paper run --quick --out runs/demo
	@build/release/rwa paper report runs/demo

# The unit tests.
check:
	@$(SETUP) $(BUILD_PACKAGES)
	@cmake --preset release -DRWA_TESTS=ON >/dev/null
	@cmake --build --preset release --target unit_tests
	@ctest --preset check; status=$$?; tools/skipped_tests.sh build/release; exit $$status

# Every test.
test: build/node/node_modules
	@$(SETUP) $(BUILD_PACKAGES) $(TEST_PACKAGES)
	@cmake --preset release -DRWA_TESTS=ON >/dev/null
	@cmake --build --preset release
	@ctest --preset release; status=$$?; tools/skipped_tests.sh build/release; exit $$status

# ONNX Runtime, which Debian does not have, for tests.
build/node/node_modules: tests/node/package.json tests/node/package-lock.json tests/node/.npmrc
	@$(SETUP) $(NODE_PACKAGES)
	@mkdir -p build/node && cp $^ build/node
	@cd build/node && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error && touch node_modules

# The Python package, in the virtual environment ENV, which is created if there is none.
python: all
	@$(SETUP) python3-venv
	@[ -x $(ENV)/bin/pip ] || /usr/bin/python3 -m venv --system-site-packages $(ENV)
	@$(ENV)/bin/pip install --quiet --no-index --force-reinstall .

bench:
	@$(SETUP) $(BUILD_PACKAGES) $(BENCH_PACKAGES)
	@cmake --preset release -DRWA_TESTS=OFF >/dev/null
	@cmake --build --preset release
	@build/release/rwa bench $(ARGS)

sanitize:
	@$(SETUP) $(BUILD_PACKAGES) $(TEST_PACKAGES)
	@tools/sanitize.sh asan tsan

fuzz:
	@$(SETUP) $(BUILD_PACKAGES) $(TEST_PACKAGES) clang
	@tools/fuzz.sh 60

# Kills, damaged files, bombs, full disks and lost ranks, in fifteen minutes.
attack: all
	@$(SETUP) python3
	@python3 tools/attack build/release/rwa $(ARGS)

tidy:
	@$(SETUP) $(BUILD_PACKAGES) $(TEST_PACKAGES) clang clang-tidy
	@cmake --preset tidy >/dev/null
	@run-clang-tidy -p build/tidy -quiet '\.cc$$'

format:
	@$(SETUP) clang-format git
	@git ls-files '*.h' '*.cc' | xargs clang-format -i

install: all
	@cmake --install build/release --prefix $(PREFIX)
	@if [ "$$(id -u)" -eq 0 ]; then ldconfig; fi

clean:
	@rm -rf build
