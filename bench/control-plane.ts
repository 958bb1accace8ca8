/**
 * Measures the head's control plane with simulated nodes: how long its event loop is blocked, how many actors it places
 * per second, what it writes for each, and how long a status takes over gRPC. One fifth of the actors fits nowhere;
 * once the rest is placed, actors end and new ones come. The store is in memory and counts bytes as Redis would receive
 * them. Prints a table; with --json FILE it also writes the figures.
 */
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { setImmediate as turn } from "node:timers/promises";
import { systemClock } from "@palimpsest/std";
import { createLogger, createMetrics } from "@palimpsest/telemetry";
import { grpcNetwork, headService, newToken } from "@palimpsest/wire";
import type * as proto from "@palimpsest/wire/protocol";
import { parseHeadConfig } from "../packages/runtime/head/src/rules/config.js";
import { createHeadHandlers } from "../packages/runtime/head/src/services/head-service.js";
import { Rpc } from "../packages/runtime/head/src/services/rpc.js";
import { ControlPlane } from "../packages/runtime/head/src/start/control-plane.js";
import type { StoreWrite } from "../packages/runtime/head/src/store/store.js";
import { actorSpecFromProto } from "../packages/runtime/head/src/tables/actor.js";
import { MemoryStore } from "../packages/runtime/head/src/testing/memory-store.js";
import { writeResult } from "./result-file.js";

/** The length of "*4 $4 HSET $N key $N field $N value" in Redis' protocol, without the three texts. */
const commandBytes = 45;
const tablePrefixBytes = 20;
const churn = 2_000;
const idleMs = 3_000;

class CountingStore extends MemoryStore {
  bytes = 0;

  override async write(writes: readonly StoreWrite[]): Promise<void> {
    await super.write(writes);
    for (const { table, key, bytes } of writes) {
      this.bytes += commandBytes + tablePrefixBytes + table.length + key.length + (bytes?.byteLength ?? 0);
    }
  }
}

interface Figures {
  readonly nodes: number;
  readonly actors: number;
  readonly placed: number;
  readonly waiting: number;
  readonly placementsPerSecond: number;
  readonly churnPerSecond: number;
  /** The delay in the same process while it is idle, which is what the machine adds. */
  readonly idleDelayP99Ms: number;
  readonly loopDelayP99Ms: number;
  readonly loopDelayMaxMs: number;
  /** Processor time of the whole process, which includes the simulated nodes and clients. */
  readonly cpuMsPerPlacement: number;
  readonly bytesPerPlacement: number;
  readonly statusMs: number;
  readonly statusWorstMs: number;
}

async function measure(nodeCount: number, actorCount: number): Promise<Figures> {
  const store = new CountingStore();
  const logger = createLogger({ component: "head", level: "silent" });
  const metrics = createMetrics({ component: "head", processMetrics: false });
  const config = parseHeadConfig({ dataDir: join(tmpdir(), "palimpsest-bench"), nodeTimeoutMs: 3_600_000 });
  const plane = await ControlPlane.open(config, { store, clock: systemClock, logger, metrics });
  const { actors, nodes, lifecycle, pendingQueue, sessions, bundles } = plane;

  const network = grpcNetwork({ token: newToken() });
  const server = network.createServer();
  const rpc = new Rpc(metrics, 30_000);
  server.addService(
    headService,
    createHeadHandlers({
      ...{ groups: plane.groups, groupTable: plane.groupTable, taskWorkers: plane.taskWorkers },
      ...{ history: plane.history, claims: plane.claims, drains: plane.drains, recoveries: plane.recoveries },
      objectQuotas: plane.objectQuotas,
      ...{
        rpc,
        actors,
        nodes,
        pendingQueue,
        sessions,
        lifecycle,
        bundles,
        jobs: plane.jobs,
        clock: systemClock,
      },
      ...{
        recovery: plane.recovery,
        objects: plane.objects,
        stacks: plane.stacks,
        sessionLeaseMs: config.sessionLeaseMs,
      },
      headAddresses: () => [],
      clusterInfo: () => ({ clusterId: plane.clusterId }),
      ownerGraceMs: 60_000,
      queueDepths: async () => [],
      shutdown: () => undefined,
    }),
  );
  const address = await server.listen("127.0.0.1", 0);
  const peer = network.connect(address, "control");

  const running: { readonly nodeId: string; readonly actorId: string }[] = [];
  const told: { readonly nodeId: string; readonly order: proto.StartActor.$Properties }[] = [];
  /** Sends what each node would send in its own turn of the event loop. */
  const answer = () => {
    for (const { nodeId, order } of told.splice(0, 50)) {
      const actorId = order.spec?.actorId ?? "";
      const { incarnation } = order;
      lifecycle.started(nodeId, {
        actorId,
        ...(incarnation ? { incarnation } : {}),
        address: "10.0.0.1:40000",
        metricsAddress: "10.0.0.1:40001",
        pid: 4_711,
      });
      running.push({ nodeId, actorId });
    }
  };
  const perNode = Math.ceil((actorCount * 0.8) / nodeCount);
  for (let number = 0; number < nodeCount; number++) {
    const nodeId = `node-${number}`;
    const total = { quantities: { cpu: perNode, memory: 64e9 + number } };
    const connection = {
      send: ({ startActor }: proto.HeadMessage.$Properties) => {
        if (startActor) told.push({ nodeId, order: startActor });
      },
      close() {},
    };
    nodes.register({ nodeId, total, labels: { zone: `zone-${number % 3}` } }, connection);
    lifecycle.nodeRegistered(nodeId, []).settle();
    if (number % 100 === 0) await turn();
  }
  let created = 0;
  const create = (fits: boolean) => {
    created += 1;
    const quantities = fits ? { cpu: 1, memory: 1e8 * (1 + (created % 5)) } : { gpu: 1 + (created % 8) };
    void lifecycle.create(
      actorSpecFromProto({
        actorId: `actor-${created}`,
        code: { module: "@palimpsest/trainer/actors", exportName: "RolloutActor" },
        args: new Uint8Array(200),
        resources: { quantities },
        role: "rollout",
        detached: true,
      }),
    );
  };
  const alive = () => actors.count("ALIVE");
  const until = async (done: () => boolean) => {
    while (!done()) {
      answer();
      await turn();
    }
  };

  const idle = monitorEventLoopDelay({ resolution: 5 });
  idle.enable();
  await new Promise((resolve) => setTimeout(resolve, idleMs));
  idle.disable();
  const wanted = Math.floor(actorCount * 0.8);
  const bytesBefore = store.bytes;
  const delay = monitorEventLoopDelay({ resolution: 5 });
  delay.enable();
  const startedAt = performance.now();
  const cpuBefore = process.cpuUsage();
  // Each turn creates as many requests as a burst of clients sends.
  while (created < actorCount) {
    for (let count = 0; count < 20 && created < actorCount; count++) create(created % 5 !== 4);
    answer();
    await turn();
  }
  await until(() => alive() >= wanted);
  const cpu = process.cpuUsage(cpuBefore);
  const placementsPerSecond = (wanted * 1000) / (performance.now() - startedAt);
  const bytesPerPlacement = (store.bytes - bytesBefore) / wanted;

  const churnAt = performance.now();
  for (let count = 0; count < churn; count++) {
    const ending = running.shift();
    if (ending) lifecycle.died(ending.nodeId, { actorId: ending.actorId, incarnation: 1 });
    create(true);
    answer();
    if (count % 10 === 0) await turn();
  }
  await until(() => alive() >= wanted);
  const churnPerSecond = (churn * 1000) / (performance.now() - churnAt);

  const times: number[] = [];
  for (let count = 0; count < 10; count++) {
    const at = performance.now();
    await Promise.all([
      peer.unary(headService.summarize, {}, { timeoutMs: 10_000 }),
      peer.unary(headService.listActors, { limit: 50 }, { timeoutMs: 10_000 }),
      peer.unary(headService.listNodes, { limit: 50 }, { timeoutMs: 10_000 }),
    ]);
    times.push(performance.now() - at);
  }
  delay.disable();
  times.sort((a, b) => a - b);
  const figures = {
    nodes: nodeCount,
    actors: actorCount,
    placed: alive(),
    waiting: pendingQueue.length,
    placementsPerSecond: Math.round(placementsPerSecond),
    churnPerSecond: Math.round(churnPerSecond),
    idleDelayP99Ms: round(idle.percentile(99) / 1e6),
    loopDelayP99Ms: round(delay.percentile(99) / 1e6),
    loopDelayMaxMs: round(delay.max / 1e6),
    cpuMsPerPlacement: round((cpu.user + cpu.system) / 1000 / wanted),
    bytesPerPlacement: Math.round(bytesPerPlacement),
    statusMs: round(times[5] ?? 0),
    statusWorstMs: round(times.at(-1) ?? 0),
  };
  peer.close();
  await server.close();
  await plane.close();
  return figures;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

const rows: Figures[] = [];
for (const [nodeCount, actorCount] of [
  [1_000, 10_000],
  [2_000, 40_000],
] as const) {
  rows.push(await measure(nodeCount, actorCount));
}
console.table(rows);
const jsonAt = process.argv.indexOf("--json");
const file = process.argv[jsonAt + 1];
if (jsonAt > 0 && file) {
  const machine = { cpu: cpus()[0]?.model ?? "", cores: cpus().length, node: process.version };
  writeResult(file, { machine, rows });
}
process.exit(0);
