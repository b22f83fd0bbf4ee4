# The verbs of the project. They need git, make and Node 20 or newer with npm; the rest is installed here.
# What runs, runs on the Node that package.json pins, whatever Node the machine has.

NODE := node_modules/.bin/node
KEYSLOT := ./keyslot
TSX := $(NODE) --import tsx
VITEST := $(NODE) node_modules/vitest/vitest.mjs
BUF := $(NODE) node_modules/@bufbuild/buf/bin/buf
INSTALLED := node_modules/.keyslot-installed-lock.json
GENERATED := node_modules/.keyslot-generated
DASHBOARD := dist/dashboard/index.html
EMPTY_STORE := node_modules/.keyslot-empty-store
PROTOS := spec/stream
PUBLISHED := spec/stream/published.yaml
COVERAGE := node_modules/.cache/keyslot-coverage

.DEFAULT_GOAL := help
.PHONY: help serve test test-all coverage bench images lab soak generate dashboard mock contract pack image deb publish-streams figures check check-drift check-types check-style check-layout check-breaking install up-to-date up-to-date-generated up-to-date-store up-to-date-dashboard
MAKEFLAGS += --no-print-directory --no-builtin-rules

help: ## list the verbs
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  make %-15s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

serve: up-to-date ## install, generate and start everything; prints where it is served and with which key
	@exec $(KEYSLOT) serve

test: up-to-date ## install, generate and run the short tier of tests, or those of some folders (TESTS='test/devkit/contract test/clients')
	@$(VITEST) run $(TESTS)

test-all: up-to-date ## every test but the long ones: both store engines, servers as processes, browser, every contract case
	@KEYSLOT_TEST_TIER=all $(VITEST) run $(TESTS)

# Counted by Node in every process, so that servers and signers that tests start count too. One that is killed with SIGKILL does not.
coverage: up-to-date ## as make test-all, and print how much of src/ ran; a page per file in node_modules/.cache/keyslot-coverage
	@rm -rf $(COVERAGE)
	@KEYSLOT_TEST_TIER=all NODE_V8_COVERAGE=$(CURDIR)/$(COVERAGE)/raw $(VITEST) run $(TESTS); ended=$$?; \
		$(NODE) node_modules/c8/bin/c8.js report --temp-directory $(COVERAGE)/raw --merge-async --all --src src --include 'src/**/*.ts' --exclude '**/*.d.ts' --exclude 'src/dashboard/**' \
			--reporter text-summary --reporter html --reports-dir $(COVERAGE) && exit $$ended

bench: up-to-date ## measure requests next to other proxies, and what each feature costs them; keys, wallets, lists, notifications and streams next to their libraries; start, snapshots and transfers of the embedded ledger; writes test/bench/*results.md. AGAINST=REVISION compares requests with that revision instead
ifdef AGAINST
	@exec $(NODE) test/bench/compare.ts --revision '$(AGAINST)' $(if $(LIMIT),--limit $(LIMIT))
else
	@$(NODE) test/bench/main.ts
	@$(NODE) test/bench/keys.ts
	@$(NODE) test/bench/wallets.ts
	@$(NODE) test/bench/store-writes.ts
	@$(NODE) test/bench/account-lists.ts
	@$(NODE) test/bench/fan-out.ts
	@$(NODE) test/bench/dashboard.ts
	@$(NODE) test/bench/webhooks.ts
	@$(NODE) test/bench/topics.ts
	@$(NODE) test/bench/workers.ts
	@$(NODE) test/bench/features.ts
	@$(NODE) test/bench/localnet-start.ts
	@$(NODE) test/bench/snapshots.ts
	@$(NODE) test/bench/ledger.ts
	@exec $(NODE) test/bench/grpc.ts
endif

IMAGES := node_modules/.cache/keyslot-images

images: up-to-date ## take the pictures of docs/images/ from a server that is filled for it (needs Chromium and PostgreSQL)
	@rm -rf $(IMAGES)
	@KEYSLOT_TEST_TIER=long KEYSLOT_IMAGES=$(CURDIR)/$(IMAGES) $(VITEST) run test/dashboard/every-page.long.test.ts
	@mkdir -p docs/images
	@for page in dashboard-keys dashboard-wallets dashboard-usage dashboard-audit; do cp $(IMAGES)/$$page-1440-light.png docs/images/$$page.png; done
	@cp $(IMAGES)/dashboard--1440-light.png docs/images/dashboard.png
	@cp $(IMAGES)/dashboard--1440-dark.png docs/images/dashboard-dark.png
	@cp $(IMAGES)/dashboard--375-light.png docs/images/dashboard-narrow.png

LAB_DATABASE := $(or $(KEYSLOT_LAB_DATABASE_URL),postgres://postgres@127.0.0.1:5432/test)
LAB_REDIS := $(or $(KEYSLOT_LAB_REDIS_URL),redis://127.0.0.1:6379)

lab: up-to-date ## let nodes, gateways, signers, PostgreSQL and Redis fail at once under clients of all protocols for ten minutes (MINUTES=10), and check what must hold
	@KEYSLOT_LAB_DATABASE_URL='$(LAB_DATABASE)' KEYSLOT_LAB_REDIS_URL='$(LAB_REDIS)' exec $(NODE) test/lab/main.ts everything \
		--minutes $(or $(MINUTES),10) $(if $(SEED),--seed $(SEED)) --out node_modules/.cache/keyslot-lab

soak: up-to-date ## what takes minutes to hours: PART=nodes, kills, fuzz, ledger, lab, upgrade, long or mutants (CONTRIBUTING.md, Long runs)
	@case '$(or $(PART),nodes)' in \
		nodes) exec $(NODE) $(if $(FAILOVERS),test/soak/nodes.ts --failovers $(FAILOVERS),$(if $(USERS),test/soak/nodes.ts --users $(USERS),test/real-time/soak.ts --minutes $(or $(MINUTES),30))) ;; \
		kills) exec $(NODE) test/soak/kills.ts --rounds $(or $(ROUNDS),300) ;; \
		fuzz) exec $(NODE) test/soak/fuzz.ts --requests $(or $(REQUESTS),1000000) --minutes $(or $(MINUTES),60) ;; \
		ledger) exec $(NODE) test/soak/ledger.ts --minutes $(or $(MINUTES),60) --rate $(or $(RATE),200) --history $(or $(HISTORY),100000) ;; \
		lab) exec $(MAKE) lab MINUTES=$(or $(MINUTES),60) ;; \
		upgrade) exec $(NODE) test/soak/upgrade.ts --from '$(FROM)' ;; \
		long) KEYSLOT_TEST_TIER=long exec $(VITEST) run $(TESTS) ;; \
		mutants) exec $(NODE) test/soak/mutants.ts $(if $(ONLY),--only '$(ONLY)') ;; \
		*) echo "PART is '$(PART)', expected nodes, kills, fuzz, ledger, lab, upgrade, long or mutants" >&2; exit 2 ;; \
	esac

generate: install ## write generated/ from spec/
	@$(TSX) codegen/main.ts
	@touch $(GENERATED)

dashboard: install ## build the web app that /dashboard serves and the frame of /docs, into dist/dashboard
	@$(NODE) node_modules/vite/bin/vite.js build --config src/dashboard/vite.config.ts

mock: up-to-date ## serve mocks of the ledger, of the wallet and account services and of the topic streams, which answer from the examples of spec/ (PORT=8899)
	@exec $(KEYSLOT) mock --port $(or $(PORT),8899)

contract: up-to-date ## hold a server against the specification: URL=… (APIKEY=… TOKEN=… TOTP=… SESSION=… ARGS='--ws --allow-writes --json --junit FILE')
	@$(if $(APIKEY),KEYSLOT_CONTRACT_APIKEY='$(APIKEY)') $(if $(TOKEN),KEYSLOT_CONTRACT_TOKEN='$(TOKEN)') $(if $(TOTP),KEYSLOT_CONTRACT_TOTP='$(TOTP)') $(if $(SESSION),KEYSLOT_CONTRACT_SESSION='$(SESSION)') \
		$(KEYSLOT) contract --url '$(URL)' $(ARGS)

pack: up-to-date ## pack for npm, into dist/: @keyslot/client, and keyslot, the server and its command line, with the list of what it installs (CycloneDX)
	@$(TSX) codegen/pack/main.ts

image: ## build the container image, keyslot:VERSION and keyslot, with docker (ENGINE=podman or buildah; ARGS='--platform linux/arm64')
	@version=$$(sed -n 's/^  "version": "\(.*\)",/\1/p' package.json) && exec $(or $(ENGINE),docker) build -f docs/deploy/Containerfile -t keyslot:$$version -t keyslot \
		--build-arg VERSION=$$version --build-arg REVISION="$$(git describe --always --dirty --abbrev=40 --exclude '*')" $(ARGS) .

deb: up-to-date ## pack for Debian, into dist/: keyslot with its dependencies, its Node and the units of systemd (needs g++ and python3)
	@$(TSX) codegen/pack/main.ts debian

publish-streams: check-breaking ## at a release: take the fields of spec/stream as published, which no later one may break
	@$(BUF) build $(PROTOS) --exclude-source-info --output $(PUBLISHED)

figures: up-to-date ## print how large the tree is, how scattered, and how many files a warm request runs through; with PACKAGE='old.tgz new.tgz' what these cost installed: packages, disk, starts, memory
	@$(if $(PACKAGE),$(NODE) test/installed-figures.ts $(abspath $(PACKAGE)),$(NODE) test/figures.ts && $(NODE) test/warm-paths.ts)

check: check-drift check-types check-style check-layout check-breaking ## generated/ up to date, types, lint, format, layout, published messages

check-drift: install
	@echo 'check: generated/ is what spec/ gives'
	@$(TSX) codegen/main.ts --check

check-types: install up-to-date-generated
	@echo 'check: types'
	@$(NODE) node_modules/tsgo/bin/tsc -p .
	@$(NODE) node_modules/tsgo/bin/tsc -p src/dashboard

check-style: install
	@echo 'check: lint and format'
	@$(NODE) node_modules/@biomejs/biome/bin/biome ci

check-layout: install up-to-date-generated
	@echo 'check: layout'
	@$(VITEST) run --silent --reporter=dot test/architecture.test.ts

check-breaking: install
	@echo 'check: published messages of the streams are not broken'
	@$(BUF) breaking $(PROTOS) --against $(PUBLISHED) --config '{"version":"v1","breaking":{"use":["FILE"]}}' || \
		{ echo 'What is published keeps its name, number and type: leave it, and add new fields beside it.' >&2; exit 1; }

install:
	@cmp -s package-lock.json $(INSTALLED) || { $(CHECK_NODE) && $(INSTALL); }

up-to-date: install
	@$(MAKE) -j 2 up-to-date-dashboard up-to-date-store

up-to-date-generated:
	@test -f $(GENERATED) && test -d generated/contract && test -d generated/reference && test -z "$$(find spec runtime codegen -newer $(GENERATED) -print | head -n 1)" || $(MAKE) generate

up-to-date-dashboard: up-to-date-generated
	@test -f $(DASHBOARD) && test -z "$$(find package-lock.json src/dashboard runtime generated/account generated/ledger generated/localnet generated/wallets -newer $(DASHBOARD) -print | head -n 1)" || $(MAKE) dashboard

# A new data directory gets a copy of it: to make one takes seconds.
up-to-date-store:
	@test -f $(EMPTY_STORE) && test -z "$$(find package-lock.json src/store/migrations -newer $(EMPTY_STORE) -print | head -n 1)" || \
		{ $(NODE) src/store/make-empty-store.ts && touch $(EMPTY_STORE); }

define CHECK_NODE
{ command -v npm >/dev/null && node -e 'process.exit(Number(process.versions.node.split(".")[0]) >= 20 ? 0 : 1)'; } 2>/dev/null || \
	{ echo "Keyslot needs Node 20 or newer, with npm; found: $$(node --version 2>/dev/null || echo none). See https://nodejs.org/" >&2; exit 1; }
endef

define INSTALL
echo 'Installing packages (once; about a minute) ...' && \
	npm ci --no-audit --no-fund --loglevel=error && \
	cp package-lock.json $(INSTALLED)
endef
