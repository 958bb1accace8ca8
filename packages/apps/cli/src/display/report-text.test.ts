import type { RunReport } from "@palimpsest/trainer";
import { expect, test } from "vitest";
import { reportText as textOf } from "./report-text.js";

const reportText = (report: RunReport) => textOf(report, "docs/guides/newcomer.md");

const report = (rewards: { readonly rewardBefore: number; readonly rewardAfter: number }): RunReport => ({
  recipe: "r",
  seed: 1,
  shuffleRewards: false,
  backend: "tensorflow (graph)",
  exactMatchBefore: 0,
  exactMatchAfter: 0.25,
  exactMatchByLength: [
    {
      lengthTokens: 210,
      factor: 1,
      tasks: 64,
      before: 0,
      after: 0.25,
      interval: [0.1, 0.4],
      share: 1,
      microsecondsPerDocumentToken: 12,
      peakRssMib: 600,
      ...rewards,
    },
  ],
  rewardCurve: [0, 0.5],
  steps: 2,
  evaluations: [],
  best: null,
  rewardByCategory: {},
  secondsByPhase: { "learning demonstrations": 0.02, training: 3 },
  samplerTokensPerSecond: 10,
  learnerTokensPerSecond: 20,
  logprobDifference: { mean: 0.0212, p99: 0.19, most: 1.3, kl: 0.00061, limit: 0.05 },
  processes: [],
  groupsDispatched: 4,
  groupsTrained: 4,
  groupsFailed: 0,
  plan: [
    {
      what: "update of a step",
      unit: "seconds",
      planned: 2,
      measured: 3,
      ratio: 1.5,
      note: "mean of 4 steps",
    },
    { what: "learner", unit: "bytes", planned: 2 ** 30, measured: null, ratio: null, note: "not measured" },
  ],
  checkpoint: "c",
  model: "m",
  traces: null,
  files: [],
});

test("phases that took no time are left out", () => {
  expect(reportText(report({ rewardBefore: 0.1, rewardAfter: 0.6 }))).toMatch(/^time {8}training 3 s$/m);
});

test("nothing is called exact match where the reward tells none", () => {
  const own = report({ rewardBefore: 0.1, rewardAfter: 0.6 });
  const text = reportText({
    ...own,
    exactMatchBefore: null,
    exactMatchAfter: null,
    exactMatchByLength: own.exactMatchByLength.map((row) => ({
      ...row,
      before: null,
      after: null,
      interval: null,
    })),
  });
  expect(text).toContain("Reward 0.100 → 0.600 after 2 steps");
  expect(reportText({ ...own, steps: 1 })).toContain(" after 1 step\n");
  expect(reportText({ ...own, steps: 140 })).toContain(
    " after 140 steps, 2 of them since the run was resumed\n",
  );
  expect(text).not.toMatch(/exact match|95 % interval/i);
});

test("rewards stand beside exact match where they are another measure, and only there", () => {
  const other = reportText(report({ rewardBefore: 0.114, rewardAfter: 0.332 }));
  expect(other).toContain("Exact match 0.0 % → 25.0 %, reward 0.114 → 0.332 after 2 steps");
  expect(other).toMatch(/of 1x +reward +µs/);
  const same = reportText(report({ rewardBefore: 0, rewardAfter: 0.25 }));
  expect(same).toContain("Exact match 0.0 % → 25.0 % after 2 steps");
  expect(same).not.toMatch(/of 1x +reward/);
});

test("a run that was evaluated while it trained says which step was best", () => {
  const own = report({ rewardBefore: 0, rewardAfter: 0.25 });
  const rated = [0.1, 0.4, 0.3].map((value, index) => ({ step: index * 2, value }));
  expect(reportText({ ...own, evaluations: rated, best: { step: 2, value: 0.4 } })).toMatch(
    /evaluated +\S+ +best 0\.400 after step 2: model export RUN --best/,
  );
  expect(reportText(own)).not.toContain("evaluated");
});

test("the plan stands beside what was measured, and what was not measured is said", () => {
  const text = reportText(report({ rewardBefore: 0, rewardAfter: 0.25 }));
  expect(text).toContain(
    "plan        update of a step: planned 2 s, measured 3 s, 1.50 times as much (mean of 4 steps)\n",
  );
  expect(text).toContain("\n            learner: planned 1.00 GiB, measured – (not measured)\n");
});

test("a run that kept traces names the commands that show them, and only such a run", () => {
  const own = report({ rewardBefore: 0, rewardAfter: 0.25 });
  const text = reportText({ ...own, traces: "runs/r/traces" });
  expect(text).toMatch(/npx palimpsest dashboard runs\/r$/m);
  expect(text).toMatch(/npx palimpsest trace view runs\/r\/traces\/\*\.jsonl$/m);
  expect(reportText(own)).not.toContain("npx palimpsest");
});

test("the last screen says in plain words what was learned, against what, where it is and what comes next", () => {
  const own = report({ rewardBefore: 0, rewardAfter: 0.25 });
  const [home] = own.exactMatchByLength;
  const far = { ...home, factor: 16, lengthTokens: 3360, after: 0.125 } as (typeof own.exactMatchByLength)[0];
  const run = {
    ...own,
    exactMatchByLength: [...own.exactMatchByLength, far],
    model: "/runs/r/model",
    checkpoint: "/runs/r/checkpoints/step-2",
    files: ["/runs/r/curve.svg", "/runs/r/report.json", "/runs/r/report.md"],
    traces: "/runs/r/traces",
  };
  const screen = reportText(run).trimEnd().split("\n").slice(-18).join("\n");
  expect(screen).toMatch(
    /Of 64 questions .* right\n +0\.0 % before .* 25\.0 % after it; .* 16 times .* 12\.5 %/,
  );
  expect(screen).toContain("Where it is: /runs/r\n");
  expect(screen).toContain("\n  curve.svg\n  report.md\n");
  expect(screen).toContain("--shuffle-rewards");
  expect(screen).toContain("npx palimpsest dashboard ");
  expect(screen).toMatch(/npx palimpsest ask FILE -q QUESTION --model \S/);
  expect(reportText({ ...run, shuffleRewards: true })).toContain("This was the control");
});
