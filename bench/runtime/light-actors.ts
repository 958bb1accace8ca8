/**
 * Measures light actors (`process: "shared"`) on one node: they are created all at once, called, listed and killed, and
 * one more is started while all of them live. It also measures the memory per actor in the head, the node and the
 * shared processes, in total and separately. Needs built code: `npx tsc -b packages/apps/cli`, and its bundles: `npm run
 * setup`.
 *
 * Usage: npx tsx bench/runtime/light-actors.ts [--count 20000] [--json FILE] [--note TEXT]
 */
import { readdirSync, readFileSync } from "node:fs";
import { cpus, loadavg } from "node:os";
import type { ActorHandle } from "@palimpsest/client";
import { TestCluster } from "../../test/support/test-cluster.js";
import { median } from "../contender.js";
import { benchFlags } from "../flags.js";
import { writeResult } from "../result-file.js";
import { Echo } from "./echo.js";

const flags = benchFlags({ count: "20000", json: undefined, note: "" });
const count = Number(flags.count);
/** The number of creations that a caller has in flight. */
const atOnce = 1_000;
const starts = 100;

const loadBefore = loadavg();
const cluster = await TestCluster.start();
const source = { from: new URL("./echo.ts", import.meta.url) };
const type = cluster.client.actor(Echo, source, { process: "shared" });

/** The resident memory of a process and its children, in bytes. */
function residentBytes(pid: number): number {
  const kilobytes = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
  return Number(kilobytes ?? 0) * 1_024;
}

function childrenOf(pid: number): number[] {
  return readdirSync(`/proc/${pid}/task`).flatMap((task) =>
    readFileSync(`/proc/${pid}/task/${task}/children`, "utf8").split(" ").filter(Boolean).map(Number),
  );
}

function memory() {
  const [node] = cluster.workers;
  const nodePid = node?.pid ?? 0;
  const shared = childrenOf(nodePid).reduce((sum, pid) => sum + residentBytes(pid), 0);
  return { head: residentBytes(cluster.head.pid), node: residentBytes(nodePid), shared };
}

async function inBatches<Item, Result>(items: readonly Item[], act: (item: Item) => Promise<Result>) {
  const results: Result[] = [];
  for (let from = 0; from < items.length; from += atOnce)
    results.push(...(await Promise.all(items.slice(from, from + atOnce).map(act))));
  return results;
}

async function timed<Result>(
  act: () => Promise<Result>,
): Promise<{ readonly ms: number; readonly result: Result }> {
  const startedAt = performance.now();
  const result = await act();
  return { ms: performance.now() - startedAt, result };
}

try {
  // This starts the shared process and loads the first actor's class.
  await (await type.spawn()).echo("ok");
  const before = memory();
  const created = await timed(() => inBatches(Array.from({ length: count }), () => type.spawn()));
  const ready = await timed(() => inBatches(created.result, (actor) => actor.ready()));
  const after = memory();
  const called = await timed(() => inBatches(created.result, (actor) => actor.echo("ok")));
  const afterCalls = memory();
  const startMs: number[] = [];
  const extra: ActorHandle<Echo>[] = [];
  for (let index = 0; index < starts; index++) {
    const start = await timed(async () => {
      const actor = await type.spawn();
      await actor.ready();
      return actor;
    });
    startMs.push(start.ms);
    extra.push(start.result);
  }
  const listed = await timed(() => cluster.client.actors({ limit: 1_000 }));
  const summary = await timed(() => cluster.client.info());
  const killed = await timed(() => inBatches([...created.result, ...extra], (actor) => actor.kill()));
  const each = (bytes: number) => Math.round(bytes / count / 100) / 10;
  const sum = (of: typeof before) => of.head + of.node + of.shared;
  const rows = {
    actors: count,
    "created per second": Math.round(count / (created.ms / 1_000)),
    "created and ready per second": Math.round(count / ((created.ms + ready.ms) / 1_000)),
    "KB each, ready: head": each(after.head - before.head),
    "KB each, ready: node": each(after.node - before.node),
    "KB each, ready: shared processes": each(after.shared - before.shared),
    "KB each, ready": each(sum(after) - sum(before)),
    "KB each, with a caller's stream": each(sum(afterCalls) - sum(before)),
    "calls per second, one to each": Math.round(count / (called.ms / 1_000)),
    "start of one more p50, ms": Math.round(median(startMs) * 10) / 10,
    "list 1,000, ms": Math.round(listed.ms),
    "cluster info, ms": Math.round(summary.ms),
    "killed per second": Math.round((count + starts) / (killed.ms / 1_000)),
  };
  console.table(rows);
  if (flags.json !== undefined) {
    const machine = { cpus: cpus().length, node: process.version, loadAverage: [loadBefore, loadavg()] };
    writeResult(flags.json, { ...machine, note: flags.note, rows });
  }
} finally {
  await cluster.stop();
}
