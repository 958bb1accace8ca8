/**
 * Starts one build's caller and actor, each in its own process, and runs a window of calls on request, so that two
 * builds can alternate.
 * Usage: side.ts ROOT, forked by bench/calls.ts.
 */
import { fork } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

/** The request for one window, and its answer. */
export interface Order {
  readonly kind: "sync" | "async";
  readonly windowMs: number;
}

export interface Answer {
  readonly calls: number;
  readonly wallMs: number;
  /** User and system time of both processes, in milliseconds. */
  readonly cpuMs: number;
}

/** The first message, sent when both processes are up. */
export interface Started {
  readonly startMs: number;
  readonly actorMiB: number;
}

class Echo {
  async echo(value: string): Promise<string> {
    return value;
  }
}

const inFlight = 1_000;
/** USER_HZ, the unit of CPU times in /proc on Linux. */
const ticksPerSecond = 100;

const root = resolve(process.argv[2] ?? ".");
const load = (path: string) => import(pathToFileURL(join(root, path)).href);
const { ActorChannel, createHandle } = (await load(
  "packages/runtime/client/src/index.ts",
)) as typeof import("../../packages/runtime/client/src/index.js");
const { Credentials, encodeValue, grpcNetwork, newToken, processCredentials } = (await load(
  "packages/runtime/wire/dist/index.js",
)) as typeof import("../../packages/runtime/wire/src/index.js");
const { ActorProcessEvent, ActorProcessOrder, ActorState } = (await load(
  "packages/runtime/wire/generated/protocol.js",
)) as typeof import("../../packages/runtime/wire/generated/protocol.js");

const token = newToken();
const forkedAt = performance.now();
const child = fork(join(root, "packages/runtime/worker/dist/main.js"), [], {
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
const moduleUrl = pathToFileURL(join(root, "packages/runtime/worker/fixtures/counter.mjs")).href;
const credentials = processCredentials(Credentials.ofCluster(token).grantFor("actor"), undefined);
const start = { spec, incarnation: 1, moduleUrl, credentials, logLevel: "warn" };
child.send(Buffer.from(ActorProcessOrder.encode({ start }).finish()));
let ready: ReturnType<typeof ActorProcessEvent.decode>["ready"];
while (!ready) {
  const [bytes] = (await once(child, "message")) as [Uint8Array];
  const event = ActorProcessEvent.decode(bytes);
  if (event.failed) throw new Error(event.failed.message ?? "");
  ({ ready } = event);
}
const started: Started = { startMs: performance.now() - forkedAt, actorMiB: actorMiB() };
const address = ready.address ?? "";

const channel = new ActorChannel({
  actorId: spec.actorId,
  network: grpcNetwork({ token }),
  resolver: { resolve: async () => ({ spec, address, incarnation: 1, state: ActorState.ACTOR_STATE_ALIVE }) },
});
const echo = createHandle<Echo>({
  channel,
  defaults: { timeoutMs: 60_000, retries: 0 },
  info: () => Promise.reject(new Error("no head here")),
  onDeath: () => () => undefined,
  kill: () => Promise.reject(new Error("no head here")),
});

const steps = {
  async sync(): Promise<number> {
    for (let index = 0; index < 20; index++) await echo.echo("ok");
    return 20;
  },
  async async(): Promise<number> {
    await Promise.all(Array.from({ length: inFlight }, () => echo.echo("ok")));
    return inFlight;
  },
};

function cpuMs(): number {
  const { userCPUTime, systemCPUTime } = process.resourceUsage();
  const fields = readFileSync(`/proc/${child.pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
  const ticks = Number(fields[11]) + Number(fields[12]);
  return (userCPUTime + systemCPUTime) / 1_000 + ticks * (1_000 / ticksPerSecond);
}

function actorMiB(): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, "utf8"))?.[1]) / 1024;
}

process.on("message", async ({ kind, windowMs }: Order) => {
  const startedAt = performance.now();
  const cpuBefore = cpuMs();
  let calls = 0;
  while (performance.now() - startedAt < windowMs) calls += await steps[kind]();
  const answer: Answer = { calls, wallMs: performance.now() - startedAt, cpuMs: cpuMs() - cpuBefore };
  process.send?.(answer);
});
process.once("disconnect", () => {
  channel.close();
  child.disconnect();
});
process.send?.(started);
