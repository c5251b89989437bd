#!/usr/bin/env bash
# Builds the Kite app from its lock file, compares it with what is committed, and
# runs its unit and browser tests. Usage: .ci/ui.sh   (from anywhere; needs npm,
# and the Node.js that ui/package.json asks for)
set -uo pipefail
cd "$(dirname "$0")/../ui" || exit 1

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

if [ -z "${CHROMIUM_PATH:-}" ] && ! command -v chromium chromium-browser google-chrome >/dev/null; then
  if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    apt-get update -q && apt-get install -qy chromium || exit 1
  else
    echo "Chromium is missing: install it, or set CHROMIUM_PATH (the browser tests need it)" >&2
    exit 1
  fi
fi

failed=0
node -e 'const [major, minor] = process.versions.node.split(".").map(Number); process.exit(major > 20 || (major === 20 && minor >= 19) ? 0 : 1)' || {
  echo "Node.js $(node --version) is too old: ui/ needs 20.19 or later" >&2
  exit 1
}
npm ci --no-audit --no-fund --loglevel=error || exit 1
cp app.html preview.html "$work"
npm run --silent build || failed=$((failed + 1))
for page in app.html preview.html; do
  if ! cmp -s "$page" "$work/$page"; then
    echo "FAIL  ui/$page is not what its sources build; run make build-app and commit it" >&2
    failed=$((failed + 1))
  fi
done

# suite NAME: runs one npm script of tests and counts its record.
passed=0 skipped=0
suite() {
  local p f s ended=0
  npm run --silent "$1" -- --reporter=default --reporter=json --outputFile.json="$work/$1.json" || ended=1
  read -r p f s < <(node -p 'const r = JSON.parse(require("fs").readFileSync(process.argv[1])); [r.numPassedTests, r.numFailedTests, r.numPendingTests].join(" ")' "$work/$1.json") || { failed=$((failed + 1)); return; }
  [ "$ended" = 0 ] || [ "$f" != 0 ] || f=1 # it broke outside of a test
  passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
}
suite test
suite test:browser
echo "ui: $passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ]
