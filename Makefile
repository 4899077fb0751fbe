# Everything a developer does here. Tools are pinned in go.mod (go tool).

.DEFAULT_GOAL := help
.PHONY: help run build test test-race test-some test-rest lint check generate fuzz bench bench-peers bench-neighbour bench-paint bench-replicas bounds soak release image

GO ?= go

help: ## show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  make %-15s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

run: ## start everything on this machine, with a demo to look at
	@.ci/needs run
	@$(MAKE) --no-print-directory build
	@SERVICE_DEMO=$${SERVICE_DEMO:-true} exec bin/service serve

# Without symbols for debuggers, as the image is built: a fifth smaller, and panics name lines all the same.
build: ## build bin/service
	@$(GO) build -ldflags "-s -w" -o bin/service ./cmd/service

# The long suites wait for their servers and browsers half of the time, so three kinds run at once, but no more
# programs than that and one: two cores would answer none of them in time. What vet says is asked by lint.
# Query workers have niceness 10, and would get a tenth of what tests take for themselves: on a slow machine,
# no query would be answered within its limits. All is compiled before, since tests wait less long beside tests alone.
test: ## run all tests in a random order, concurrent code under the race detector
	@.ci/needs test
	@$(GO) build ./... && $(GO) build -race $(RACE)
	@nice -n 9 $(MAKE) --no-print-directory -k -j 3 test-race test-some test-rest

# A test that hangs fails by its own limits. That of a whole package, ten minutes by default, is less than cmd/service takes on a slow machine.
# Garbage is collected as seldom as in the program (cmd/service/memory.go): Go's defaults take up to a quarter of the processor time.
TEST := $(GO) test -exec 'env GOGC=800 GOMEMLIMIT=1GiB' -vet=off -shuffle=on -timeout 25m

test-race:
	@$(TEST) -p 1 -race $(RACE); all=$$?; \
		$(TEST) -p 1 -race -run '$(RACE_TESTS)' $(RACE_SOME) && exit $$all

test-some:
	@$(TEST) -p 2 -skip '$(RACE_TESTS)' $(RACE_SOME)

test-rest:
	@$(TEST) -p 1 $(filter-out $(RACE:./%=service/%) $(RACE_SOME:./%=service/%),$(shell $(GO) list ./...))

# Packages whose code starts goroutines or shares memory between them, which a test
# of cmd/service compares with the code. The race detector makes tests three to four
# times as slow, so the others do without.
RACE := ./auth/devidp ./cmd/service/code ./server ./server/jobs ./server/notify ./server/refresh ./store/archive ./store/embedded ./store/limit \
	./store/view ./store/warehouse ./store/warehouse/duckdb/forkserver ./store/warehouse/rest

# In these little of the code shares memory, and the tests are many or measure: only tests that wait for goroutines of
# their own run under the race detector. What takes longest begins first.
RACE_SOME := ./server/web ./cmd/service ./store/dashboard/markdown ./store/warehouse/postgres ./store ./store/warehouse/duckdb \
	./store/warehouse/clickhouse ./tools ./store/warehouse/mysql ./store/dashboard/scene ./auth ./store/warehouse/isolate \
	./store/dashboard/locale ./store/dashboard/cube ./store/warehouse/rest/athena ./store/warehouse/sts \
	./store/warehouse/google ./store/warehouse/linked
RACE_TESTS = $(shell .ci/concurrent $(RACE_SOME))

lint: ## formatting, vet, staticcheck
	@unformatted=$$($(GO) tool gofumpt -l $$(git ls-files '*.go')); \
		test -z "$$unformatted" || { echo "not formatted (go tool gofumpt -w):"; echo "$$unformatted"; exit 1; }
	@$(GO) vet ./...
	@$(GO) tool staticcheck ./...

check: lint ## lint, and the quick tests: generated files, import rules, lines
	@$(GO) test -count=1 -run 'AsCommitted|Docs|Document|Operations|SchemaEquals|^TestImports|^TestLines' $(GOLDEN)

# Packages whose tests write what they check when they are given -update.
GOLDEN = $(sort $(foreach f,$(shell git grep -l 'Bool."update"' -- '*_test.go'),./$(dir $(f))))

generate: ## rewrite generated documentation and golden files
	@$(GO) test $(GOLDEN) -update

# Fuzzers, as package:name.
FUZZERS = $(shell git grep -oE '^func Fuzz[A-Za-z]+' -- '*_test.go' | sed -E 's|^(.*)/[^/]*:func (.*)|./\1:\2|')

fuzz: ## mutate specs and draw them of odd rows for twice ten minutes, or FUZZ=1m, and run each fuzzer for 30s, or EACH=5s
	@$(GO) test ./store/dashboard/page -count=1 -timeout 0 -v -run '^TestMutants' -mutate $(or $(FUZZ),10m)
	@for f in $(FUZZERS); do echo "$$f"; \
		$(GO) test $${f%%:*} -run '^$$' -fuzz "^$${f##*:}$$" -fuzztime $(or $(EACH),30s) || exit 1; done

bench: ## run all benchmarks
	@$(GO) test -run '^$$' -bench . -benchmem ./...

bench-peers: ## what requests cost, in turns with a bare program on the same database
	@$(GO) test ./cmd/service -count=1 -run '^TestPeers$$' -peers -v
	@$(GO) test ./server/refresh -run '^$$' -bench 'Refresh$$/postgres' -benchtime 2x

bench-neighbour: ## how long an account's calls take beside another that calls without end
	@$(GO) test ./cmd/service -count=1 -run '^TestNeighbour$$' -neighbour -v

bounds: ## what the largest request of each kind takes, and a thousand at once, into docs/security.md
	@$(GO) test ./cmd/service -count=1 -run '^TestBounds$$' -bounds -update -timeout 0 -v

bench-paint: ## how soon a browser shows the demo's page, and in turns the page at BESIDE
	@$(GO) test ./cmd/service -count=1 -run '^TestFirstPaint$$' -paint -beside "$(BESIDE)" -v

release: ## build programs, packages, lists of contents and checksums into dist/
	@cmd/service/packaging/release.sh

# The context has no git in it, so the image is told what it is of.
image: ## build the container image, with docker or what ENGINE names
	@$(ENGINE) build --build-arg COMMIT=$$(git rev-parse HEAD) --build-arg DATE=$$(git show -s --format=%cI HEAD) --tag service:latest .

ENGINE ?= docker

SOAK ?= 1h

bench-replicas: ## views and refreshes at 1, 2 and 4 replicas
	@$(GO) test ./cmd/service -count=1 -run '^TestReplicas$$' -replicas 15s -v

soak: ## three replicas, one killed each minute, for an hour, or SOAK=5m
	@$(GO) test ./cmd/service -count=1 -run '^TestSoak$$' -soak $(SOAK) -timeout 0 -v
