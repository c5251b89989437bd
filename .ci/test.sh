#!/usr/bin/env bash
# Runs every suite and ends with one line each. Usage: .ci/test.sh
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0

# go_suite NAME CGO FLAGS...: counts from the machine-readable record of the run.
go_suite() {
  local name=$1 cgo=$2 record="$work/$1.json"
  shift 2
  echo "== $name: go test $*"
  CGO_ENABLED=$cgo .bin/gotestsum --format pkgname --jsonfile "$record" -- "$@" || status=1
  count() { grep -c "\"Action\":\"$1\".*\"Test\":" "$record"; }
  echo "$name: $(count pass) passed, $(count fail) failed, $(count skip) skipped" >>"$work/summary"
}

go_suite go 1 -tags=testing -race -shuffle=on -timeout=20m ./...
go_suite portable 0 -tags=testing -timeout=20m ./...

# script_suite NAME: a suite of programs of others, which counts for itself.
script_suite() {
  echo "== $1"
  ".ci/$1.sh" | tee "$work/$1" || status=1
  grep "^$1: " "$work/$1" >>"$work/summary" || { status=1; echo "$1: 0 passed, 1 failed, 0 skipped" >>"$work/summary"; }
}

script_suite protocol
script_suite ui

echo
cat "$work/summary"
exit $status
