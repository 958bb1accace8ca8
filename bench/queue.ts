/**
 * Measures trajectories through the queues of a run: rollout → reward → group → learner (take, fetch, decode,
 * acknowledge), in four processes against a real redis-server. Prints a table; with --json FILE it also writes the
 * figures. It alternates with a flow of BullMQ alone that has the data in its jobs, and with --old INDEX also with
 * another build of the trajectories. Needs built code: `npx tsc -b packages/learning/trajectories`. On a machine with other work
 * the rate says little; the processor time per trajectory says more.
 *
 * Usage: npx tsx bench/queue.ts [--seconds 15] [--sizes 4096,409600] [--aof] [--only palimpsest] [--old INDEX.JS]
 *   [--json FILE]
 */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { cpus, loadavg } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { startRedisServer } from "../packages/learning/trajectories/dist/testing/index.js";
import { benchFlags } from "./flags.js";
import { redisFacts } from "./queue/redis-facts.js";
import { type RoleName, type RoleReport, roleNames } from "./queue/role.js";
import { writeResult } from "./result-file.js";

const values = benchFlags({
  seconds: "15",
  sizes: "4096,409600",
  aof: false,
  only: undefined,
  old: undefined,
  json: undefined,
});
const seconds = Number(values.seconds);
const warmUpSeconds = 3;
const startTimeoutMs = 60_000;
const endTimeoutMs = 5000;
const groupSize = 8;
const mebibyte = 1024 * 1024;
const systems = {
  palimpsest: fileURLToPath(new URL("../packages/learning/trajectories/dist/index.js", import.meta.url)),
  "plain BullMQ flow": "bullmq",
  ...(values.old === undefined ? {} : { old: values.old }),
};

interface Row {
  readonly system: string;
  readonly bytes: number;
  readonly perSecond: number;
  readonly learnerRssMiB: readonly number[];
  readonly redisUsedMiB: readonly number[];
  /** Processor time of all processes for one trajectory, which depends little on other work on the machine. */
  readonly cpuMsPerTrajectory: number;
  /** The number of cores that each process used, redis-server among them. */
  readonly cores: Readonly<Record<string, number>>;
}

async function measure(name: string, system: string, bytes: number): Promise<Row> {
  const aof: readonly (readonly [string, string])[] = values.aof
    ? [
        ["appendonly", "yes"],
        ["appendfsync", "everysec"],
      ]
    : [];
  const server = await startRedisServer({ config: aof });
  const redis = redisFacts(server.url);
  const main = fileURLToPath(new URL("./queue/role.ts", import.meta.url));
  const processes = new Map<RoleName, ChildProcess>();
  const ask = async (role: RoleName): Promise<RoleReport> => {
    const child = processes.get(role);
    if (child === undefined || child.exitCode !== null) throw new Error(`${role} has ended`);
    child.send("report");
    return ((await once(child, "message")) as [RoleReport])[0];
  };
  const askAll = async () =>
    Object.fromEntries(await Promise.all(roleNames.map(async (role) => [role, await ask(role)] as const)));
  try {
    for (const role of roleNames) {
      const child = fork(main, [], { execArgv: process.execArgv });
      processes.set(role, child);
      child.send({ role, redisUrl: server.url, bytes, groupSize, system });
    }
    for (const deadline = performance.now() + startTimeoutMs; (await ask("learner")).consumed === 0; ) {
      for (const role of roleNames) await ask(role);
      if (performance.now() > deadline) throw new Error(`${name}: nothing has reached the learner`);
      await sleep(100);
    }
    await sleep(warmUpSeconds * 1000);
    const [before, redisBefore] = [await askAll(), await redis.read()];
    const startedAt = performance.now();
    const learnerRssMiB: number[] = [];
    const redisUsedMiB: number[] = [];
    for (let third = 0; third < 3; third++) {
      await sleep((seconds * 1000) / 3);
      learnerRssMiB.push(Math.round((await ask("learner")).rssBytes / mebibyte));
      redisUsedMiB.push(Math.round((await redis.read()).usedBytes / mebibyte));
    }
    const [after, redisAfter] = [await askAll(), await redis.read()];
    const elapsed = (performance.now() - startedAt) / 1000;
    const cores = (from: number, to: number) => Number(((to - from) / elapsed).toFixed(2));
    const perSecond = ((after["learner"]?.consumed ?? 0) - (before["learner"]?.consumed ?? 0)) / elapsed;
    const used = {
      ...Object.fromEntries(
        roleNames.map((role) => [role, cores(before[role]?.cpuSeconds ?? 0, after[role]?.cpuSeconds ?? 0)]),
      ),
      redis: cores(redisBefore.cpuSeconds, redisAfter.cpuSeconds),
    };
    return {
      system: name,
      bytes,
      perSecond: Math.round(perSecond),
      cpuMsPerTrajectory: Number(
        ((Object.values(used).reduce((sum, share) => sum + share, 0) / perSecond) * 1000).toFixed(2),
      ),
      learnerRssMiB,
      redisUsedMiB,
      cores: used,
    };
  } finally {
    redis.close();
    await Promise.all([...processes.values()].map(end));
    await server.close();
  }
}

/** A role ends when it is disconnected; a profiler from NODE_OPTIONS writes its profile then. */
async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, "exit");
  const timer = setTimeout(() => child.kill("SIGKILL"), endTimeoutMs);
  child.disconnect();
  await exited;
  clearTimeout(timer);
}

const rows: Row[] = [];
for (const bytes of values.sizes.split(",").map(Number)) {
  for (const [name, system] of Object.entries(systems)) {
    if (values.only !== undefined && values.only !== name) continue;
    const row = await measure(name, system, bytes);
    rows.push(row);
    console.log(`${name}, ${bytes} bytes: ${row.perSecond}/s`);
  }
}
console.table(
  rows.map(({ learnerRssMiB, redisUsedMiB, cores, ...row }) => ({
    ...row,
    "learner MiB by thirds": learnerRssMiB.join(" "),
    "redis MiB by thirds": redisUsedMiB.join(" "),
    cores: Object.entries(cores)
      .map(([role, used]) => `${role} ${used}`)
      .join(", "),
  })),
);
if (values.json !== undefined) {
  const [loadAverage] = loadavg();
  const report = {
    cpus: cpus().length,
    loadAverage,
    node: process.version,
    seconds,
    groupSize,
    appendOnly: values.aof,
    rows,
  };
  writeResult(values.json, report);
}
