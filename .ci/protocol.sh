#!/usr/bin/env bash
# Checks the built server with programs that others wrote: the MCP Inspector and
# the official conformance suite, over stdio and HTTP, on demo data.
# Usage: .ci/protocol.sh   (from anywhere; needs Go and npm)
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1

tools=.ci/protocol
if ! [ -d "$tools/node_modules" ] || [ "$tools/package-lock.json" -nt "$tools/node_modules" ]; then
  # Not "npm ci": it refuses the lock over an optional Windows package that npm leaves out.
  npm --prefix "$tools" install --no-save --ignore-scripts --no-audit --no-fund --loglevel=error || exit 1
  touch "$tools/node_modules"
fi
# The suite needs Node.js 22, which comes with it on Linux.
PATH="$PWD/$tools/node_modules/.bin:$PATH"
for bin in "$PWD/$tools"/node_modules/node-linux-*/bin; do PATH="$bin:$PATH"; done

work=$(mktemp -d)
servers=()
cleanup() { [ ${#servers[@]} -eq 0 ] || kill "${servers[@]}" 2>/dev/null; wait; rm -rf "$work"; }
trap cleanup EXIT

go build -o "$work/kite-mcp" . || exit 1
go build -tags=conformance -o "$work/kite-mcp-conformance" . || exit 1
export KITE_DEMO_NOW=2026-12-02T11:15:00+05:30

# start PROGRAM: serves HTTP on a free port and sets url.
start() {
  mkfifo "$1.stderr"
  "$1" serve --demo --http localhost:0 2>"$1.stderr" &
  servers+=($!)
  exec {errors}<"$1.stderr"
  url=
  while [ -z "$url" ] && read -r line <&"$errors"; do
    url=$(grep -o 'http://[^ ]*/mcp' <<<"$line")
  done
  [ -n "$url" ] || { echo "$1 did not start" >&2; exit 1; }
  cat <&"$errors" >"$1.log" & # keep reading, or a full pipe would stop the server
}
start "$work/kite-mcp"

passed=0 failed=0
# check NAME COMMAND...: counts one check, shows the output of a failed one.
check() {
  local name=$1
  shift
  if "$@" >"$work/out" 2>&1; then
    passed=$((passed + 1))
    echo "ok    $name"
  else
    failed=$((failed + 1))
    echo "FAIL  $name"
    tail -n 40 "$work/out"
  fi
}

inspect() { mcp-inspector --cli "$@"; }
# refused COMMAND...: the Inspector declares Skills, so it must not find the tool.
refused() { ! "$@" 2>"$work/refusal" && grep -q tool_not_found "$work/refusal"; }
for target in stdio http; do
  if [ "$target" = http ]; then at=("$url"); else at=("$work/kite-mcp" serve --demo); fi
  if [ "$target" = http ]; then from=(--server "$url"); else from=(--stdio "$work/kite-mcp serve --demo"); fi
  check "ordinary client $target tools/call help" node "$tools/call-help.mjs" "${at[@]}"
  for era in legacy modern; do
    on=("${at[@]}" --protocol-era "$era")
    check "inspector $target $era tools/list" inspect "${on[@]}" --method tools/list --strict
    check "inspector $target $era is not offered help" refused inspect "${on[@]}" --method tools/call --tool-name help --tool-arg key=/orders
    check "inspector $target $era tools/call portfolio" inspect "${on[@]}" --method tools/call --tool-name portfolio --tool-arg mode=holdings
    check "inspector $target $era resources/list" inspect "${on[@]}" --method resources/list
    check "inspector $target $era resources/read" inspect "${on[@]}" --method resources/read --uri skill://orders/reconcile.md
    check "inspector $target $era skills/list --verify" inspect "${on[@]}" --method skills/list --verify --require-digests
    check "kite-mcp skills verify $target $era" "$work/kite-mcp" skills verify "${from[@]}" --era "$era" --require-digests
  done
done

check "kite-mcp and inspector on mutated servers" go test -tags=inspector ./internal/host -run TestInspectorAgrees -inspector "$(command -v mcp-inspector)"

# conform VERSION SCENARIO [--force]: extension scenarios are not on the timeline
# of the specification and must be forced. A skipped scenario counts as failed.
conform() {
  conformance server --url "$url" --spec-version "$1" --scenario "$2" "${@:3}" >"$work/conform" 2>&1
  local status=$?
  cat "$work/conform"
  [ $status -eq 0 ] && grep -q '^Passed: .* 0 failed' "$work/conform"
}
for version in 2026-07-28 2025-11-25; do
  for scenario in sep-2640-skills-enumeration sep-2640-skills-manifest; do
    check "conformance $version $scenario" conform "$version" "$scenario" --force
  done
done
for scenario in caching sep-2164-resource-not-found http-header-validation; do
  check "conformance 2026-07-28 $scenario" conform 2026-07-28 "$scenario"
done
for scenario in server-initialize ping tools-list resources-list dns-rebinding-protection; do
  check "conformance 2025-11-25 $scenario" conform 2025-11-25 "$scenario"
done

# What each revision requires, in full: failures must be those of the baseline,
# which names a reason for each, and a baseline entry that passes is a failure.
start "$work/kite-mcp-conformance"
for version in 2026-07-28 2025-11-25; do
  check "conformance requirements of $version" \
    conformance server --url "$url" --requirements "$version" --expected-failures "$tools/baseline-$version.yml"
done

echo "protocol: $passed passed, $failed failed, 0 skipped"
[ "$failed" -eq 0 ]
