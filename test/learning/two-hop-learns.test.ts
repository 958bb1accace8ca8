import { expect, it } from "vitest";
import { shortRun } from "./short-run.js";

it("MemAgent on two hops learns to keep the first fact and to add the second: exact match rises by 0.20 and more in 6 updates", async ({
  signal,
}) => {
  const { start, end, rewards } = await shortRun({
    recipe: "recipes/memagent/two-hop.yaml",
    steps: 6,
    signal,
  });
  expect(start("exactMatch")).toBeLessThan(0.3);
  expect(end("exactMatch") - start("exactMatch")).toBeGreaterThanOrEqual(0.2);
  expect(rewards.at(-1)).toBeGreaterThan(rewards[0] as number);
});
