import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { testFolder } from "../../../../../test/support/temporary-folder.js";
import type { EvalItem } from "./item.js";
import { PredictionCache } from "./prediction-cache.js";
import { qaScorer } from "./qa-scorer.js";
import { runSuite, type SuiteOptions, type SuiteProgress } from "./runner.js";
import type { AnswerOptions } from "./system.js";
import { anItem, aSystem } from "./testing.js";

const items = Array.from({ length: 6 }, (_, i) => anItem(i));
const right = aSystem((item) => item.answers[0] ?? "");
const base = (overrides: Partial<SuiteOptions> = {}): SuiteOptions => ({
  suite: "test",
  items,
  systems: [right],
  scorer: qaScorer({ form: "reply" }),
  ...overrides,
});
const transient = (message: string) => Object.assign(new Error(message), { retryable: true });

let folder: string;
beforeEach(() => {
  folder = testFolder();
});

describe("runSuite", () => {
  it("scores every item of every system, in the order of the items", async () => {
    const slow = aSystem(
      async (item) => {
        // Later items end first.
        for (let i = 0; i < 40 - 6 * Number(item.id.slice(1)); i++) await Promise.resolve();
        return item.id === "q2" ? "something else" : (item.answers[0] ?? "");
      },
      { name: "slow" },
    );
    const run = await runSuite(base({ systems: [right, slow] }));
    expect(run.systems.map(({ system }) => system)).toEqual(["scripted", "slow"]);
    expect(run.systems[1]?.outcomes.map(({ itemId }) => itemId)).toEqual(items.map(({ id }) => id));
    expect(run.systems[1]?.outcomes.map(({ scores }) => scores["exactMatch"])).toEqual([1, 1, 0, 1, 1, 1]);
  });

  it("counts failed and empty answers as wrong, and keeps the reason (SUITE-1)", async () => {
    const system = aSystem((item) => {
      if (item.id === "q1") throw new Error("the context is too long");
      return item.id === "q3" ? "  \n" : (item.answers[0] ?? "");
    });
    const [run] = (await runSuite(base({ systems: [system] }))).systems;
    expect(run?.outcomes.map(({ scores }) => scores["subExactMatch"])).toEqual([1, 0, 1, 0, 1, 1]);
    expect(run?.outcomes[1]?.failure).toBe("the context is too long");
    expect(run?.outcomes[3]?.failure).toBeUndefined();
  });

  it("is stopped by an abort, which is thrown and is no failure (SUITE-2)", async () => {
    const controller = new AbortController();
    const reason = new Error("enough");
    let calls = 0;
    const system = aSystem((item) => {
      calls += 1;
      if (item.id === "q1") controller.abort(reason);
      controller.signal.throwIfAborted();
      return "x";
    });
    const running = runSuite(base({ systems: [system], concurrency: 1, signal: controller.signal }));
    await expect(running).rejects.toBe(reason);
    expect(calls).toBe(2);
  });

  it("has at most `concurrency` items under way (SUITE-3)", async () => {
    let running = 0;
    let most = 0;
    const system = aSystem(async () => {
      running += 1;
      most = Math.max(most, running);
      await new Promise((resolve) => setImmediate(resolve));
      running -= 1;
      return "x";
    });
    await runSuite(base({ systems: [system], concurrency: 4 }));
    expect(most).toBe(4);
  });

  it("lets many items under way listen for the end without a warning of leaks", async () => {
    const warnings: string[] = [];
    const hear = (warning: Error) => warnings.push(warning.name);
    process.on("warning", hear);
    try {
      const system = {
        ...right,
        answer: (item: EvalItem, options: AnswerOptions) => {
          options.signal.addEventListener("abort", () => undefined);
          return right.answer(item, options);
        },
      };
      const many = Array.from({ length: 16 }, (_, i) => anItem(i));
      await runSuite(base({ items: many, systems: [system], signal: new AbortController().signal }));
      await new Promise((resolve) => setImmediate(resolve));
    } finally {
      process.off("warning", hear);
    }
    expect(warnings).not.toContain("MaxListenersExceededWarning");
  });

  it("tells of the beginning of each system and of every item", async () => {
    const told: SuiteProgress[] = [];
    await runSuite(base({ concurrency: 1, onProgress: (one) => told.push(one) }));
    expect(told.map(({ done, score }) => [done, score])).toEqual([
      [0, 0],
      ...items.map((_, i) => [i + 1, 1]),
    ]);
  });

  it("takes finished items from the cache and runs failed ones again (SUITE-4)", async () => {
    const path = join(folder, "predictions.jsonl");
    const asked: string[] = [];
    let broken = true;
    const system = aSystem((item) => {
      asked.push(item.id);
      if (broken && item.id === "q4") throw new Error("server gone");
      return item.answers[0] ?? "";
    });
    const runWithCache = async (overrides: Partial<SuiteOptions> = {}) => {
      const cache = await PredictionCache.open(path);
      try {
        return await runSuite(base({ systems: [system], cache, ...overrides }));
      } finally {
      }
    };
    const first = await runWithCache();
    expect(asked.length).toBe(6);
    expect(first.systems[0]?.outcomes.every(({ resumed }) => !resumed)).toBe(true);
    broken = false;
    asked.length = 0;
    const progress: SuiteProgress[] = [];
    const second = await runWithCache({ onProgress: (one) => progress.push(one) });
    expect(asked).toEqual(["q4"]);
    expect(progress.at(-1)).toMatchObject({ done: 6, total: 6, resumed: 5, failed: 0, score: 1 });
    expect(second.systems[0]?.outcomes.map(({ resumed }) => resumed)).toEqual(
      items.map(({ id }) => id !== "q4"),
    );
    asked.length = 0;
    // Another seed, other settings or another document is another question.
    await runWithCache({ seed: 1 });
    expect(asked.length).toBe(6);
    asked.length = 0;
    await runWithCache({ systems: [{ ...system, settings: { chunkTokens: 7 } }] });
    expect(asked.length).toBe(6);
    asked.length = 0;
    await runWithCache({
      items: items.map((item) => (item.id === "q0" ? { ...item, document: "new" } : item)),
    });
    expect(asked).toEqual(["q0"]);
  });

  it("scores kept answers again when the scorer is another one, without asking", async () => {
    const path = join(folder, "predictions.jsonl");
    let calls = 0;
    const system = aSystem((item) => {
      calls += 1;
      return `so \\boxed{${item.answers[0]}}`;
    });
    const scores: (number | undefined)[] = [];
    for (const form of ["reply", "boxed", "boxed"] as const) {
      const cache = await PredictionCache.open(path);
      const run = await runSuite(base({ systems: [system], cache, scorer: qaScorer({ form }) }));
      scores.push(run.systems[0]?.outcomes[0]?.scores["exactMatch"]);
    }
    expect(calls).toBe(6);
    expect(scores).toEqual([0, 1, 1]);
    const lines = (await readFile(path, "utf8")).trim().split("\n");
    expect(lines.length).toBe(12);
  });

  it("gives an item the same seed in any order and for any system (SUITE-5)", async () => {
    const seeds: Record<string, number[]> = {};
    const note = (name: string) =>
      aSystem(
        (item, seed) => {
          seeds[item.id] = [...(seeds[item.id] ?? []), seed];
          return "x";
        },
        { name },
      );
    await runSuite(base({ systems: [note("a"), note("b")], concurrency: 1, seed: 5 }));
    await runSuite(base({ systems: [note("a")], items: [...items].reverse(), seed: 5 }));
    expect(Object.values(seeds).every((own) => own.length === 3 && new Set(own).size === 1)).toBe(true);
    expect(new Set(Object.values(seeds).flat()).size).toBe(items.length);
  });

  it("tries transient failures again after doubling waits, and no others (SUITE-6)", async () => {
    const waits: number[] = [];
    const attempts: Record<string, number> = {};
    const system = aSystem((item) => {
      const attempt = (attempts[item.id] ?? 0) + 1;
      attempts[item.id] = attempt;
      if (item.id === "q0" && attempt < 3) throw transient("busy");
      if (item.id === "q1") throw transient("always busy");
      if (item.id === "q2") throw new Error("refused");
      return item.answers[0] ?? "";
    });
    const retry = {
      maxAttempts: 4,
      backoffMs: 100,
      maxBackoffMs: 250,
      wait: async (ms: number) => void waits.push(ms),
    };
    const run = await runSuite(base({ systems: [system], concurrency: 1, retry }));
    expect(attempts).toEqual({ q0: 3, q1: 4, q2: 1, q3: 1, q4: 1, q5: 1 });
    const [q0, q1, q2] = run.systems[0]?.outcomes ?? [];
    expect([q0?.scores["exactMatch"], q0?.attempts]).toEqual([1, 3]);
    expect([q1?.failure, q1?.attempts]).toEqual(["always busy", 4]);
    expect([q2?.failure, q2?.attempts]).toEqual(["refused", 1]);
    const most = [100, 200, 100, 200, 250];
    expect(waits.length).toBe(most.length);
    for (const [i, wait] of waits.entries()) {
      expect(wait).toBeGreaterThanOrEqual((most[i] as number) / 2);
      expect(wait).toBeLessThanOrEqual(most[i] as number);
    }
  });

  it("shares the wall clock among the items under way", async () => {
    let clock = 0;
    let open = () => {};
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    let waiting = 0;
    const system = aSystem(async () => {
      waiting += 1;
      if (waiting === 2) {
        clock = 3000;
        open();
      }
      await gate;
      return "x";
    });
    const run = await runSuite(
      base({ systems: [system], items: items.slice(0, 2), concurrency: 2, now: () => clock }),
    );
    const outcomes = run.systems[0]?.outcomes ?? [];
    expect(outcomes.map(({ seconds }) => seconds)).toEqual([3, 3]);
    expect(outcomes.reduce((sum, { busySeconds }) => sum + busySeconds, 0)).toBeCloseTo(3, 9);
  });

  it("ends with the scorer's own failure instead of a score", async () => {
    const scorer = {
      name: "judge",
      metrics: qaScorer({}).metrics,
      score: () => ({ exactMatch: Number.NaN }),
    };
    await expect(runSuite(base({ scorer }))).rejects.toThrow(/BAD_SCORE.*exactMatch of item "q0" is NaN/);
  });

  it("keeps an answer whose scoring failed, and scores it when it goes on", async () => {
    const path = join(folder, "predictions.jsonl");
    let calls = 0;
    const system = aSystem((item) => {
      calls += 1;
      return item.answers[0] ?? "";
    });
    let judgeIsThere = false;
    const scorer = {
      ...qaScorer({ form: "reply" }),
      name: "judge",
      score: () => {
        if (!judgeIsThere) throw new Error("judge gone");
        return { exactMatch: 1, f1: 1, subExactMatch: 1 };
      },
    };
    const first = await PredictionCache.open(path);
    const one = { systems: [system], items: items.slice(0, 1), scorer };
    await expect(runSuite(base({ ...one, cache: first }))).rejects.toThrow("judge gone");
    judgeIsThere = true;
    const second = await PredictionCache.open(path);
    const run = await runSuite(base({ ...one, cache: second }));
    expect(calls).toBe(1);
    expect(run.systems[0]?.outcomes[0]).toMatchObject({ scores: { exactMatch: 1 }, resumed: true });
  });

  it("refuses suites with repeated names, and empty ones", async () => {
    await expect(runSuite(base({ items: [] }))).rejects.toThrow(/items: is empty/);
    await expect(runSuite(base({ items: [anItem(1), anItem(1)] }))).rejects.toThrow(/"q1" occurs twice/);
    await expect(runSuite(base({ systems: [right, right] }))).rejects.toThrow(/"scripted" occurs twice/);
  });
});
