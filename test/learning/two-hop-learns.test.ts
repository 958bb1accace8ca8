import { describe, expect, it } from "vitest";
import { shortRun, timeoutMs } from "./short-run.js";

const run = (shuffleRewards: boolean) =>
  shortRun({ recipe: "recipes/memagent/two-hop.yaml", steps: 4, shuffleRewards });

describe("MemAgent on two hops", () => {
  it(
    "learns to keep the first fact and to add the second: exact match rises by 0.25 and more in 4 updates",
    async () => {
      const { start, end, rewards } = await run(false);
      expect(start("exactMatch")).toBeLessThan(0.3);
      expect(end("exactMatch") - start("exactMatch")).toBeGreaterThanOrEqual(0.25);
      const [first = 0, second = 0, third = 0, fourth = 0] = rewards;
      expect(third + fourth).toBeGreaterThan(first + second + 0.1);
    },
    timeoutMs,
  );

  it(
    "learns nothing when rewards are dealt to the wrong episodes of their group",
    async () => {
      const { start, end } = await run(true);
      expect(end("exactMatch") - start("exactMatch")).toBeLessThanOrEqual(0.05);
    },
    timeoutMs,
  );
});
