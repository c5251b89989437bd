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

go_suite go 1 -tags=testing -race -shuffle=on ./...
go_suite portable 0 -tags=testing ./...

echo "== protocol"
.ci/protocol.sh | tee "$work/protocol" || status=1
grep '^protocol: ' "$work/protocol" >>"$work/summary" || { status=1; echo "protocol: 0 passed, 1 failed, 0 skipped" >>"$work/summary"; }

echo
cat "$work/summary"
exit $status
