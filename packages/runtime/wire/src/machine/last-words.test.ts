import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { lastError, lastWords } from "./last-words.js";

/** Returns the last 50 lines that a program leaves on its standard error, as a death certificate has them. */
function linesOf(program: string): readonly string[] {
  const { stderr } = spawnSync(process.execPath, ["--input-type=module", "--eval", program], {
    encoding: "utf8",
  });
  return stderr.trimEnd().split("\n").slice(-50);
}

const printed = `
  class PalimpsestError extends Error { name = "PalimpsestError"; }
  const failed = Object.assign(new PalimpsestError("[ACTOR_DIED] Ledger died: exit code 1"), {
    code: "ACTOR_DIED", retryable: false, details: { actorId: "actor-1", reason: "it was killed" }, cause: new RangeError("x"),
  });`;

test.each([
  [
    "a timer throws",
    `setTimeout(() => { throw new TypeError("late failure in a timer"); })`,
    "TypeError: late failure in a timer",
  ],
  [
    "a rejection that nobody handles",
    `console.error("starting"); Promise.reject(new Error("nobody caught me"));`,
    "Error: nobody caught me",
  ],
  ["a rejection with a text", `Promise.reject("only a text");`, /^UnhandledPromiseRejection: .*only a text/],
  [
    "an error of Node.js, with a code",
    `import("node:fs").then(({ readFileSync }) => readFileSync("/nope/x"));`,
    "Error: ENOENT: no such file or directory, open '/nope/x'",
  ],
  [
    "an error of a class of any name",
    `class Quota extends Error { name = "QuotaUsedUp"; } throw new Quota("all of it");`,
    /Quota(UsedUp)?: all of it/,
  ],
  ["a message of several lines", `throw new Error("first line\\nsecond line\\n}");`, "Error: first line"],
  ["a cause", `throw new Error("outer", { cause: new TypeError("inner") });`, "Error: outer"],
  [
    "a printed error, with fields, as the last output",
    `${printed} console.error(failed); process.exitCode = 1;`,
    "PalimpsestError: [ACTOR_DIED] Ledger died: exit code 1",
  ],
  [
    "a printed error without frames",
    `${printed} failed.stack = failed.name + ": " + failed.message; console.error(failed); process.exitCode = 1;`,
    "PalimpsestError: [ACTOR_DIED] Ledger died: exit code 1",
  ],
  [
    "an error that is thrown after another was printed",
    `${printed} console.error(failed); throw new URIError("the last one");`,
    "URIError: the last one",
  ],
  ["a thrown number", `console.error("starting"); throw 5;`, "5"],
  ["words, and no error", `console.error("about to crash"); process.exit(3);`, "about to crash"],
  [
    "words after an indented list",
    `console.error("gives up:\\n  one\\n  two\\n}\\n"); process.exit(3);`,
    "gives up:",
  ],
  ["nothing", `process.exit(3);`, ""],
])("%s", (_, program, expected) => {
  const words = lastWords(linesOf(program));
  expect(words.replace(/ \(.*:\d+:\d+\)$/, "")).toEqual(
    typeof expected === "string" ? expected : expect.stringMatching(expected),
  );
  expect(words).not.toMatch(/\n|Node\.js v|^\}/);
});

test("an aborted process is explained by V8's words, not by its native frames", () => {
  const lines = [
    "<--- Last few GCs --->",
    "[1:0x1]      100 ms: Mark-Compact 30.5 (34.2) -> 30.4 (34.2) MB",
    "<--- JS stacktrace --->",
    "",
    "FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory",
    " 1: 0xca9d60 node::Abort() [/usr/bin/node]",
    "16: 0x195e476  [/usr/bin/node]",
  ];
  expect(lastWords(lines)).toBe(lines[4]);
});

test("the place is the first frame of user code, also of a cause", () => {
  const lines = [
    "/node/bundles/a.mjs:25",
    "TypeError: late",
    "    at JSON.parse (<anonymous>)",
    "    at run (node:internal/timers:581:17)",
    "    at Worker.run (palimpsest:worker/dist/calls/invocation.js:1:2)",
    "    at Timeout._onTimeout (app:src/ledger.ts:13:13)",
    "    at later (app:src/main.ts:1:1)",
    "",
    "Node.js v20.20.2",
  ];
  expect(lastError(lines)).toEqual({ header: "TypeError: late", place: "app:src/ledger.ts:13:13" });
  const caused = [
    "PalimpsestError: [TASK_ERROR] it threw",
    "  [cause]: RangeError: x",
    "      at f (/app/(group)/x.ts:2:9)",
    "}",
  ];
  expect(lastError(caused)?.place).toBe("/app/(group)/x.ts:2:9");
  expect(lastError(["Error: x", "    at async file:///a/b.mjs:3:4"])?.place).toBe("file:///a/b.mjs:3:4");
});
