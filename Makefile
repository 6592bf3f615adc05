# Entry points; the steps are scripts in tools/.

.DEFAULT_GOAL := help
.PHONY: help run build check test nightly repeat gen lint web sdk bench fuzz sim install-deps

help: ## list these targets
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 14

run: ## start the service on http://127.0.0.1:8080
	go run ./cmd/roshambo serve

build: ## build the one binary, ./roshambo
	CGO_ENABLED=0 go build -trimpath -o roshambo ./cmd/roshambo

check: ## the inner loop: lint and quick tests, under a minute
	@tools/check

test: ## the gate, from an empty machine: install, lint, tests, page; five minutes once caches are warm
	@tools/test

nightly: ## everything else, with new seeds: three hours or less; writes docs/nightly.md
	@tools/nightly

repeat: ## the gate RUNS times (30), LANES at a time (1), beside two busy loops
	@tools/repeat $(or $(RUNS),30) $(LANES)

gen: ## generate all generated files
	@tools/gen

lint: ## Go and shell, by .golangci.yml and shellcheck
	@tools/lint
	@tools/lint-shell

web: ## check and build the page into web/dist
	@tools/web

sdk: ## build what would be published of the SDKs into .cache/sdk
	@tools/sdk

bench: ## measure the service against references
	@tools/bench

fuzz: ## fuzz every parser with FUZZTIME inputs each (20000x)
	@tools/fuzz

sim: ## simulate the service under faults for SIM_STEPS steps (2000)
	ROSHAMBO_SEED=$${ROSHAMBO_SEED:-$$(date +%s)} go test ./internal/sim -count=1 -v -artifacts -timeout 4h -sim.steps=$(or $(SIM_STEPS),2000)

install-deps: ## install missing Debian and npm packages
	@tools/install-deps
