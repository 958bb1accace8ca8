/**
 * Tests how setup downloads a wheel, with a python3 that is simulated by a script, and how it reads the result of the
 * trial.
 */
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";

const scripts = new URL("../scripts/setup/", import.meta.url);
const { fetchWheel } = (await import(new URL("wheel.mjs", scripts).href)) as {
  fetchWheel: (
    requirement: string,
    folder: string,
    options: { python: string; args: readonly string[]; sizeMb: number; say: (what: string) => void },
  ) => Promise<string>;
};
const { withLock } = (await import(new URL("lock.mjs", scripts).href)) as {
  withLock: <T>(path: string, waiting: () => void, work: () => Promise<T>) => Promise<T>;
};

const { smokeFindings } = (await import(new URL("tensorflow.mjs", scripts).href)) as {
  smokeFindings: (log: string) => { version: string; gpu: boolean };
};

let folder: string;
let python: string;
let said: string[];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "palimpsest-setup-wheel-"));
  python = join(folder, "python3");
  said = [];
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Writes a pip that records its arguments and then runs `rest`. */
function pretend(version: string, rest: string): void {
  const lines = ["#!/bin/sh", `case "$*" in *--version*) echo "pip ${version} from here"; exit 0;; esac`];
  writeFileSync(python, [...lines, `echo "$*" >> ${join(folder, "calls")}`, rest, ""].join("\n"));
  chmodSync(python, 0o755);
}
const calls = () => readFileSync(join(folder, "calls"), "utf8").trim().split("\n");
const wheels = () => join(folder, "wheels");
const fetchOne = () =>
  fetchWheel("tensorflow-cpu==2.21.0", wheels(), {
    python,
    args: ["--platform", "any"],
    sizeMb: 1,
    say: (what) => said.push(what),
  });

it("a wheel arrives through pip, and is not fetched again by whoever was stopped after it", async () => {
  pretend("25.2", `test -d "$TMPDIR" && touch ${wheels()}/tensorflow_cpu-2.21.0.whl`);
  expect(await fetchOne()).toBe(join(wheels(), "tensorflow_cpu-2.21.0.whl"));
  expect(await fetchOne()).toBe(join(wheels(), "tensorflow_cpu-2.21.0.whl"));
  expect(calls()).toHaveLength(1);
  expect(calls()[0]).toContain("--platform any");
  expect(calls()[0]).toContain("--resume-retries 10");
  expect(said).toEqual(["continuing with tensorflow_cpu-2.21.0.whl, which is already downloaded"]);
  expect(existsSync(join(wheels(), "arriving"))).toBe(false);
});

it("an older pip is not told to resume, and what it left of a download that was stopped is removed", async () => {
  mkdirSync(join(wheels(), "arriving"), { recursive: true });
  writeFileSync(join(wheels(), "arriving/half"), "half");
  pretend("25.0.1", `test -e "$TMPDIR/half" && exit 3; touch ${wheels()}/tensorflow_cpu-2.21.0.whl`);
  await fetchOne();
  expect(calls()[0]).not.toContain("--resume-retries");
});

it("what pip says of a failure is what the caller gets", async () => {
  pretend("25.2", 'echo "no such index" >&2; exit 7');
  await expect(fetchOne()).rejects.toMatchObject({
    message: expect.stringContaining("ended with 7"),
    log: "no such index\n",
  });
});

it("two at a time wait for each other, and the lock of a process that has ended is taken over", async () => {
  const lock = join(folder, "a/tensorflow.lock");
  const order: string[] = [];
  let finish = () => {};
  const first = withLock(
    lock,
    () => {},
    async () => {
      order.push("first");
      await new Promise<void>((resolve) => {
        finish = resolve;
      });
    },
  );
  const second = withLock(
    lock,
    () => {
      order.push("second waits");
      finish();
    },
    async () => order.push("second"),
  );
  await Promise.all([first, second]);
  expect(order).toEqual(["first", "second waits", "second"]);
  // No process has this id.
  writeFileSync(lock, "4194305");
  await withLock(
    lock,
    () => order.push("third waits"),
    async () => order.push("third"),
  );
  expect(order.at(-1)).toBe("third");
  expect(existsSync(lock)).toBe(false);
});

it("the trial's findings are read among what Node.js and libtensorflow say before and after them", () => {
  const log =
    'WARNING: oneDNN is on\n{"version":"2.21.0","gpu":false}(node:7) [DEP0169] DeprecationWarning: …\n{ "more" }';
  expect(smokeFindings(log)).toEqual({ version: "2.21.0", gpu: false });
  expect(() => smokeFindings("Segmentation fault")).toThrow("Segmentation fault");
});
