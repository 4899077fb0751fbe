# Everything a developer does here. Tools are pinned in go.mod (go tool).

.DEFAULT_GOAL := help
.PHONY: help run build test lint check generate bench

GO ?= go

help: ## show this list
	@awk -F ':.*## ' '/^[a-z]+:.*## /{printf "  make %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

run: build ## start everything on this machine, with a demo to look at
	@SERVICE_DEMO=$${SERVICE_DEMO:-true} exec bin/service serve

# Without symbols for debuggers, as the image is built: a fifth smaller, and panics name lines all the same.
build: ## build bin/service
	@$(GO) build -ldflags "-s -w" -o bin/service ./cmd/service

# The long suites wait for their servers most of the time, so those with the race
# detector and those without run at once. What vet says is asked by lint.
test: ## run all tests in a random order, concurrent code under the race detector
	@race=$$(mktemp); status=0; \
		{ $(GO) test -vet=off -race -shuffle=on $(CHECKPTR) $(RACE); a=$$?; \
		$(GO) test -vet=off -race -shuffle=on $(CHECKPTR) -run '$(RACE_TESTS)' $(RACE_SOME) && test $$a = 0; } > $$race 2>&1 & \
		$(GO) test -vet=off -shuffle=on -skip '$(RACE_TESTS)' $(RACE_SOME) || status=1; \
		$(GO) test -vet=off -shuffle=on $(filter-out $(RACE:./%=service/%) $(RACE_SOME:./%=service/%),$(shell $(GO) list ./...)) || status=1; \
		wait $$! || status=1; cat $$race; rm $$race; exit $$status

# Packages whose code starts goroutines or shares memory between them, which a test
# of cmd/service compares with the code. The race detector makes tests three to four
# times as slow, so the others do without.
RACE := ./auth ./auth/devidp ./server ./server/refresh ./store ./store/dashboard/locale ./store/embedded ./store/view \
	./store/warehouse

# In these little of the code shares memory, and the tests are many or measure: only
# those that have several things happen at once run under the race detector. What takes
# longest begins first.
RACE_SOME := ./server/web ./cmd/service ./store/dashboard/page ./store/warehouse/duckdb ./store/warehouse/clickhouse ./tools \
	./store/warehouse/mysql
RACE_TESTS := ^Test(ReachingAWarehouse|LimitsAreOfTheResult|RogueServer|Serve|SecretKeyIsMadeOnce|Worker.*|Kill|Answers|Documents|Golden|Concurrency|Killed|ServerDies|Waiting|Transcripts|PagesAreForTheirReader)$$

# -race checks pointer conversions too, and duckdb-go 2.10503.1 reads strings
# through one that is not aligned (vector_getters.go, getBytes): harmless on the
# processors it supports, and the end of every query worker under test.
CHECKPTR := -gcflags=github.com/duckdb/duckdb-go/v2=-d=checkptr=0

lint: ## formatting, vet, staticcheck
	@unformatted=$$($(GO) tool gofumpt -l $$(git ls-files '*.go')); \
		test -z "$$unformatted" || { echo "not formatted (go tool gofumpt -w):"; echo "$$unformatted"; exit 1; }
	@$(GO) vet ./...
	@$(GO) tool staticcheck ./...

check: lint ## lint, and the quick tests: generated files, import rules, lines
	@$(GO) test -count=1 -run 'AsCommitted|Docs|Document|Operations|SchemaEquals|^TestImports|^TestLines' $(GOLDEN)

# Packages whose tests write what they check when they are given -update.
GOLDEN = $(sort $(foreach f,$(shell git grep -l '"update"' -- '*_test.go'),./$(dir $(f))))

generate: ## rewrite generated documentation and golden files
	@$(GO) test $(GOLDEN) -update

bench: ## run all benchmarks
	@$(GO) test -run '^$$' -bench . -benchmem ./...
