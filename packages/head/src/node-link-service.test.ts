import { Duplex } from "node:stream";
import { expect, it } from "vitest";
import { createNodeLinkHandlers } from "./node-link-service.js";
import { anActor, quietLogger } from "./testing/builders.js";
import { TestPlane } from "./testing/plane.js";

/** The stream of a node that reads nothing. */
class DeafNode extends Duplex {
  constructor() {
    super({ objectMode: true });
  }

  override _read(): void {}
  override _write(): void {}
}

it("NODELINK-4: a node that does not read has so many bytes waiting for it, then its link is cut", async () => {
  const { plane } = await TestPlane.open();
  const { nodes, lifecycle, jobLifecycle, objects, objectHolders, stacks } = plane;
  const { link } = createNodeLinkHandlers({
    nodes,
    actors: lifecycle,
    jobs: jobLifecycle,
    objects,
    objectHolders,
    stacks,
    logger: quietLogger(),
    clusterId: plane.clusterId,
    redisUrl: () => "",
    heartbeatIntervalMs: 1_000,
    nodeTimeoutMs: 5_000,
    fenceAfterMs: 45_000,
    leadership: { epoch: 1, addresses: [], isCurrent: () => true, rise: async () => undefined },
    adopt: () => false,
  });
  const stream = new DeafNode();
  const failed = new Promise<unknown>((resolve) => stream.once("error", resolve));
  link(stream as unknown as Parameters<typeof link>[0]);
  stream.push({ register: { nodeId: "node-a", total: { quantities: { cpu: 1 } } } });
  await expect.poll(() => nodes.get("node-a")?.state).toBe("ALIVE");
  const startActor = { spec: { ...anActor("actor-1"), args: new Uint8Array(1024 * 1024) }, incarnation: 1 };
  for (let sent = 0; sent < 63; sent++) nodes.send("node-a", { startActor });
  expect(nodes.get("node-a")?.state).toBe("ALIVE");
  for (let sent = 0; sent < 2; sent++) nodes.send("node-a", { startActor });
  expect(nodes.get("node-a")?.state).toBe("SUSPECT");
  expect(await failed).toMatchObject({ details: expect.stringMatching(/messages of \d+ bytes unread/) });
  expect(nodes.send("node-a", { startActor })).toBe(false);
});
