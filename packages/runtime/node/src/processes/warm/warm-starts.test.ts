import { readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { isProcessAlive, systemClock } from "@palimpsest/std";
import { createMetrics } from "@palimpsest/telemetry";
import { Credentials, encodeValue, processCredentials } from "@palimpsest/wire";
import type * as proto from "@palimpsest/wire/protocol";
import { afterEach, beforeEach, expect, test } from "vitest";
import { testFolder } from "../../../../../../test/support/temporary-folder.js";
import { callActor, quiet } from "../../testing/fixture.js";
import { ProcessSupervisor } from "../process-supervisor.js";
import { WorkerProcess } from "../worker-process.js";
import { WarmProcesses } from "./warm-processes.js";

const program = {
  path: fileURLToPath(new URL("../../../../worker/dist/main.js", import.meta.url)),
  flags: [],
  snapshot: join(tmpdir(), `palimpsest-warm-${process.pid}.blob`),
};
const counterModule = new URL("../../../../worker/fixtures/counter.mjs", import.meta.url).href;
const token = "token-of-the-tests";
const environment = { PATH: process.env["PATH"] ?? "" };

let folder: string;
let warm: WarmProcesses;
let spawned: WorkerProcess[];
let supervisor: ProcessSupervisor;
let news: { started: proto.ActorStarted.$Properties[]; died: proto.ActorDied.$Properties[] };

const release = () => undefined;

beforeEach(async () => {
  folder = testFolder();
  spawned = [];
  news = { started: [], died: [] };
  const memory = () => ({ totalBytes: 2 ** 34, availableBytes: 2 ** 33 });
  const spawn = () => {
    const made = WorkerProcess.spawn({ program, environment: { ...environment, CUDA_VISIBLE_DEVICES: "" } });
    spawned.push(made);
    return made;
  };
  warm = new WarmProcesses({
    ...{ least: 1, most: 1, idleMs: 0, spawn, memory, clock: systemClock, logger: quiet },
  });
  warm.open();
  supervisor = new ProcessSupervisor({
    ...{ nodeId: "node-test", program, logDir: folder, logsBytes: 1e9, startTimeoutMs: 600_000 },
    ...{ environment, gpus: ["0"], warm, metrics: createMetrics({ component: "node" }), logger: quiet },
    prepare: async () => ({ moduleUrl: counterModule, cwd: undefined, release, retain: () => release }),
    session: () => ({
      credentials: processCredentials(Credentials.ofCluster(token).grantFor("actor"), undefined),
    }),
    onStarted: (message) => void news.started.push(message),
    onDied: (message) => void news.died.push(message),
    deathOf: () => undefined,
  });
  await expect.poll(() => warm.size).toBe(1);
});

afterEach(async () => {
  await Promise.all([supervisor.close(0, "the test is over"), warm.close()]);
  expect(spawned.map(({ process }) => isProcessAlive(process.pid))).not.toContain(true);
  await rm(program.snapshot, { force: true });
});

function start(actorId: string, more: Partial<proto.ActorSpec.$Properties> = {}, gpuIds: number[] = []) {
  const code = { module: "counter", exportName: "Counter" };
  const spec = { actorId, code, args: encodeValue([0]), ownerId: "session-test", ...more };
  supervisor.start({ incarnation: 1, spec, gpuIds });
}

async function started(actorId: string): Promise<proto.ActorStarted.$Properties> {
  await expect.poll(() => news.started.some((message) => message.actorId === actorId)).toBe(true);
  return news.started.find((message) => message.actorId === actorId) ?? {};
}

async function died(actorId: string): Promise<proto.DeathCertificate.$Properties> {
  await expect.poll(() => news.died.some((message) => message.actorId === actorId)).toBe(true);
  return news.died.find((message) => message.actorId === actorId)?.certificate ?? {};
}

test("an actor gets the process that waits, which becomes its own: log, stack, certificate", async () => {
  start("actor-a");
  const actor = await started("actor-a");
  expect(actor.pid).toBe(spawned[0]?.process.pid);
  expect(await callActor(actor, token, "add", 2)).toBe(2);
  expect(await supervisor.stack("actor-a").read()).toMatchObject({ busy: false });
  await callActor(actor, token, "exit", 7).catch(() => undefined);
  const certificate = await died("actor-a");
  expect(certificate).toMatchObject({ exitCode: 7, pid: actor.pid, ownerId: "session-test" });
  expect(certificate.lastStderrLines).toContain("about to exit");
  expect(await readFile(join(folder, "actor-a-1.log"), "utf8")).toContain("about to exit");
  // Another one waits by then.
  await expect.poll(() => warm.size).toBe(1);
});

test("an actor with variables of its own, or with a GPU, gets a process that began with them", async () => {
  start("actor-env", { environment: { COLOR: "red" } });
  start("actor-gpu", {}, [0]);
  const pids = [await started("actor-env"), await started("actor-gpu")].map(({ pid }) => pid);
  expect(pids).not.toContain(spawned[0]?.process.pid);
  const environmentOf = (pid: number | null | undefined) => readFile(`/proc/${pid}/environ`, "utf8");
  expect(await environmentOf(pids[0])).toContain("COLOR=red");
  expect(await environmentOf(pids[1])).toContain("CUDA_VISIBLE_DEVICES=0");
});

test("a process that died while it waited costs the actor nothing: it gets a new one", async () => {
  const waiting = spawned[0]?.process.pid ?? 0;
  // In the same turn: nobody has noticed yet.
  process.kill(waiting, "SIGKILL");
  start("actor-b");
  const actor = await started("actor-b");
  expect(actor.pid).not.toBe(waiting);
  expect(news.died).toEqual([]);
});

test("a process that died while it was handed out costs the actor nothing", async () => {
  const waiting = spawned[0]?.process.pid ?? 0;
  // It cannot read the order while it is stopped.
  process.kill(waiting, "SIGSTOP");
  start("actor-d");
  await expect.poll(() => warm.size).toBe(0);
  process.kill(waiting, "SIGKILL");
  expect((await started("actor-d")).pid).not.toBe(waiting);
  expect(news.died).toEqual([]);
});

test("a new process that cannot start from its snapshot is replaced by one without", async () => {
  // The others found no file there.
  await writeFile(program.snapshot, "no snapshot");
  // The variable keeps it from the process that waits.
  start("actor-e", { environment: { COLOR: "red" } });
  expect(await callActor(await started("actor-e"), token, "add", 2)).toBe(2);
  expect(news.died).toEqual([]);
});

test("a stop reaches an actor in a process that had waited, in order", async () => {
  start("actor-c");
  await started("actor-c");
  supervisor.stop("actor-c", 5_000, "the test wants it");
  expect(await died("actor-c")).toMatchObject({ reason: "the test wants it", exitCode: 0 });
  expect(await readFile(join(folder, "actor-c-1.log"), "utf8")).toContain("counter stopped in order");
});
