# The one source of commands; the justfile forwards to it.
BIN := .bin
GOLANGCI_LINT := $(BIN)/golangci-lint
GOTESTSUM := $(BIN)/gotestsum
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)

.PHONY: help
help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 16

.PHONY: build
build: ## release binary ./kite-mcp
	CGO_ENABLED=0 go build -trimpath -ldflags "-s -w -X main.version=$(VERSION)" -o kite-mcp .

.PHONY: test
test: $(GOTESTSUM) npm ## every suite
	.ci/test.sh

.PHONY: check
check: fmt-check vet lint lint-catalog generated tidy test ## all that CI checks

.PHONY: fmt
fmt: $(GOLANGCI_LINT) ## format the Go code
	$(GOLANGCI_LINT) fmt

.PHONY: fmt-check
fmt-check: $(GOLANGCI_LINT)
	$(GOLANGCI_LINT) fmt --diff

.PHONY: vet
vet:
	go vet -tags=testing ./...
	go vet -tags=conformance ./server

.PHONY: lint
lint: $(GOLANGCI_LINT) ## all linters
	$(GOLANGCI_LINT) run

.PHONY: lint-catalog
lint-catalog: ## check the help content
	go run . lint catalog --severity info --fail-on info

.PHONY: generate update
generate: ## rewrite completions and generated docs
	go test ./cmd ./tui -run 'TestGenerated' -update
# Only packages with golden files know the flag.
update: ## rewrite every golden file
	go test $$(grep -rl --include='*_test.go' 'internal/golden"' . | xargs -n1 dirname | sort -u) -update

.PHONY: generated
generated:
	go test ./cmd ./tui -run 'TestGenerated'

.PHONY: tidy
tidy:
	go mod tidy -diff

.PHONY: bench
bench: ## benchmarks; budgets stand beside them
	go test -run '^$$' -bench . -benchmem ./...

.PHONY: hooks
hooks: ## check each commit before it is made
	git config core.hooksPath .githooks

.PHONY: npm
npm:
	@command -v npm >/dev/null || { \
	  if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then apt-get update -q && apt-get install -qy npm; \
	  else echo "npm is missing: install Node.js 20.19 or later (22 for the protocol suite, unless on Linux, where it brings its own)" >&2; exit 1; fi; }

# Pinned tools, built once.
$(GOLANGCI_LINT):
	GOBIN=$(CURDIR)/$(BIN) go install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0
$(GOTESTSUM):
	GOBIN=$(CURDIR)/$(BIN) go install gotest.tools/gotestsum@v1.13.0

.PHONY: build-app
build-app: npm ## rebuild the Kite app (ui/app.html and ui/preview.html)
	npm --prefix ui ci
	npm --prefix ui run build

.PHONY: test-app
test-app: npm ## tests of the Kite app; needs Chromium
	.ci/ui.sh
