// docs/app-checklist.md says which test shows which behaviour. It is made from
// the titles of the tests: UPDATE_CHECKLIST=1 npx vitest run test/unit/checklist.test.ts
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

/** How many behaviours each group has. */
const groups: Readonly<Record<string, number>> = { B: 17, H: 11, P: 6, I: 7, C: 8, S: 7, O: 9, D: 3, G: 2, F: 2, L: 5, Q: 7, X: 8, N: 3, A: 6, R: 6 };
const ids = Object.entries(groups).flatMap(([letter, n]) => Array.from({ length: n }, (_, i) => `${letter}-${String(i + 1)}`));

const page = join(process.cwd(), "../docs/app-checklist.md");

interface Titled {
  readonly id: string;
  readonly title: string;
  readonly file: string;
}

/** Titles begin with the behaviours they show: "B-1, B-2 …". */
function titles(): Titled[] {
  const files = ["unit", "browser"].flatMap((folder) => readdirSync(join(process.cwd(), "test", folder)).map((name) => `${folder}/${name}`));
  return files
    .filter((file) => /\.test\.tsx?$/.test(file) && file !== "unit/checklist.test.ts")
    .sort()
    .flatMap((file) => {
      const text = readFileSync(join(process.cwd(), "test", file), "utf8");
      const found = [...text.matchAll(/(?:\b(?:it\w*|describe)(?:\.\w+\([^\n]*?\)|\.\w+)?\(|^\s*\]\)\()\s*"((?:[A-Z]-\d+(?:, )?)+)((?:[^"\\\n]|\\.)*)"/gm)];
      return found.flatMap(([, named = "", rest = ""]) => (named.match(/[A-Z]-\d+/g) ?? []).map((id) => ({ id, title: named + rest, file })));
    });
}

const cell = (text: string) => text.replaceAll("|", "\\|");

function expected(all: readonly Titled[]): string {
  const rows = ids.flatMap((id) => all.filter((t) => t.id === id).map((t) => `| ${id} | ${cell(t.title)} | ${t.file} |`));
  return [
    "# Behaviours of the app and their tests",
    "",
    "Made from the titles of the tests in `ui/test`; a test fails when a behaviour has none or this page is not up to date.",
    "Groups: B shell and bridge, H holdings, P positions, I inspector, C chart, S search, O option chain, D orders, G triggers, F funds, L opening from chat and launcher, Q pacing, X security, N narrow screens, A access, R hosts that pass no calls on.",
    "Browser tests drive the committed `ui/app.html` in Chromium; group V is tested in Go.",
    "",
    "| Behaviour | Test | File |",
    "|---|---|---|",
    ...rows,
    "",
  ].join("\n");
}

it("every behaviour has a test, and the page names the tests there are", () => {
  const all = titles();
  expect(ids.filter((id) => !all.some((t) => t.id === id))).toEqual([]);
  const made = expected(all);
  if (process.env["UPDATE_CHECKLIST"]) writeFileSync(page, made);
  expect(readFileSync(page, "utf8")).toBe(made);
});
