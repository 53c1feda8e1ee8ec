# make help lists the targets. Everything a target needs is made first; what did not change is not made again.
SHELL := /bin/bash
.SHELLFLAGS := -O extglob -euo pipefail -c
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory
export CGO_ENABLED := 0
# No debugger opens what is made here: without tables for it all compiles a fifth faster. What a shell gives to go is kept.
LEAN := -gcflags=all=-dwarf=false
export GOFLAGS := $(LEAN) $(filter-out $(LEAN),$(shell go env GOFLAGS))
export ARTIFACTS ?= $(CURDIR)/artifacts
export PATH := $(CURDIR)/bin:$(PATH)

CACHE := $(or $(STACKWRIGHT_CACHE),$(or $(XDG_CACHE_HOME),$(HOME)/.cache)/stackwright)
# $(call compile,MODULE FOLDER,PACKAGES) puts programs into bin/ under the names of their packages, and tells how it goes.
compile = echo 'building $(1): $(2)'; go build -C $(1) -v -ldflags='-s -w $(3)' -o $(CURDIR)/bin/ $(2) 2>&1 | $(progress); echo "built $(1) in $$SECONDS s"
progress = { n=0; while IFS= read -r l; do case $$l in *[\ :]*) echo "$$l";; *) ((++n % 100)) || echo "compiled $$n packages";; esac; done; }
# Kubernetes does not know its version unless the linker tells it.
K8S = $(shell awk '$$1 == "k8s.io/kubernetes" {print $$2; exit}' devcluster/go.mod)
K8S_FLAGS = $(foreach v,gitVersion=$(K8S) gitMajor=1 gitMinor=$(word 2,$(subst ., ,$(K8S))),$(foreach p,component-base client-go/pkg,-X k8s.io/$(p)/version.$(v)))
# Cached by go test on a desk; in CI every test runs, in random order. Lint vets, with all dependencies: once is enough.
TEST := GOGC=400 go test -vet=off -timeout=15m $(if $(CI),-count=1 -shuffle=on)
passed = [ -z "$${no:-}" ] # ends a loop over modules: fails when something in it did
sources = $(shell find $(1) -type f -not -name '*_test.go' -not -path '*/testdata/*' -not -name '*.md' 2>/dev/null)
tagged = $(shell grep -rlE --include='*_test.go' '^//go:build $(1)\b' $(2) 2>/dev/null | xargs -r -n1 dirname | sort -u | sed 's,^,./,')

PROGRAMS := bin/stackwright bin/stackwright-operator bin/stackwright-agent bin/stackwright-register
RUNTIME := bin/containerd bin/containerd-shim-runc-v2
CLUSTER := bin/devcluster bin/pause bin/coredns $(RUNTIME)

.PHONY: up down clean build generate lint generated figures help compiler test test-unit test-race test-api test-crash test-e2e bench-kit bench-resources bench-deploy

##@ Use
up: build ## Bring this machine from nothing to a running OpenStack; ARGS are given to stackwright up
	bin/stackwright up $(ARGS)

down: ## Take everything away that up made, except caches
	if [ -e bin/stackwright ] || [ -d /var/lib/devcluster ]; then for p in bin/{stackwright,devcluster}; do [ -x $$p ] || $(MAKE) $$p; done; bin/stackwright down; fi

clean: down ## Also remove binaries, artifacts and all caches but Go's own
	rm -rf bin artifacts "$(CACHE)"

##@ Build
build: $(PROGRAMS) $(CLUSTER) ## Build all programs into bin/

$(PROGRAMS) &: $(call sources,api kit internal cmd images releases charts) go.mod go.sum
	@$(call compile,.,./cmd/...)
	touch $(PROGRAMS) && ln -sf stackwright bin/kubectl-stackwright

bin/devcluster bin/pause &: $(call sources,devcluster/internal devcluster/pause) devcluster/main.go devcluster/go.mod devcluster/go.sum
	@echo "Kubernetes becomes one binary; the first time takes minutes"
	@$(call compile,devcluster,. ./pause,$(K8S_FLAGS)); touch bin/devcluster bin/pause

bin/coredns: $(call sources,devcluster/coredns)
	@$(call compile,devcluster/coredns,.); touch $@

$(RUNTIME) &: devcluster/containerd/go.mod devcluster/containerd/go.sum
	@$(call compile,devcluster/containerd,$(addprefix github.com/containerd/containerd/v2/cmd/,$(notdir $(RUNTIME))))
	touch $(RUNTIME)

TOOLS := bin/golangci-lint bin/controller-gen bin/crd-ref-docs
$(TOOLS) &: tools/go.mod tools/go.sum
	@$(call compile,tools,tool); touch $(TOOLS)

generate: $(TOOLS) ## Make deep copies, CRDs and reference pages from the types in api/
	go -C tools run ./generate ..

##@ Test
test: lint generated test-unit test-race test-api test-e2e ## All checks and tests but stories of many minutes; CI=true as CI does

# What links all of Kubernetes is checked by what needs no facts about its 2,000 packages: these take minutes.
lint: $(TOOLS) ## Check shape and style of the code, in every module
	for m in '. ./...' 'kit ./...' 'tools ./...' 'devcluster ./pause ./e2e/... ./internal/!(kubernetes)' \
	  devcluster{' ./internal/kubernetes',/coredns}' --enable-only=errcheck,errorlint,funlen,gocognit,lll,nestif,revive,unconvert,whitespace .'; do \
	  (cd $${m%% *} && GOLANGCI_LINT_CACHE='$(CACHE)/lint' golangci-lint run --config $(CURDIR)/.golangci.yml $(if $(FIX),--fix) $${m#* }) || no=1; done; $(passed)

generated: $(TOOLS) ## Fail when a generated file is not what the types say
	go -C tools run ./generate -check ..

test-unit: ## Pure and golden tests
	for m in . kit devcluster tools; do (cd $$m && $(TEST) ./...) || no=1; done; $(passed)

# Code that starts goroutines, and the operator's tests, in which the definitions of all services run.
RACY := agent/... cli/... image/... infra/galera infra/rabbitmq openstack operator pki resources/mirror
test-race: | compiler ## Unit tests of concurrent code with the race detector; of crash plays a part
	CGO_ENABLED=1 $(TEST) -race -short $(addprefix ./internal/,$(RACY))
	cd kit && CGO_ENABLED=1 $(TEST) -race -short ./...

SERVER := $(TEST) -p=4 -tags=apiserver -run='^TestServer'
test-api: bin/devcluster ## Tests named TestServer..., against a real API server, for which they mostly wait
	$(SERVER) -short $(call tagged,apiserver,api charts internal cmd)
	cd kit && $(SERVER) -short $(subst ./kit/,./,$(call tagged,apiserver,kit))

test-crash: bin/devcluster ## Kill the operator of each service and kind at each of its requests; test-api and test-unit a part
	$(SERVER)'(Promises|Crash)$$' $(call tagged,apiserver,internal/services internal/fleet internal/infra)
	$(TEST) -timeout=60m -run='Crash$$|^Test(Trouble|Hardship)$$' ./internal/resources -args -whole

# All stories but those of many minutes; RUN=. plays these too, RUN=Galera only those of that name.
PLAY := $(if $(RUN),-run='$(RUN)',-short)
test-e2e: build ## User stories on a real cluster with a real OpenStack; RUN selects tests by name
	VERBOSE='$(VERBOSE)$(RUN)' test/e2e/play $(PLAY)

bench-kit: ## Figures of the kit's promises
	cd kit && go test -vet=off -tags=bench -count=1 -v -timeout=40m -p=1 -run='^Test(RunAtRest|Graph30|LevelsAreSentAtOnce|Drift|LateReference|Awaited|JobRestarts|Stuck|Scale.*)$$' ./reconcile ./why | grep -E '_test.go:[0-9]+: |^---|^(panic:|fatal error:|FAIL)'

bench-resources: build ## Figures of OpenStack resources as objects: requests, memory, latencies
	go test -vet=off -tags=bench -count=1 -v -timeout=40m ./test/bench | grep -E '^[a-z_]+ [0-9]|_test.go|^---|^(panic:|fatal error:|FAIL)'

bench-deploy: build ## Figures of a cloud coming up, and of a serial script that does the same without Kubernetes
	@$(call compile,.,./test/bench/contender)
	mkdir -p '$(ARTIFACTS)'; go test -vet=off -tags=bench -count=1 -v -timeout=60m ./test/bench/deploy 2>&1 | tee '$(ARTIFACTS)/deploy.log' | grep -E '^[a-z_]+ [0-9]|[.]go:[0-9]|^---|^(panic:|fatal error:|#|FAIL)'

figures: ## Count what can be counted without a cluster, one `name value unit` a line
	@go -C tools run ./figures ..

compiler: # The race detector is the only thing here that needs cgo.
	@command -v gcc >/dev/null || { echo "installing gcc for the race detector"; \
	  apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends gcc libc6-dev; }

help: ## Show this list
	@awk 'BEGIN {FS = ":.*## "} /^##@/ {print "\n" substr($$0, 5)} /^[a-z0-9-]+:.*## / {printf "  %-12s %s\n", $$1, $$2}' Makefile
