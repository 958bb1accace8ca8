/**
 * Calls between two processes, as Ray's microbenchmark counts them: sync = each awaited, async = 1000 in flight,
 * payload "ok". Prints a table; with --json FILE also writes the figures. Needs built code: `npx tsc -b packages/worker`.
 */

import { fork } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { fileURLToPath } from "node:url";
import { grpcNetwork } from "@palimpsest/wire";
import { ActorChannel, createHandle } from "../packages/client/src/index.js";
import { ActorProcessEvent, ActorProcessStart, ActorState } from "../packages/wire/generated/protocol.js";
import { encodeValue, newToken } from "../packages/wire/src/index.js";

class Echo {
  async echo(value: string): Promise<string> {
    return value;
  }
}

const workerMain = fileURLToPath(new URL("../packages/worker/dist/main.js", import.meta.url));
const moduleUrl = new URL("../packages/worker/fixtures/counter.mjs", import.meta.url).href;
const secondsPerCase = Number(process.env["PALIMPSEST_BENCH_SECONDS"] ?? 2);

const token = newToken();
const forkedAt = performance.now();
const child = fork(workerMain, [], {
  execArgv: [],
  serialization: "advanced",
  stdio: ["ignore", "inherit", "inherit", "ipc"],
});
const spec = {
  actorId: "actor-bench",
  code: { exportName: "Counter" },
  args: encodeValue([0]),
  maxConcurrency: 1000,
  role: "bench",
};
child.send(ActorProcessStart.encode({ spec, incarnation: 1, moduleUrl, token, logLevel: "warn" }).finish());
const [bytes] = (await once(child, "message")) as [Uint8Array];
const startMs = performance.now() - forkedAt;
const address = ActorProcessEvent.decode(bytes).ready?.address ?? "";

const channel = new ActorChannel({
  actorId: spec.actorId,
  network: grpcNetwork({ token }),
  resolver: { resolve: async () => ({ spec, address, incarnation: 1, state: ActorState.ACTOR_STATE_ALIVE }) },
});
const echo = createHandle<Echo>({
  channel,
  defaults: { timeoutMs: 60_000, retries: 0 },
  info: () => Promise.reject(new Error("no head here")),
  kill: () => Promise.reject(new Error("no head here")),
});

async function perSecond(step: () => Promise<number>): Promise<number> {
  await step();
  const startedAt = performance.now();
  let calls = 0;
  while (performance.now() - startedAt < secondsPerCase * 1000) calls += await step();
  return calls / ((performance.now() - startedAt) / 1000);
}

async function sync(): Promise<number> {
  for (let index = 0; index < 100; index++) await echo.echo("ok");
  return 100;
}

async function async(): Promise<number> {
  await Promise.all(Array.from({ length: 1000 }, () => echo.echo("ok")));
  return 1000;
}

const rows = [
  { name: "1:1 actor calls, sync", callsPerSecond: Math.round(await perSecond(sync)), ray: 2012 },
  { name: "1:1 actor calls, async", callsPerSecond: Math.round(await perSecond(async)), ray: 8664 },
];
channel.close();
child.disconnect();

console.table(rows);
console.log(`actor process from fork to ready: ${startMs.toFixed(0)} ms`);
console.log(
  `Ray's figures are its published ones (64 vCPU, release 2.48), not measured here; this machine: ${cpus().length} CPUs`,
);
const jsonAt = process.argv.indexOf("--json");
const jsonFile = jsonAt > 0 ? process.argv[jsonAt + 1] : undefined;
if (jsonFile) {
  const report = { startMs, rows, cpus: cpus().length, node: process.version, secondsPerCase };
  writeFileSync(jsonFile, `${JSON.stringify(report, null, 2)}\n`);
}
