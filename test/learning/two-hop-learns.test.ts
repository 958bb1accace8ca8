import { describe, expect, it } from "vitest";
import { shortRun } from "./short-run.js";

const run = (shuffleRewards: boolean, signal: AbortSignal) =>
  shortRun({ recipe: "recipes/memagent/two-hop.yaml", steps: 8, shuffleRewards, signal });

describe("MemAgent on two hops", () => {
  it("learns to keep the first fact and to add the second: exact match rises by 0.30 and more in 8 updates", async ({
    signal,
  }) => {
    const { start, end, rewards } = await run(false, signal);
    expect(start("exactMatch")).toBeLessThan(0.3);
    expect(end("exactMatch") - start("exactMatch")).toBeGreaterThanOrEqual(0.3);
    expect(rewards.at(-1)).toBeGreaterThan((rewards[0] as number) + 0.1);
  });

  it("learns nothing when rewards are dealt to the wrong episodes of their group", async ({ signal }) => {
    const { start, end } = await run(true, signal);
    expect(end("exactMatch") - start("exactMatch")).toBeLessThanOrEqual(0.05);
  });
});
