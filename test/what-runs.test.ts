import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { guide, guideWith, whatRuns } from "../bench/gpu/what-runs.js";

test("the guide's table of what runs on which GPUs is the planner's (bench/gpu/what-runs.ts writes it)", async () => {
  const text = readFileSync(guide, "utf8");
  const table = await whatRuns();
  expect(table.split("\n").length).toBeGreaterThan(12);
  expect(guideWith(text, table)).toBe(text);
}, 240_000);
