/**
 * Tests blocked processes with the constants of production, on a head and a node of the bench: a method that spins, a
 * stopped driver, a blocked driver, callers that never resolve again, a flood of calls, a killed driver. Prints one
 * table; with --json FILE it also writes it. It takes about four minutes and needs built code: `npx tsc -b
 * packages/apps/cli`.
 *
 * Usage: npx tsx --conditions=@palimpsest/source bench/liveness.ts [--only flood|blocked|stale] [--tls] [--json FILE]
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { PalimpsestError } from "@palimpsest/wire";
import { BusyCluster, type StaleCaller } from "../test/support/busy-cluster.js";
import { benchFlags } from "./flags.js";
import { writeResult } from "./result-file.js";

const values = benchFlags({ json: undefined, only: undefined, tls: false });
const spinMs = 60_000;
const stopMs = 60_000;
const blockMs = 45_000;
const cycles = 100;
const floodCalls = 16_000;
const ownerGraceMs = 10_000;

interface Row {
  readonly what: string;
  readonly result: string;
  readonly holds: boolean;
}

const cluster = await BusyCluster.start({ tls: values.tls });

async function spinning(): Promise<Row> {
  const actor = await cluster.busyActors.spawn();
  const runs = await actor.spinFor(spinMs);
  const after = await actor.spinFor(0);
  return {
    what: `a method spins ${spinMs / 1000} s`,
    result: `executions: ${runs}, its value came`,
    holds: runs === 1 && after === 2,
  };
}

async function stopped(): Promise<Row> {
  const driver = await cluster.startDriver("stopped");
  driver.kill("SIGSTOP");
  await sleep(stopMs);
  const state = await cluster.stateOf(driver.actorId);
  driver.kill("SIGCONT");
  driver.tell({ kind: "call" });
  const { answer } = await driver.heard("called");
  const killedAt = performance.now();
  driver.kill("SIGKILL");
  while ((await cluster.stateOf(driver.actorId)) !== "dead") await sleep(100);
  const freedMs = Math.round(performance.now() - killedAt);
  return {
    what: `a driver is stopped ${stopMs / 1000} s, then killed`,
    result: `its actor was ${state} and answered; freed ${freedMs} ms after the kill`,
    holds: state === "alive" && answer === driver.actorId && freedMs <= ownerGraceMs + 3_000,
  };
}

async function blocked(): Promise<Row> {
  const driver = await cluster.startDriver("blocked");
  const file = join(cluster.folder, "go-on");
  driver.tell({ kind: "block", untilFile: file });
  await driver.heard("blocking");
  await sleep(blockMs);
  const state = await cluster.stateOf(driver.actorId);
  writeFileSync(file, "");
  driver.tell({ kind: "call" });
  const { answer } = await driver.heard("called");
  driver.kill("SIGKILL");
  return {
    what: `a driver computes ${blockMs / 1000} s`,
    result: `its actor was ${state} and answered`,
    holds: state === "alive" && answer === driver.actorId,
  };
}

/** Tests callers that keep one address and one incarnation forever. */
async function stale(): Promise<Row> {
  const callers: StaleCaller[] = [];
  let asked = 0;
  let foreign = 0;
  for (let cycle = 0; cycle < cycles; cycle++) {
    const actor = await cluster.busyActors.spawn();
    const actorId = await actor.id();
    const address = await cluster.addressOf(actorId);
    const caller = (meant: string) => cluster.staleCaller(meant, address, 200);
    const previous = callers.at(-1);
    callers.push(caller(actorId));
    // The caller is misled as if the kernel had given the dead process's port to this one.
    const misled = previous ? [caller(previous.actorId)] : [];
    const asking = [...callers.slice(-10), ...misled];
    const answers = await Promise.all(asking.map((one) => one.ask().catch(() => undefined)));
    for (const [index, answer] of answers.entries()) {
      asked++;
      if (answer !== undefined && answer !== asking[index]?.actorId) foreign++;
    }
    for (const one of misled) one.close();
    if (callers.length > 10) callers.at(-11)?.close();
    await actor.kill().catch((reason: unknown) => {
      if (!(reason instanceof PalimpsestError)) throw reason;
    });
  }
  for (const caller of callers) caller.close();
  return {
    what: `${cycles} spawn/kill cycles, callers never resolve again`,
    result: `${asked} calls, answered by another actor: ${foreign}`,
    holds: foreign === 0,
  };
}

async function flood(): Promise<Row> {
  const actor = await cluster.busyActors.spawn();
  const actorId = await actor.id();
  const driver = await cluster.startDriver("flooding");
  let over = false;
  void driver.heard("flooded").then(
    () => {
      over = true;
    },
    () => undefined,
  );
  driver.tell({ kind: "flood", actorId, calls: floodCalls });
  await driver.heard("flooding");
  const latencies: number[] = [];
  while (!over && latencies.length < 100) {
    const startedAt = performance.now();
    await actor.id();
    latencies.push(performance.now() - startedAt);
    await sleep(50);
  }
  driver.kill("SIGKILL");
  latencies.sort((a, b) => a - b);
  const [p50, p100] = [latencies[Math.floor(latencies.length / 2)] ?? 0, latencies.at(-1) ?? 0];
  return {
    what: `${floodCalls} synchronous 1 ms calls of one caller, ${latencies.length} calls of another`,
    result: `latency p50 ${p50.toFixed(1)} ms, p100 ${p100.toFixed(1)} ms`,
    holds: p100 <= 50,
  };
}

const rows: Row[] = [];
async function run(measured: Promise<Row>): Promise<void> {
  const row = await measured;
  rows.push(row);
  console.log(`${row.what}: ${row.result}`);
}

// Latencies are measured first, while nothing else computes.
if (!values.only || values.only === "flood") await run(flood());
if (!values.only || values.only === "blocked") await Promise.all([spinning(), stopped(), blocked()].map(run));
if (!values.only || values.only === "stale") await run(stale());
await cluster.stop();
console.table(rows);
if (values.json) writeResult(values.json, { tls: values.tls, rows, node: process.version });
process.exit(rows.every(({ holds }) => holds) ? 0 : 1);
