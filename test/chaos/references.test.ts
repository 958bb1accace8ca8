import { afterAll, expect, test } from "vitest";
import { dropInAnyOrder } from "../support/reference-chaos.js";
import { TestCluster } from "../support/test-cluster.js";

let cluster: TestCluster;
afterAll(async () => {
  expect(await cluster?.stop()).toEqual([]);
});

test("references that are dropped in any order leave an empty store, though an actor that keeps some and the head are killed meanwhile", async () => {
  cluster = await TestCluster.start({ workers: 2, workerFlags: ["--warm-processes", "0"] });
  const { held, copies } = await dropInAnyOrder(cluster, {
    ...{ references: 1_500, strikes: ["actor", "head"], seed: "references" },
  });
  expect([held, copies]).toEqual([[], []]);
});
