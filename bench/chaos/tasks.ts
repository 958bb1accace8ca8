/**
 * Tests tasks under chaos: 100,000 tasks run on two nodes while a worker process is ended by kill -9 every second. One
 * in every `--pair-every` is a pair: a task whose result stays on its node as an object, and a task that takes it as an
 * argument.
 *
 * None may be lost or answered with another's value, and at the end nothing may be left: no worker, no lease, no
 * object, no growing memory. The bench exits with 1 otherwise.
 *
 * Usage, on built code (`npx tsc -b packages/apps/cli`):
 *   npx tsx --conditions=@palimpsest/source bench/chaos/tasks.ts [--tasks 100000] [--pair-every 100] [--kill-every-ms
 *     1000] [--json FILE]
 */
import { loadavg } from "node:os";
import { type Cluster, PalimpsestError } from "@palimpsest/client";
import { createRandom } from "../../packages/runtime/std/src/random/index.js";
import { collect } from "../../test/support/collect.js";
import { TestCluster } from "../../test/support/test-cluster.js";
import { until } from "../../test/support/until.js";
import { benchFlags } from "../flags.js";
import { writeResult } from "../result-file.js";
import { HeapProbe, type KeptMemory, probedEnvironment } from "./heap-probe.js";
import { MemoryWatch } from "./memory-watch.js";
import * as work from "./task-work.js";

const flags = benchFlags({ tasks: "100000", "pair-every": "100", "kill-every-ms": "1000", json: undefined });
const count = Number(flags.tasks);
const source = { from: new URL("./task-work.ts", import.meta.url) };
const inFlight = 1_000;
/** Each task waits this long, so that the run lasts for many kills. */
const taskMs = 4;
const pairEvery = Number(flags["pair-every"]);
/**
 * A task whose process is killed uses a retry. On a busy machine that may happen more often than the default of three.
 */
const maxRetries = 20;
const killEveryMs = Number(flags["kill-every-ms"]);
const endMs = 120_000;
const mebibyte = 2 ** 20;

/** Says why the remaining objects are kept: who has a lease on each of them, and whose calls refer to it. */
async function describeLeft(client: Cluster): Promise<readonly string[]> {
  const { objects } = await client.memory({ limit: 100 });
  return objects.map(({ objectId, nodeId, sizeBytes, ownerId, heldBy, pinnedBy, isCopy, storedAtMs }) => {
    const why = isCopy ? "a copy" : `held by ${heldBy.join(", ")}`;
    const ageSeconds = Math.round((Date.now() - storedAtMs) / 1_000);
    return `${objectId} (${sizeBytes} bytes, ${ageSeconds} s old) on ${nodeId}, stored by ${ownerId || "nobody"}: ${why}, in calls of ${pinnedBy.join(", ") || "nobody"}`;
  });
}

const random = createRandom(1).float;
const cluster = await TestCluster.start({ workers: 2, environment: probedEnvironment });
try {
  const { client } = cluster;
  const answer = client.task(work.answer, source, { maxRetries });
  const large = client.task(work.large, source, { maxRetries });
  const first = client.task(work.first, source, { maxRetries });
  const failures = new Map<string, number>();
  let answered = 0;
  let wrong = 0;
  let kills = 0;
  const workers = async () => (await client.actors()).filter(({ role }) => role === "tasks");

  async function run(index: number): Promise<void> {
    try {
      let value: number;
      if (index % pairEvery === pairEvery - 1) {
        const ref = await large.ref(index);
        value = await first(ref);
        ref.release();
      } else value = await answer(index, taskMs);
      answered++;
      if (value !== index) wrong++;
    } catch (reason) {
      const { code, message } = PalimpsestError.from(reason);
      const what = `${code}: ${message}`.replace(/[0-9a-f]{12,}/g, "…").slice(0, 300);
      failures.set(what, (failures.get(what) ?? 0) + 1);
    }
  }

  await run(0);
  answered = 0;
  const heap = () => {
    collect();
    return Math.round(process.memoryUsage().heapUsed / mebibyte);
  };
  const heapMiB = [heap()];
  const probes = new Map([
    ["head", await HeapProbe.open(cluster.head)],
    ...(await Promise.all(
      cluster.workers.map(
        async (worker, at): Promise<[string, HeapProbe]> => [`node ${at + 1}`, await HeapProbe.open(worker)],
      ),
    )),
  ]);
  /** Memory after a collection: before the tasks, after each fifth of them, and at the end. */
  const kept = new Map([...probes.keys()].map((name): [string, KeptMemory[]] => [name, []]));
  let probing: Promise<void> = Promise.resolve();
  /** Probes run one after another, because a process's inspector releases the objects of all readings together. */
  const probe = () => {
    probing = probing.then(async () => {
      for (const [name, each] of probes) kept.get(name)?.push(await each.read());
    });
    return probing;
  };
  await probe();
  const watch = new MemoryWatch(
    new Map([
      ["client", process.pid],
      ["head", cluster.head.pid],
      ...cluster.workers.map((worker, at): [string, number] => [`node ${at + 1}`, worker.pid]),
    ]),
    500,
  );
  let over = false;
  const killing = (async () => {
    for (let nextAt = performance.now(); !over; nextAt += killEveryMs) {
      await new Promise((resolve) => setTimeout(resolve, Math.max(0, nextAt - performance.now())));
      // When the head has no time for the request, it is asked again a second later.
      const alive = (await workers().catch(() => [])).filter(({ state }) => state === "alive");
      const victim = alive[Math.floor(random() * alive.length)];
      if (!victim || over) continue;
      try {
        process.kill(victim.pid, "SIGKILL");
        kills++;
      } catch {
        // It has been given back meanwhile.
      }
    }
  })();
  const startedAt = performance.now();
  let next = 0;
  await Promise.all(
    Array.from({ length: inFlight }, async () => {
      while (next < count) {
        const index = next++;
        if (index % Math.ceil(count / 5) === 0 && index > 0) {
          heapMiB.push(heap());
          await probe();
          const now = [...kept].map(([name, all]) => `${name} ${all.at(-1)?.heapMiB} MiB`);
          process.stderr.write(`${index} tasks, ${kills} kills: ${now.join(", ")}\n`);
        }
        await run(index);
      }
    }),
  );
  const seconds = (performance.now() - startedAt) / 1_000;
  over = true;
  await killing;
  const memory = watch.rows();
  const left = {
    workers: async () => (await workers()).length,
    objects: async () => {
      collect();
      return (await client.listObjects()).totalObjects;
    },
    leasedCpus: async () =>
      (await client.nodes()).reduce(
        (sum, { total, available }) => sum + (total["cpu"] ?? 0) - (available["cpu"] ?? 0),
        0,
      ),
  };
  const leftAtEnd: Record<string, number> = {};
  for (const [name, amount] of Object.entries(left)) {
    await until(`no ${name} are left`, async () => (await amount()) === 0, { timeoutMs: endMs }).catch(
      () => undefined,
    );
    leftAtEnd[name] = await amount();
  }
  const leftObjects = await describeLeft(client);
  heapMiB.push(heap());
  await probe();
  for (const each of probes.values()) each.close();
  const result = {
    measured: new Date().toISOString(),
    tasks: count,
    seconds: Number(seconds.toFixed(1)),
    tasksPerSecond: Math.round(count / seconds),
    kills,
    maxRetries,
    loadAtEnd: Number((loadavg()[0] ?? 0).toFixed(1)),
    answered,
    wrong,
    failures: Object.fromEntries(failures),
    leftAtEnd,
    leftObjects,
    /** Heap of the client after a collection: before the tasks, after each fifth of them, and at the end. */
    clientHeapMiB: heapMiB,
    /**
     * Heap of the other processes after a collection, at the same moments; their largest tables are those at the end.
     */
    keptMiB: Object.fromEntries([...kept].map(([name, all]) => [name, all.map(({ heapMiB }) => heapMiB)])),
    externalMiB: Object.fromEntries(
      [...kept].map(([name, all]) => [name, all.map((one) => one.externalMiB)]),
    ),
    tables: Object.fromEntries([...kept].map(([name, all]) => [name, all.at(-1)?.tables])),
    memory,
  };
  process.stdout.write(`${JSON.stringify(result, null, 2)}\n`);
  if (flags.json) writeResult(flags.json, result);
  const isWhole =
    answered === count && wrong === 0 && Object.values(leftAtEnd).every((amount) => amount === 0);
  if (!isWhole) process.exitCode = 1;
} finally {
  const orphans = await cluster.stop();
  if (orphans.length > 0) process.stdout.write(`left running: ${orphans.join("; ")}\n`);
}
