import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Clock, systemClock } from "@palimpsest/std";
import { beforeEach, expect, it } from "vitest";
import { testFolder } from "../../../../../test/support/temporary-folder.js";
import { AuditLog, type AuditOptions, auditPathsOf } from "./audit-log.js";
import type { CallRecord } from "./authorization.js";

const refusal: CallRecord = {
  method: "/palimpsest.v1.Head/Shutdown",
  peer: "10.0.0.9:1234",
  caller: undefined,
  outcome: "UNAUTHENTICATED",
  refused: true,
};
const administrative: CallRecord = {
  method: "/palimpsest.v1.Jobs/Submit",
  peer: "10.0.0.8:4321",
  caller: { tokenRole: "driver", tokenId: "0123abcd", superseded: false, certificate: undefined },
  outcome: "OK",
  refused: false,
};

let folder: string;
beforeEach(() => {
  folder = testFolder();
});

/** Creates a log whose clock the test advances. */
function setUp(options: Partial<AuditOptions> = {}) {
  let nowMs = 0;
  const clock: Clock = { ...systemClock, monotonicMs: () => nowMs };
  const paths = auditPathsOf(folder);
  const onError = (reason: unknown) => {
    throw reason;
  };
  const log = new AuditLog(paths, { clock, onError, ...options });
  const pass = (ms: number) => {
    nowMs += ms;
  };
  return { log, paths, pass };
}

const linesOf = (path: string): Record<string, unknown>[] =>
  readFileSync(path, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));

it("AUDIT-1: writes one JSON line for each call, and two files of at most the bound", () => {
  const { log, paths } = setUp({ maxBytes: 1_000 });
  for (let i = 0; i < 50; i++) log.record(refusal);
  expect(linesOf(paths.refusals)).toContainEqual(
    expect.objectContaining({ method: refusal.method, peer: refusal.peer, outcome: "UNAUTHENTICATED" }),
  );
  for (const name of [paths.refusals, `${paths.refusals}.1`]) {
    expect(statSync(name).size).toBeLessThanOrEqual(1_000);
    expect(statSync(name).mode & 0o777).toBe(0o600);
  }
});

it("AUDIT-3: a flood of refusals takes neither the budget nor the room of administrative calls", () => {
  const { log, paths, pass } = setUp({ maxBytes: 20_000 });
  for (let second = 0; second < 20; second++) {
    for (let i = 0; i < 1_000; i++) log.record(refusal);
    log.record(administrative);
    pass(1_000);
  }
  log.record(refusal);
  const calls = linesOf(paths.calls);
  expect(calls).toHaveLength(20);
  expect(
    calls.every(
      ({ method, outcome, tokenId }) => method === administrative.method && outcome === "OK" && tokenId,
    ),
  ).toBe(true);
  // The flood has rotated its own files many times, and the log says how many lines were left out.
  expect(existsSync(`${paths.refusals}.1`)).toBe(true);
  expect(linesOf(paths.refusals).filter(({ leftOut }) => leftOut === 800).length).toBeGreaterThan(0);
});

it("AUDIT-4: a line is in its file when record returns, also after the file was renamed, removed or closed", () => {
  const { log, paths, pass } = setUp();
  log.record(administrative);
  expect(linesOf(paths.calls)).toHaveLength(1);
  renameSync(paths.calls, `${paths.calls}.kept`);
  pass(1_000);
  log.record(administrative);
  rmSync(paths.calls);
  pass(1_000);
  log.record(administrative);
  log.close();
  log.record(administrative);
  expect(linesOf(`${paths.calls}.kept`)).toHaveLength(1);
  expect(linesOf(paths.calls)).toHaveLength(2);
  log.close();
});

it("a line that cannot be written goes to the process's own log", () => {
  const lost: object[] = [];
  const { log } = setUp({ onError: (_reason, fields) => lost.push(fields) });
  rmSync(folder, { recursive: true });
  log.record(administrative);
  expect(lost).toMatchObject([{ method: administrative.method, outcome: "OK" }]);
  folder = mkdtempSync(join(tmpdir(), "audit-"));
});
