import { expect, it } from "vitest";
import { progressText } from "./progress-line.js";

it("shows a bar, a pace and the time left where the total is known", () => {
  expect(progressText("preparing", "tasks", { done: 50, total: 200, note: "3 bad rows" }, 10)).toBe(
    "preparing  ██████░░░░░░░░░░░░░░░░░░  50 of 200 tasks  5.0/s  ETA 30 s  3 bad rows",
  );
  expect(progressText("reading", "tasks", { done: 0, total: 0 }, 0)).toContain("0 of 0 tasks  0.0/s  ETA –");
});

it("counts where it is not", () => {
  expect(progressText("reading", "tasks", { done: 120 }, 4)).toBe("reading  120 tasks  30/s");
});
