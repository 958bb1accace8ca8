import { systemClock } from "@palimpsest/std";
import { grpcNetwork, nodeLinkService, ownProtocols, type RpcServer } from "@palimpsest/wire";
import { afterEach, beforeEach, expect, it } from "vitest";
import { testFolder } from "../../../../../test/support/temporary-folder.js";
import { ControlPlane } from "../start/control-plane.js";
import { submissionFromProto } from "../tables/job.js";
import type { WriteAt } from "../tables/job-logs.js";
import { aConfig, quietLogger, testMetrics } from "../testing/builders.js";
import { FakeNode } from "../testing/fake-node.js";
import { MemoryStore } from "../testing/memory-store.js";
import { createJobOutputHandler } from "./job-output-service.js";
import { createNodeLinkHandlers } from "./node-link-service.js";

const token = "token-of-the-tests";
const times = { heartbeatIntervalMs: 20, nodeTimeoutMs: 300 };
const chunkBytes = 256 * 1024;

let folder: string;
let plane: ControlPlane;
let server: RpcServer;

beforeEach(() => {
  folder = testFolder();
});
afterEach(async () => {
  server.kill();
  await plane.close();
});

/** Control plane and node link over real gRPC, with a disk of the test's own for output. */
async function serve(writeLog: WriteAt): Promise<string> {
  const logger = quietLogger();
  const config = aConfig({ ...times, dataDir: folder });
  const deps = { store: new MemoryStore(), clock: systemClock, logger, metrics: testMetrics(), writeLog };
  plane = await ControlPlane.open(config, deps);
  const {
    nodes,
    lifecycle,
    jobLifecycle,
    jobs,
    logs,
    objects,
    objectHolders,
    stacks,
    recoveries,
    clusterId,
  } = plane;
  const link = createNodeLinkHandlers({
    nodes,
    actors: lifecycle,
    jobs: jobLifecycle,
    objects,
    objectHolders,
    objectQuotas: plane.objectQuotas,
    stacks,
    recoveries,
    history: plane.history,
    logger,
    clusterId,
    version: "",
    protocols: ownProtocols(),
    redisUrl: () => "",
    heartbeatIntervalMs: times.heartbeatIntervalMs,
    nodeTimeoutMs: 60_000,
    fenceAfterMs: 60_000,
    leadership: { epoch: 1, addresses: [], isCurrent: () => true, rise: async () => undefined },
    adopt: () => true,
  });
  server = grpcNetwork({ token }).createServer();
  server.addService(nodeLinkService, { ...link, jobOutput: createJobOutputHandler({ jobs, logs, logger }) });
  return server.listen("127.0.0.1", 0);
}

it("OUTPUT-1: a disk of logs that stalls leaves the node alive, takes a bounded part, and loses nothing", async () => {
  let release!: () => void;
  const stalled = new Promise<void>((resolve) => {
    release = resolve;
  });
  let writtenBytes = 0;
  const address = await serve(async (_path, bytes) => {
    await stalled;
    writtenBytes += bytes.byteLength;
  });
  const node = (await FakeNode.join(address, token, { nodeId: "node-a" })).beatEvery(20);
  await plane.jobLifecycle.submit(submissionFromProto({ recipe: "a: 1\n", submissionId: "job-1" }));
  await node.next(({ startDriver }) => startDriver);

  const output = node.output("job-1");
  await output.acked(0);
  const chunk = Buffer.alloc(chunkBytes, "x");
  let sentBytes = 0;
  while (output.send(chunk, sentBytes)) sentBytes += chunkBytes;
  sentBytes += chunkBytes;
  for (let more = 0; more < 100; more++, sentBytes += chunkBytes) output.send(chunk, sentBytes);
  const beats = () => plane.nodes.get("node-a")?.lastHeartbeatMs ?? 0;
  const began = beats();
  // Many times the silence after which a node is dead.
  await expect.poll(() => beats() - began).toBeGreaterThan(5 * times.nodeTimeoutMs);
  expect(plane.nodes.get("node-a")?.state).toBe("ALIVE");
  expect(output.acks).toEqual([0]);

  release();
  await output.acked(sentBytes);
  expect(writtenBytes).toBe(sentBytes);
  output.close();
  await node.leave();
});
