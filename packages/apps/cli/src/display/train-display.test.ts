import type { StepReport } from "@palimpsest/trainer";
import { expect, test } from "vitest";
import { formatSeconds } from "./duration.js";
import { TrainDisplay } from "./train-display.js";

const report = (step: number, rewardMean: number) =>
  ({
    step,
    steps: 10,
    policyVersion: step,
    rewardMean,
    components: { exactMatch: rewardMean },
    update: { loss: -0.1, klK3: 0.02, gradientNorm: 0.5, entropy: 0.3 },
    samplerTokensPerSecond: 15_500,
    learnerTokensPerSecond: 41_000,
    groupsTrained: 16 * step,
    groupsFailed: 1,
  }) as unknown as StepReport;

test("a display shows phase, step, reward with its curve, speeds, queues, version and time left", () => {
  let nowMs = 0;
  const display = new TrainDisplay("run", () => nowMs);
  display.update({ kind: "phase", phase: "training", total: 10 });
  nowMs = 8_000;
  display.update({ kind: "step", report: report(1, 0.25) });
  display.update({ kind: "step", report: report(2, 0.75) });
  const queue = { name: "rollouts", waiting: 3, active: 64, waitingChildren: 0, delayed: 1, failed: 0 };
  display.update({ kind: "queues", queues: [queue] });
  display.update({ kind: "notice", text: "rollout came back" });
  const text = display.lines(120).join("\n");
  expect(text).toContain("2/10   ETA 32 s");
  expect(text).toMatch(/reward +0\.750 +▃▆/);
  expect(text).toContain("exact match        0.750    policy version 2    groups trained 32, failed 1");
  expect(text).toContain("15.5k tokens/s    learner 41.0k tokens/s");
  expect(text).toContain("rollouts 4+64");
  expect(text).toContain("rollout came back");
});

test("a model that is fetched is told while it comes: on a screen as it goes, in a log each tenth", () => {
  const display = new TrainDisplay("run", () => 0);
  const at = (doneBytes: number) =>
    ({ kind: "download", file: "model.safetensors", doneBytes, totalBytes: 500e6 }) as const;
  const logged = [10e6, 60e6, 80e6, 500e6].map((doneBytes) => display.logLine(at(doneBytes)));
  expect(logged).toEqual([
    "",
    "downloading model  model.safetensors   60 of 500 MB",
    "",
    "downloading model  model.safetensors   500 of 500 MB",
  ]);
  display.update(at(80e6));
  expect(display.lines(120).join("\n")).toContain("model.safetensors   80 of 500 MB");
  display.update({ kind: "phase", phase: "training", total: 10 });
  expect(display.lines(120).join("\n")).not.toContain("fetching");
});

test("no line is wider than the terminal", () => {
  const display = new TrainDisplay("run".repeat(50), () => 0);
  display.update({ kind: "step", report: report(1, 0.25) });
  for (const line of display.lines(60)) expect(line.length).toBeLessThanOrEqual(60);
});

test("durations read well", () => {
  expect([0.4, 42, 185, 7630, Number.NaN].map(formatSeconds)).toEqual([
    "0 s",
    "42 s",
    "3 min 05 s",
    "2 h 07 min",
    "–",
  ]);
});

test("a log says what a phase is about, and a long evaluation how far it is", () => {
  const display = new TrainDisplay("run", () => 0);
  const phase = "evaluating before";
  const progress = (done: number) => display.logLine({ kind: "progress", phase, done, total: 100 });
  expect(display.logLine({ kind: "phase", phase: "starting", total: 1 })).toBe(
    "phase: starting, the processes of the run load the model",
  );
  expect(display.logLine({ kind: "phase", phase: "training", total: 1 })).toBe("phase: training, 1 step");
  expect(display.logLine({ kind: "phase", phase, total: 100 })).toBe("phase: evaluating before, 100 answers");
  expect([0, 24, 26, 30, 80, 100].map(progress)).toEqual([
    "",
    "",
    "evaluating before: 26 of 100 answers",
    "",
    "evaluating before: 80 of 100 answers",
    "",
  ]);
});
