/**
 * Measures calls between two processes as Ray's microbenchmark counts them: sync = each awaited, async = 1000 in
 * flight, payload "ok". Prints a table; with --json FILE also writes the figures. Needs built code: `npx tsc -b
 * packages/runtime/worker`.
 *
 * With --against CHECKOUT another built checkout alternates with this one, in windows of a fraction of a second, and
 * the table has the median of the ratios of neighboring windows, because absolute rates on a busy machine say little.
 *
 * Usage: npx tsx bench/calls.ts [--against CHECKOUT] [--json FILE]; PALIMPSEST_BENCH_SECONDS is the time of each case
 */

import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { cpus } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Answer, Order, Started } from "./calls/side.js";
import { benchFlags } from "./flags.js";
import { writeResult } from "./result-file.js";

const values = benchFlags({ against: undefined, json: undefined });
const secondsPerCase = Number(process.env["PALIMPSEST_BENCH_SECONDS"] ?? 2);
const windowMs = 250;
/** The Ray figures are those published for release 2.48 on 64 vCPU. */
const cases = [
  { kind: "sync", name: "1:1 actor calls, sync", ray: 2012 },
  { kind: "async", name: "1:1 actor calls, async", ray: 8664 },
] as const;

interface Side {
  readonly child: ChildProcess;
  readonly started: Started;
}

async function start(root: string): Promise<Side> {
  // Each checkout may speak its own protocol with its worker, so it is driven by its own side.ts where it has one.
  const own = join(root, "bench/calls/side.ts");
  const side = existsSync(own) ? own : fileURLToPath(new URL("./calls/side.ts", import.meta.url));
  const child = fork(side, [root]);
  const [started] = (await once(child, "message")) as [Started];
  return { child, started };
}

async function window(side: Side, order: Order): Promise<Answer> {
  side.child.send(order);
  const [answer] = (await once(side.child, "message")) as [Answer];
  return answer;
}

function median(numbers: readonly number[]): number {
  const sorted = [...numbers].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  return ((sorted[Math.floor(middle)] ?? 0) + (sorted[Math.ceil(middle) - 1] ?? 0)) / 2;
}

const rate = ({ calls, wallMs }: Answer) => calls / (wallMs / 1_000);
const cpu = ({ calls, cpuMs }: Answer) => (cpuMs * 1_000) / calls;
const round = (value: number) => Math.round(value * 100) / 100;

const ours = await start(fileURLToPath(new URL("..", import.meta.url)));
const theirs = values.against === undefined ? undefined : await start(values.against);
const sides = theirs ? [ours, theirs] : [ours];
const rows = [];
for (const { kind, name, ray } of cases) {
  const answers: Answer[][] = sides.map(() => []);
  for (const side of sides) await window(side, { kind, windowMs: windowMs * 4 });
  for (let done = 0; done < (secondsPerCase * 1_000) / windowMs; done++) {
    // The order alternates, because the first window after the other checkout's runs with cold caches.
    const order = done % 2 === 0 ? [0, 1] : [1, 0];
    for (const index of order) {
      const side = sides[index];
      if (side) answers[index]?.push(await window(side, { kind, windowMs }));
    }
  }
  const [our = [], their] = answers;
  const ratios = (of: (answer: Answer) => number) =>
    their ? round(median(our.map((answer, index) => of(answer) / of(their[index] ?? answer)))) : undefined;
  rows.push({
    name,
    callsPerSecond: Math.round(median(our.map(rate))),
    cpuMicrosPerCall: round(median(our.map(cpu))),
    ...(their ? { rateRatio: ratios(rate), cpuRatio: ratios(cpu) } : {}),
    ray,
  });
}
for (const { child } of sides) child.disconnect();

console.table(rows);
for (const [index, { started }] of sides.entries()) {
  const { startMs, actorMiB } = started;
  const whose = index === 0 ? "this checkout" : values.against;
  console.log(
    `${whose}: actor process from fork to ready ${startMs.toFixed(0)} ms, ${actorMiB.toFixed(0)} MiB`,
  );
}
console.log(
  `Ray's figures are its published ones (64 vCPU, release 2.48), not measured here; this machine: ${cpus().length} CPUs`,
);
if (values.json) {
  const report = { ...ours.started, rows, cpus: cpus().length, node: process.version, secondsPerCase };
  writeResult(values.json, report);
}
