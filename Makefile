# Everything a fresh machine needs is Go, Node, gcc, make and git; the targets
# fetch the rest. `make help` lists them.

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
.PHONY: help measures run build web web-types sdk sdk-test recipes api-clients mcp-clients always test test-long race plain unit web-test web-lint e2e agents-test release deploy-lint conformance bench bench-compare soak fuzz lint golden chromium sandbox postgres cluster clean audit reproducible

WEB_SOURCES := $(shell find web/src web/public sdk/typescript/src -type f -not -name generated.ts) web/index.html web/vite.config.ts web/tsconfig.json
FUZZTIME ?= 30s

# Static, without this machine's paths; what is compiled for it serves vet and the tests without -race as well.
GOPLAIN := CGO_ENABLED=0 GOFLAGS="$(strip $(shell go env GOFLAGS) -trimpath)"
GOBUILD := $(GOPLAIN) go build -ldflags="-s -w"

# Tests are linked without debugging tables (-ldflags=-w), which takes half as long.

help: ## list the targets
	@grep -hE '^[a-z0-9-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z0-9-]+):.*## /\1\t/' | expand -t 12

run: build ## build everything, start the gateway with agents.yaml, print where to open it
	./bin/gateway serve --config agents.yaml

# The licences of what is in the program, embedded in it.
NOTICES := internal/licenses/texts/notices.txt.gz

$(NOTICES): go.mod LICENSE web/node_modules/.installed internal/licenses/collect/main.go
	$(GOPLAIN) go run ./internal/licenses/collect

# What the API's description says of types is their doc comments; written only where they have changed.
COMMENTS := internal/comments/texts/comments.json

$(COMMENTS): always
	@$(GOPLAIN) go run ./internal/comments/collect

build: web/dist/index.html $(NOTICES) $(COMMENTS) ## build the dashboard, the gateway and auditverify into bin/
	$(GOBUILD) -o bin/ ./cmd/gateway ./cmd/auditverify

web: web/dist/index.html ## build the dashboard, which the gateway embeds

web/node_modules/.installed: web/package-lock.json
	cd web && npm ci --no-audit --no-fund
	touch $@

# TypeScript's types of what goes over the line are the gateway's; written only where they have changed.
WIRE := sdk/typescript/src/generated.ts

web-types: $(WIRE) ## write the TypeScript types of frames and bodies from the gateway's

$(WIRE): always
	@$(GOPLAIN) go run ./internal/wiretypes $@

web/dist/index.html: web/node_modules/.installed $(WIRE) $(WEB_SOURCES)
	cd web && npm run --silent build
	touch $@

# The package has no dependency; the dashboard's compiler compiles it.
TSC := ../../web/node_modules/.bin/tsc

sdk: web/node_modules/.installed $(WIRE) ## build the TypeScript package into sdk/typescript/dist
	cd sdk/typescript && rm -rf dist && $(TSC)

sdk-test: sdk build ## the TypeScript package, against fakes and the real gateway
	cd sdk/typescript && rm -rf build && $(TSC) -p test && \
		NODE_NO_WARNINGS=1 node --test --test-timeout=60000 --test-reporter=dot build/test/*.test.js

docs/recipes/node_modules/.installed: docs/recipes/package-lock.json
	cd docs/recipes && npm ci --no-audit --no-fund
	touch $@

recipes: sdk-test docs/recipes/node_modules/.installed ## the recipes for agent frameworks, against the real gateway
	cd docs/recipes && NODE_NO_WARNINGS=1 node --test --test-timeout=60000 --test-reporter=dot recipes.test.mjs

test: ## all that is green before a commit; the browser tests alone at the end, since pages have deadlines that a busy machine misses
	$(MAKE) --output-sync=target -j2 lint race plain web-lint web-test
	$(MAKE) sdk-test e2e

test-long: sandbox postgres ## what takes longer, which CI runs after make test
	LINECLEAR_LONG=1 go test $(RACE) -ldflags=-w -timeout 15m -parallel 6 ./cmd/gateway
	LINECLEAR_LONG=1 go test $(RACE) -ldflags=-w -timeout 15m -run "AnAnswerThatComesAtOnce" ./wsapprover
	LINECLEAR_LONG=1 go test -ldflags=-w -timeout 10m -run Simulation ./store
	RAPID_CHECKS=400 go test -ldflags=-w -timeout 10m ./store ./agent ./auth ./approval ./audit ./session ./transcript ./bus ./mcpgate ./internal/linediff ./tool/mcp/transport
	LINECLEAR_LONG=1 $(GOPLAIN) go test -ldflags=-w -timeout 10m -run WhatIsPrinted ./internal/plain
	LINECLEAR_SOAK=500 go test -tags soak -ldflags=-w -timeout 5m -run ManyRequests ./cmd/gateway
	RAPID_CHECKS=30 go test -tags postgres -ldflags=-w -timeout 15m -parallel 10 -run Postgres ./store
	go test -tags postgres $(RACE) -ldflags=-w -timeout 10m ./store/postgres
	go test -tags postgres $(RACE) -ldflags=-w -timeout 5m ./cluster
	go test -tags postgres -ldflags=-w -timeout 10m -run Cluster ./cmd/gateway
	cd web && npm test --silent -- --isolate
	$(MAKE) recipes
	$(MAKE) e2e E2E="--grep @long"
	$(MAKE) api-clients
	$(MAKE) conformance
	$(MAKE) mcp-clients
	$(MAKE) deploy-lint reproducible

lint: ## formatting, vet, modules
	@unformatted=$$(gofmt -l $$(git ls-files --cached --others --exclude-standard '*.go')); \
	if [ -n "$$unformatted" ]; then echo "run gofmt -w on:"; echo "$$unformatted"; exit 1; fi
	$(GOPLAIN) go vet ./...
	$(GOPLAIN) go vet -tags soak ./cmd/gateway
	$(GOPLAIN) go vet -tags agents $(AGENT_TESTS)
	$(GOPLAIN) go vet -tags postgres ./store/... ./cluster ./cmd/gateway
	$(GOPLAIN) go vet -tags conformance ./tool/mcp
	go mod verify

web-lint: web/node_modules/.installed $(WIRE) ## the dashboard's types
	cd web && npm run --silent check

unit: sandbox $(NOTICES) $(COMMENTS) ## all Go tests, without the race detector
	$(GOPLAIN) go test -ldflags=-w -parallel 6 ./...

# Where nothing runs side by side the race detector finds nothing, and takes three times as long. The tests of
# cmd/gateway run programs of the build that they are of: some under the detector here, all of them in make test-long.
SERIAL := /(lineclear|policy|strictjson|config|session|audit|transcript|cmd/gateway|internal/(linediff|mask|plain|programs))$$
RACED := OfAllDoorsAtOnce|RoundTrips|AGuardedCall|AnMCPClientsCalls

# SQLite's translated C and the key stretching are not ours, and are ten times slower under the detector.
RACE := -race $(foreach p,modernc.org/sqlite/lib modernc.org/libc golang.org/x/crypto/scrypt,-gcflags=$(p)=-race=false)

# Each of the many programs that the tests start would sleep for a second at its end.
export GORACE := atexit_sleep_ms=0

# Random events: a third of rapid's own number under the detector, and many in make test-long.
race: export RAPID_CHECKS := 30
race: sandbox $(NOTICES) $(COMMENTS) ## the Go tests of what runs side by side, under the race detector
	go test $(RACE) -ldflags=-w -parallel 6 $$(go list ./... | grep -vE '$(SERIAL)')
	go test $(RACE) -ldflags=-w -parallel 6 -run '$(RACED)' ./cmd/gateway

plain: ## the Go tests of the rest
	$(GOPLAIN) go test -ldflags=-w -parallel 8 $$(go list ./... | grep -E '$(SERIAL)')

web-test: web/node_modules/.installed $(WIRE) ## the dashboard's component and reducer tests
	cd web && npm test --silent

E2E ?= --grep-invert "@long|@measure"

e2e: build chromium sandbox ## the dashboard in Chromium, against the real gateway
	cd web && LINECLEAR_BIN=$(CURDIR)/bin/gateway npm run --silent e2e -- $(E2E)

CLIENTS := internal/apiclients

$(CLIENTS)/node_modules/.installed: $(CLIENTS)/package-lock.json
	cd $(CLIENTS) && npm ci --no-audit --no-fund
	touch $@

api-clients: export REDOCLY_TELEMETRY := off
api-clients: export REDOCLY_SUPPRESS_UPDATE_NOTICE := true
api-clients: build $(CLIENTS)/node_modules/.installed ## check the API's descriptions, and drive the gateway with clients generated from them
	mkdir -p $(CLIENTS)/dist
	$(GOPLAIN) go run ./internal/wiretypes $(CLIENTS)/dist/openapi.json $(CLIENTS)/dist/asyncapi.json
	cd $(CLIENTS) && npm run --silent lint && npm run --silent generate
	cd $(CLIENTS) && go tool oapi-codegen -config oapi-codegen.yaml dist/openapi.json
	cd $(CLIENTS) && LINECLEAR_BIN=$(CURDIR)/bin/gateway go test -count=1 -timeout 5m ./...

MCP_CLIENTS := mcpgate/clients

# The clients want a newer Node, which npm brings; its install script alone is run. npm ci
# does not take the lock file, in which an optional package for Windows is missing.
$(MCP_CLIENTS)/node_modules/.installed: $(MCP_CLIENTS)/package-lock.json
	cd $(MCP_CLIENTS) && npm install --no-save --no-audit --no-fund --ignore-scripts --loglevel=error && npm rebuild --loglevel=error node
	touch $@

mcp-clients: build $(MCP_CLIENTS)/node_modules/.installed ## MCP clients and a server from npm with the gate between them, and the official conformance suite through it
	$(GOPLAIN) go build -o $(MCP_CLIENTS)/dist/everything-server github.com/modelcontextprotocol/go-sdk/conformance/everything-server
	cd $(MCP_CLIENTS) && export PATH=$(CURDIR)/$(MCP_CLIENTS)/node_modules/.bin:$$PATH LINECLEAR_BIN=$(CURDIR)/bin/gateway EVERYTHING=$(CURDIR)/$(MCP_CLIENTS)/dist/everything-server && \
		npm test --silent && npm run --silent conformance

conformance: $(MCP_CLIENTS)/node_modules/.installed ## the official suite of MCP, run by a Node of its own, against our client
	go test -tags conformance -ldflags=-w -count=1 -timeout 5m -run OfficialSuite ./tool/mcp

AGENTS := internal/canary/agents
AGENT_TESTS := ./internal/canary ./install ./cmd/gateway

$(AGENTS)/node_modules/.installed: $(AGENTS)/package-lock.json
	cd $(AGENTS) && npm install --no-save --no-audit --no-fund && npm rebuild
	touch $@

agents-test: build sandbox $(AGENTS)/node_modules/.installed ## the real coding agents (1.6 GB from npm), without a network, against a model of our own
	go test -tags agents -run '^$$' $(AGENT_TESTS)
	LINECLEAR_AGENTS=$(CURDIR)/$(AGENTS)/node_modules/.bin bwrap --dev-bind / / --unshare-net --die-with-parent \
		go test -tags agents -count=1 -p 1 -timeout 30m -run "Real" -v $(AGENT_TESTS)

bench: build ## a gateway measured from outside, beside baselines of the same run (JSON=bench.json ONLY='turns|start'), then the parts by themselves
	go build -o bin/bench ./internal/bench
	bin/bench -gateway bin/gateway -json $(or $(JSON),bench.json) -only '$(ONLY)'
	$(if $(ONLY),,go test -run '^$$' -bench . -benchmem ./wsapprover ./bus ./policy ./audit ./store ./internal/metrics)

bench-compare: ## two runs of make bench side by side: BEFORE=old.json AFTER=bench.json
	go run ./internal/bench compare $(BEFORE) $(or $(AFTER),bench.json)

measures: ## what the dashboard takes: sizes, first card, idle cost, many tabs; printed
	$(MAKE) e2e E2E="--workers=1 --grep @measure"

soak: build ## ten thousand requests at once: answered, expired, resumed after a kill; decisions under floods; prints memory and times
	go test -tags soak -run "ManyRequests|StayFast" -timeout 40m -v ./cmd/gateway

fuzz: ## every fuzz target, for FUZZTIME each (30s), and a million command lines in real shells
	LINECLEAR_LINES=1000000 $(GOPLAIN) go test -timeout 60m -run WhatIsPrinted -v ./internal/plain
	@for dir in $$(grep -rlE '^func Fuzz' --include=*_test.go . | grep -v node_modules | xargs -n1 dirname | sort -u); do \
		for target in $$(grep -hoE '^func Fuzz[A-Za-z0-9]+' $$dir/*_test.go | cut -c6-); do \
			echo "== $$dir $$target"; go test -run '^$$' -fuzz "^$$target$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 2s $$dir; \
		done; \
	done

audit: web/node_modules/.installed ## look for known vulnerabilities in Go modules and npm packages; needs the network
	@echo "== Go modules"; code=0; out=$$(go run golang.org/x/vuln/cmd/govulncheck@v1.9.0 ./... 2>&1) || code=$$?; echo "$$out" | tail -40; \
	case $$code in 0) ;; 3) exit 1;; *) echo "NOT CHECKED: govulncheck could not run or not reach its data (exit $$code)"; failed=1;; esac; \
	echo "== npm packages"; code=0; out=$$(cd web && npm audit --omit=dev 2>&1) || code=$$?; echo "$$out" | tail -40; \
	if grep -qE "audit endpoint|ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ENOAUDIT|npm (error|ERR)" <<<"$$out"; then echo "NOT CHECKED: npm could not reach its data"; failed=1; \
	elif [ $$code != 0 ]; then exit 1; fi; [ -z "$${failed:-}" ] || exit 2

release: web/dist/index.html $(NOTICES) $(COMMENTS) ## what is released, into dist/: archives for linux and macOS, Debian packages, SBOMs, checksums
	GOFLAGS= deploy/release.sh

deploy-lint: ## the Dockerfile, and where systemd is its unit
	npm exec --yes --package dockerfile-utils@0.16.3 -- dockerfile-utils lint deploy/compose/Dockerfile
	@! command -v systemd-analyze >/dev/null || systemd-analyze security --offline=true --threshold=40 deploy/systemd/lineclear.service >/dev/null

reproducible: web/node_modules/.installed ## build a release twice, dashboard included, in two folders, and compare
	@there=$$(mktemp -d); trap 'rm -rf "$$there"' EXIT; \
	for folder in one another/below; do \
		git clone -q . "$$there/$$folder" && cp -r web/node_modules "$$there/$$folder/web/" && touch "$$there/$$folder/web/node_modules/.installed" && \
		PLATFORMS=linux/amd64 $(MAKE) --no-print-directory -C "$$there/$$folder" release >"$$there/log" 2>&1 || { cat "$$there/log"; exit 1; }; \
	done; \
	diff "$$there/one/dist/SHA256SUMS" "$$there/another/below/dist/SHA256SUMS" && cat "$$there/one/dist/SHA256SUMS"

golden: ## rewrite the golden files; look at the difference before you commit it
	go test ./wsapprover ./config ./policy -run 'Golden|Schema|EveryGround' -update

chromium: ## install Chromium where there is none (Debian)
	@command -v chromium >/dev/null || { apt-get update -qq && apt-get install -y -qq chromium fonts-dejavu-core; }

sandbox: ## install bubblewrap, in which commands can run, where there is none (Debian)
	@[ "$$(uname)" != Linux ] || command -v bwrap >/dev/null || { apt-get update -qq && apt-get install -y -qq bubblewrap; }

cluster: build postgres ## three gateways on a Postgres and a NATS of their own, a proxy and one link, to try out; ctrl-C ends all
	go run ./internal/cluster -gateway bin/gateway

# Debian's packages would make servers that run; ours are started by whoever needs one.
postgres: ## install Postgres, PgBouncer and NATS, which tests and make cluster start themselves, where there are none (Debian)
	@{ ls /usr/lib/postgresql/*/bin/initdb || command -v initdb; } >/dev/null 2>&1 && PATH=$$PATH:/usr/sbin command -v pgbouncer >/dev/null || { \
		mkdir -p /etc/postgresql-common && { test -e /etc/postgresql-common/createcluster.conf || echo "create_main_cluster = false" >/etc/postgresql-common/createcluster.conf; } && \
		apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq postgresql pgbouncer; }
	@PATH=$$PATH:/usr/sbin command -v nats-server >/dev/null || { \
		mkdir -p /etc/systemd/system && { test -e /etc/systemd/system/nats-server.service || ln -s /dev/null /etc/systemd/system/nats-server.service; } && \
		apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq nats-server >/dev/null; }

clean: ## remove what was built
	rm -rf bin web/node_modules docs/recipes/node_modules sdk/typescript/dist sdk/typescript/build $(WIRE) $(CLIENTS)/node_modules $(CLIENTS)/dist $(MCP_CLIENTS)/node_modules $(MCP_CLIENTS)/dist
	find web/dist internal/licenses/texts internal/comments/texts -mindepth 1 ! -name .gitkeep -delete
