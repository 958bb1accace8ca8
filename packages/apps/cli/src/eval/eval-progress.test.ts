import type { SuiteProgress } from "@palimpsest/evals";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { evalProgress } from "./eval-progress.js";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const at = (done: number, overrides: Partial<SuiteProgress> = {}): SuiteProgress => ({
  system: "memagent",
  systemsDone: 0,
  systemsTotal: 2,
  done,
  total: 20,
  failed: 0,
  resumed: 0,
  score: 0.25,
  ...overrides,
});

function aLog() {
  const lines: string[] = [];
  const stream = { isTTY: false, write: (text: string) => lines.push(text.trimEnd()) > 0 };
  return { lines, progress: evalProgress(stream, 2) };
}

it("says in a log who begins, and every tenth of the questions", () => {
  const { lines, progress } = aLog();
  for (let done = 0; done <= 4; done++) progress.show(at(done));
  progress.show(at(20));
  progress.show(at(0, { system: "rag-bm25" }));
  progress.close();
  expect(lines.map((line) => line.replace(/ \(.*/, ""))).toEqual([
    "[1/2] memagent: 0/20",
    "[1/2] memagent: 2/20, score 25.0",
    "[1/2] memagent: 4/20, score 25.0",
    "[1/2] memagent: 20/20, score 25.0",
    "[2/2] rag-bm25: 0/20",
  ]);
});

it("speaks up where half a minute passed in silence, until it is closed", () => {
  const { lines, progress } = aLog();
  progress.show(at(0));
  vi.advanceTimersByTime(29_000);
  progress.show(at(1, { failed: 1 }));
  expect(lines).toHaveLength(1);
  vi.advanceTimersByTime(2000);
  expect(lines.at(-1)).toBe("[1/2] memagent: 1/20, score 25.0 (1 failed, 30 s)");
  vi.advanceTimersByTime(30_000);
  expect(lines).toHaveLength(3);
  progress.close();
  vi.advanceTimersByTime(90_000);
  expect(lines).toHaveLength(3);
});
