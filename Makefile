# What people type. `make` alone lists the targets.

PREFIX ?= /usr/local
BINDIR ?= $(PREFIX)/bin
DATADIR ?= $(PREFIX)/share
CARGO ?= cargo

man_dir = $(DESTDIR)$(DATADIR)/man/man8
bash_dir = $(DESTDIR)$(DATADIR)/bash-completion/completions
zsh_dir = $(DESTDIR)$(DATADIR)/zsh/site-functions
fish_dir = $(DESTDIR)$(DATADIR)/fish/vendor_completions.d

# Where cargo puts the program, wherever the user has told it to build.
target_dir = $(or $(CARGO_TARGET_DIR),target)
generated = $(target_dir)/generated

fuzz_targets = tokens packets discovery tper_input sedutil_log
SECONDS ?= 300

.DEFAULT_GOAL := help
.PHONY: help deps build demo test lab bench fuzz lint figures release install uninstall clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' Makefile

deps: ## install the Debian packages that the build needs (root or sudo)
	@.ci/deps

build: deps ## build the program
	$(CARGO) build --locked

demo: build ## show the whole story on a virtual drive
	$(CARGO) run --quiet --locked -- demo

test: deps ## run every test that needs no kernel of its own
	$(CARGO) test --workspace --locked

# LAB_SEDKIT=PATH runs a program that is built already, LAB_PATIENCE=2 doubles the time limits.
lab: $(if $(LAB_SEDKIT),,release) ## boot real kernels in QEMU on virtual drives (ONLY=SCENARIO)
	@tests/lab/run $(ONLY)

bench: release ## count IF commands, ours and the peers', and measure speeds
	$(CARGO) bench --locked --bench '*'
	@tests/lab/run if-counts
	@tests/lab/table if-counts | tee tests/bench/if-counts.md

# Coverage-guided, on a stable compiler: the flags stand in tests/fuzz/.cargo/config.toml.
# What is learned on the way goes to target/corpus; tests/fuzz/corpus is only read.
fuzz: deps ## run each fuzz target for SECONDS=300
	@.ci/deps g++
	cd tests/fuzz && $(CARGO) build --release --locked
	cd tests/fuzz && for name in $(fuzz_targets); do \
		echo "fuzz: $$name for $(SECONDS) s" && \
		mkdir -p target/corpus/$$name target/findings && \
		$(CARGO) run --quiet --release --locked --bin $$name -- \
			-max_total_time=$(SECONDS) -timeout=10 -rss_limit_mb=1024 -print_final_stats=1 \
			-artifact_prefix=target/findings/$$name- -verbosity=0 \
			target/corpus/$$name corpus/$$name || exit 1; \
	done

lint: ## formatting, clippy, docs and scripts, as CI checks them
	@.ci/run format clippy docs licences scripts

figures: ## print the figures of the code for ARCHITECTURE.md
	$(CARGO) test --quiet --locked --test architecture figures -- --ignored --nocapture

release: deps ## build the optimised program, its man pages and completions
	$(CARGO) build --release --locked
	rm -rf $(generated)
	mkdir -p $(generated)/man $(generated)/completions
	$(target_dir)/release/sedkit gen man $(generated)/man
	$(target_dir)/release/sedkit gen completions $(generated)/completions

# Under sudo there is often no cargo: then what `make release` has built is installed.
install: $(if $(shell command -v $(CARGO)),release) ## install all of it (DESTDIR, PREFIX=/usr/local)
	install -D -m 755 $(target_dir)/release/sedkit $(DESTDIR)$(BINDIR)/sedkit
	install -d $(man_dir)
	install -m 644 $(generated)/man/*.8 $(man_dir)
	install -D -m 644 $(generated)/completions/sedkit.bash $(bash_dir)/sedkit
	install -D -m 644 $(generated)/completions/_sedkit $(zsh_dir)/_sedkit
	install -D -m 644 $(generated)/completions/sedkit.fish $(fish_dir)/sedkit.fish

uninstall: ## remove what install has put there
	rm -f $(DESTDIR)$(BINDIR)/sedkit $(man_dir)/sedkit.8 $(man_dir)/sedkit-*.8
	rm -f $(bash_dir)/sedkit $(zsh_dir)/_sedkit $(fish_dir)/sedkit.fish

clean: ## remove what was built
	$(CARGO) clean
	rm -rf tests/fuzz/target
