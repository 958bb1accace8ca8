/**
 * Tests objects with a head and workers as real processes: what a forged reference can reach, and what outlives a
 * killed head.
 */
import { createServer } from "node:net";
import { connect } from "@palimpsest/client";
import { afterAll, beforeAll, expect, test } from "vitest";
import { TestCluster } from "./support/test-cluster.js";
import { until } from "./support/until.js";

let cluster: TestCluster;

beforeAll(async () => {
  cluster = await TestCluster.start({ workers: 2 });
  await until(
    "both workers are alive",
    async () => (await cluster.client.nodes()).filter(({ state }) => state === "alive").length === 2,
  );
});

afterAll(async () => {
  expect(await cluster?.stop()).toEqual([]);
});

const bytes = new TextEncoder().encode("bytes of the test");

test("a reference that names an address sends nobody there", async () => {
  let connections = 0;
  const trap = createServer(() => connections++);
  await new Promise<void>((resolve) => trap.listen(0, "127.0.0.1", resolve));
  const bound = trap.address();
  const address = `127.0.0.1:${typeof bound === "object" ? bound?.port : 0}`;
  const forged = { objectId: "f".repeat(64), sizeBytes: 5, locations: [address], address };
  const { objects } = cluster.client;
  await expect(objects.get(forged)).rejects.toMatchObject({ code: "OBJECT_LOST" });
  await expect(objects.hold(forged)).rejects.toMatchObject({ code: "OBJECT_LOST" });
  expect(connections).toBe(0);
  await new Promise((resolve) => trap.close(resolve));
});

test("a driver's objects are freed when it ends, though the head was killed in between; a free reaches every node", async () => {
  const driver = await connect({ address: cluster.address, token: cluster.token, name: "short" });
  const ref = await driver.objects.put(bytes);
  const kept = await cluster.client.objects.put(new Uint8Array(10));
  expect(await cluster.client.objects.get(ref)).toEqual(bytes);
  cluster.head.kill("SIGKILL");
  await cluster.head.ended;
  await cluster.startHead();
  await until(
    "the nodes have told the new head",
    async () => (await cluster.client.listObjects()).totalObjects === 2,
  );
  await driver.close();
  await until(
    "the driver's object is gone",
    async () => (await cluster.client.locateObject(ref)).length === 0,
  );
  expect((await cluster.client.locateObject(kept)).length).toBe(1);
  await cluster.client.objects.free(kept);
  await until("the store is empty", async () => (await cluster.client.listObjects()).totalObjects === 0);
});
