/**
 * Story 12: an agent with a store is trained through every process, and its changes to the store return with the
 * episode.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { builtinRecipesDir } from "@palimpsest/trainer";
import { afterAll, beforeAll, expect, test } from "vitest";
import { TestCluster } from "../support/test-cluster.js";
import { TrainingRun } from "../support/training-run.js";

let cluster: TestCluster;

beforeAll(async () => {
  cluster = await TestCluster.start();
});

afterAll(async () => {
  expect(await cluster?.stop()).toEqual([]);
});

test("MemUpdate's small recipe trains, and its log has the names of the original's", async () => {
  const recipe = readFileSync(join(builtinRecipesDir, "memupdate/small-store.yaml"), "utf8");
  const file = join(cluster.dir, "store.yaml");
  const short = recipe.replace(/^train:.*$/m, "train: { steps: 2, groupsPerStep: 4 }");
  writeFileSync(file, short.replace("{ actors: 2,", "{ actors: 1,"));
  const run = TrainingRun.start(cluster, file, join(cluster.dir, "store"));
  const end = await run.end();
  expect(end.code, end.stdout + end.stderr).toBe(0);
  expect(run.steps).toHaveLength(2);
  for (const { store = {}, components, update } of run.steps) {
    expect(store["memory_reward/mean"]).toBe(update.rewardMean);
    expect(store["initial_memory_count"]).toBe(5);
    expect(store["final_memory_count"]).toBeGreaterThan(3);
    expect(store["num_turns/mean"]).toBeGreaterThan(1);
    expect(store["tool_call_counts/search_memory"]).toBeGreaterThan(0.3);
    expect(components).toHaveProperty("heldOut");
  }
});
