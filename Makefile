# Everything a developer does here. Tools are pinned in go.mod (go tool).

.DEFAULT_GOAL := help
.PHONY: help run build test check generate bench

GO ?= go

help: ## show this list
	@awk -F ':.*## ' '/^[a-z]+:.*## /{printf "  make %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

run: build ## start everything on this machine, with a demo to look at
	@SERVICE_DEMO=$${SERVICE_DEMO:-true} exec bin/service serve

build: ## build bin/service
	@$(GO) build -o bin/service ./cmd/service

test: ## run all tests, with the race detector, in a random order
	@$(GO) test -race -shuffle=on $(CHECKPTR) ./...

# -race checks pointer conversions too, and duckdb-go 2.10503.1 reads strings
# through one that is not aligned (vector_getters.go, getBytes): harmless on the
# processors it supports, and the end of every query worker under test.
CHECKPTR := -gcflags=github.com/duckdb/duckdb-go/v2=-d=checkptr=0

check: ## formatting, vet, staticcheck, generated files, import rules
	@unformatted=$$($(GO) tool gofumpt -l $$(git ls-files '*.go')); \
		test -z "$$unformatted" || { echo "not formatted (go tool gofumpt -w):"; echo "$$unformatted"; exit 1; }
	@$(GO) vet ./...
	@$(GO) tool staticcheck ./...
	@$(GO) test -count=1 -run 'AsCommitted|Docs|Document|Operations|SchemaEquals|^TestImports' $(GOLDEN)

# Packages whose tests write what they check when they are given -update.
GOLDEN = $(sort $(foreach f,$(shell git grep -l '"update"' -- '*_test.go'),./$(dir $(f))))

generate: ## rewrite generated documentation and golden files
	@$(GO) test $(GOLDEN) -update

bench: ## run all benchmarks
	@$(GO) test -run '^$$' -bench . -benchmem ./...
