# The front door: each target installs the Debian packages it needs and does one thing. The build itself is CMake's,
# through the presets of CMakePresets.json.

BUILD_PACKAGES = g++ cmake ninja-build pkg-config libhwy-dev librandom123-dev libcli11-dev libfmt-dev \
                 nlohmann-json3-dev libsimdjson-dev libtomlplusplus-dev zlib1g-dev libzstd-dev libzip-dev \
                 libcurl4-openssl-dev libssl-dev \
                 libjs-dygraphs
REPORT_PACKAGES = gnuplot-nox librsvg2-bin fonts-dejavu-core
TEST_PACKAGES  = libgtest-dev librapidcheck-dev python3 strace openssl chromium $(REPORT_PACKAGES)
BENCH_PACKAGES = libdnnl-dev python3-torch libopenblas0-openmp
PREFIX        ?= /usr/local
SETUP          = tools/install_packages.sh

.PHONY: all test demo bench sanitize fuzz tidy format install clean

all:
	@$(SETUP) $(BUILD_PACKAGES)
	@cmake --preset release -DRWA_TESTS=OFF >/dev/null
	@cmake --build --preset release

test:
	@$(SETUP) $(BUILD_PACKAGES) $(TEST_PACKAGES)
	@cmake --preset release -DRWA_TESTS=ON >/dev/null
	@cmake --build --preset release
	@ctest --preset release

demo: all
	@$(SETUP) $(REPORT_PACKAGES)
	@build/release/rwa paper run --quick --out runs/demo
	@build/release/rwa paper report runs/demo

bench:
	@$(SETUP) $(BUILD_PACKAGES) $(BENCH_PACKAGES)
	@cmake --preset release -DRWA_TESTS=OFF >/dev/null
	@cmake --build --preset release
	@build/release/rwa bench $(ARGS)

sanitize:
	@$(SETUP) $(BUILD_PACKAGES) $(TEST_PACKAGES)
	@for preset in asan tsan; do \
	  cmake --preset $$preset >/dev/null && cmake --build --preset $$preset && ctest --preset $$preset || exit 1; \
	done

fuzz:
	@$(SETUP) $(BUILD_PACKAGES) $(TEST_PACKAGES) clang
	@tools/fuzz.sh 60

tidy:
	@$(SETUP) $(BUILD_PACKAGES) $(TEST_PACKAGES) clang clang-tidy
	@cmake --preset tidy >/dev/null
	@cmake --build --preset tidy -- -k 0

format:
	@$(SETUP) clang-format git
	@git ls-files '*.h' '*.cc' | xargs clang-format -i

install: all
	@cmake --install build/release --prefix $(PREFIX)
	@if [ "$$(id -u)" -eq 0 ]; then ldconfig; fi

clean:
	@rm -rf build
