import { type Clock, systemClock } from "@palimpsest/std";
import { encodeValue, grpcNetwork, headService, type PalimpsestError } from "@palimpsest/wire";
import * as proto from "@palimpsest/wire/protocol";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { TaskOptions } from "../base/config.js";
import { HeadClient } from "../base/head-client.js";
import type { Cluster } from "../cluster/cluster.js";
import { connect } from "../cluster/connect.js";
import { FakeHead } from "../testing/fake-head.js";
import { ScriptedActor } from "../testing/scripted-actor.js";
import { inlineValue } from "../values/outgoing-value.js";
import { TaskPool, type TaskPoolDeps } from "./task-pool.js";
import { setTaskSignal } from "./task-signal.js";
import { taskType } from "./task-type.js";

const { ACTOR_STATE_ALIVE, ACTOR_STATE_DEAD, ACTOR_STATE_PENDING } = proto.ActorState;
/** The machine may have other work. */
const poll = <T>(look: () => T) => expect.poll(look);
const source = { module: "@palimpsest/trainer/tasks" };
async function echo(value: number): Promise<number> {
  return value;
}
async function slow(value: number): Promise<number> {
  return value;
}

let head: FakeHead;
let cluster: Cluster;
/** Those that workers get, in this order, as far as there is room. */
let hosts: ScriptedActor[];
let room: number;
let workers: proto.ActorInfo.$Properties[];

beforeEach(async () => {
  head = await FakeHead.start();
  hosts = [await ScriptedActor.start(head.token), await ScriptedActor.start(head.token)];
  for (const host of hosts) host.silent.add("slow");
  workers = [];
  room = hosts.length;
  head.place = (info) => {
    workers.push(info);
    place();
  };
  cluster = await connect({ address: head.address, token: head.token, name: "test" });
});

afterEach(async () => {
  await cluster.close();
  head.kill();
  for (const host of hosts) host.kill();
});

/** Gives room to those that wait for it. */
function place(): void {
  for (const [index, info] of workers.entries()) {
    const host = hosts[index];
    if (!host || index >= room || info.state !== ACTOR_STATE_PENDING) continue;
    info.state = ACTOR_STATE_ALIVE;
    info.address = host.address;
    info.incarnation = 1;
  }
}

/** The process of a worker ends, which leaves room for another; its certificate says which calls had begun. */
function die(startedCalls: number | undefined, preempted = false, index = 0): void {
  const worker = workers[index];
  if (!worker) throw new Error("there is no worker");
  worker.state = ACTOR_STATE_DEAD;
  worker.certificate = {
    reason: "its process was killed",
    preempted,
    ...(startedCalls === undefined ? {} : { startedCalls }),
  };
  hosts[index]?.kill();
  room = preempted ? index + 2 : hosts.length;
  place();
}

/** Tasks of which ten go ahead to the one worker that there is room for, however long they take. */
function tasksAhead(options: Pick<TaskPoolDeps, "clock"> = {}) {
  room = 1;
  return poolOf({ ...options, pace: { ahead: 10, took: () => undefined } });
}

/** A second of it is 50 ms. */
const hurriedClock: Clock = {
  ...systemClock,
  monotonicMs: () => systemClock.monotonicMs() * 20,
  after: (delayMs, run) => systemClock.after(delayMs / 20, run),
};

function poolOf(options: Partial<Pick<TaskPoolDeps, "pace" | "clock" | "head">>) {
  const client = new HeadClient(grpcNetwork({ token: head.token }), head.address, 10_000);
  const pool = new TaskPool({
    head: client,
    network: grpcNetwork({ token: head.token }),
    resolver: {
      resolve: (actorId, knownIncarnation, waitMs, signal) =>
        client.call(headService.resolveActor, { actorId, knownIncarnation, waitMs }, { signal }),
    },
    ...{ ownerId: "session-test", ownerIncarnation: 0, isTaskWorker: false, jobId: "" },
    create: (request) => client.call(headService.createActor, request),
    ...options,
  });
  const close = () => {
    pool.close();
    client.close();
  };
  return {
    pool,
    task: (options: TaskOptions = {}) => taskType<typeof slow>(slow, source, options, pool),
    close,
  };
}

const callsOf = (host: ScriptedActor | undefined, method: string) =>
  (host?.frames ?? []).flatMap(({ call }) => (call?.method === method ? [call.callId ?? 0] : []));

test("of a worker that dies the task that had begun uses a retry, those behind it do not (TASK-1, TASKLEASE-1)", async () => {
  const { task, close } = tasksAhead();
  const once = task({ maxRetries: 1 });
  const tasks = [once(1), once(2), once(3)];
  for (const task of tasks) task.catch(() => undefined);
  await poll(() => callsOf(hosts[0], "slow")).toHaveLength(3);
  const [begun = 0] = callsOf(hosts[0], "slow");
  die(begun);
  // The first one has no retry left: it shares its worker with none, and it is the first to go out again.
  await poll(() => callsOf(hosts[1], "slow")).toHaveLength(1);
  hosts[1]?.reply({ callId: callsOf(hosts[1], "slow")[0] ?? 0, value: encodeValue("again") });
  expect(await tasks[0]).toBe("again");
  await poll(() => callsOf(hosts[1], "slow")).toHaveLength(3);
  for (const callId of callsOf(hosts[1], "slow").slice(1))
    hosts[1]?.reply({ callId, value: encodeValue("once") });
  expect(await Promise.all(tasks)).toEqual(["again", "once", "once"]);
  close();
});

test("a task that must not run twice is alone at its worker, and fails when nobody knows whether it ran (TASK-1)", async () => {
  const { task, close } = tasksAhead();
  const only = task({ maxRetries: 0 });
  const first = only(1);
  const second = only(2);
  first.catch(() => undefined);
  await poll(() => callsOf(hosts[0], "slow")).toHaveLength(1);
  die(undefined);
  await expect(first).rejects.toMatchObject({ code: "WORKER_DIED" });
  await poll(() => callsOf(hosts[1], "slow")).toHaveLength(1);
  hosts[1]?.reply({ callId: callsOf(hosts[1], "slow")[0] ?? 0, value: encodeValue("ran") });
  expect(await second).toBe("ran");
  close();
});

test("a worker that was stopped for others costs its task no retry (TASK-1)", async () => {
  const third = await ScriptedActor.start(head.token);
  third.silent.add("slow");
  hosts.push(third);
  const { task, close } = tasksAhead();
  const ran = task({ maxRetries: 1, preemptible: true })(1);
  for (const round of [0, 1, 2]) {
    await poll(() => callsOf(hosts[round], "slow")).toHaveLength(1);
    const [callId = 0] = callsOf(hosts[round], "slow");
    if (round === 2) hosts[round]?.reply({ callId, value: encodeValue("ran") });
    else die(callId, true, round);
  }
  expect(await ran).toBe("ran");
  expect(() => task({ maxRetries: 0, preemptible: true })).toThrow(
    "preemptible is true and maxRetries is 0: what is stopped for others would not run again",
  );
  close();
});

test("a shape without tasks and workers is forgotten, and its next task runs (TASKPOOL-3)", async () => {
  room = 1;
  const { pool, task, close } = poolOf({ clock: hurriedClock });
  for (const round of [0, 1]) {
    const host = hosts[round];
    const done = task()(round);
    await poll(() => callsOf(host, "slow")).toHaveLength(1);
    expect(pool.shapes).toBe(1);
    host?.reply({ callId: callsOf(host, "slow")[0] ?? 0, value: encodeValue(round) });
    expect(await done).toBe(round);
    // Its worker is given back when it has been idle.
    await poll(() => pool.shapes).toBe(0);
    room = 2;
  }
  close();
});

test("what the function throws is tried again only where that is asked for (TASK-2)", async () => {
  const failing = cluster.task(slow, source, { retryExceptions: true, maxRetries: 1 })(1);
  const error = { code: "TASK_ERROR", message: "no" };
  for (let attempt = 0; attempt < 2; attempt++) {
    await poll(() => callsOf(hosts[0], "slow")).toHaveLength(attempt + 1);
    hosts[0]?.reply({ callId: callsOf(hosts[0], "slow")[attempt] ?? 0, error });
  }
  await expect(failing).rejects.toMatchObject({ code: "TASK_ERROR" });
});

test("workers are asked for while tasks wait, one more at a time, and are given back without tasks (TASKQUEUE-1, TASKQUEUE-2, TASKQUEUE-3)", async () => {
  const { task: taskOf, close } = poolOf({ clock: hurriedClock });
  const task = taskOf();
  const tasks = [task(1), task(2), task(3)];
  await poll(() => hosts.map((host) => callsOf(host, "slow"))).toEqual([[1], [1]]);
  await poll(() => workers.length).toBe(3);
  // The third one finds no room.
  expect(workers.map(({ state }) => state)).toEqual([
    ACTOR_STATE_ALIVE,
    ACTOR_STATE_ALIVE,
    ACTOR_STATE_PENDING,
  ]);
  expect(workers.every(({ spec }) => spec?.taskWorker && spec.ownerId === "session-test")).toBe(true);
  for (const host of hosts) host.reply({ callId: 1, value: encodeValue("done") });
  await poll(() => hosts.flatMap((host) => callsOf(host, "slow")).length).toBe(3);
  for (const host of hosts) host.reply({ callId: 2, value: encodeValue("done") });
  expect(await Promise.all(tasks)).toEqual(["done", "done", "done"]);
  await poll(() => head.killed.length).toBe(3);
  expect(new Set(head.killed.map(({ actorId }) => actorId))).toEqual(
    new Set(workers.map(({ spec }) => spec?.actorId)),
  );
  close();
});

test("a client that only waits for workers does not ask who else waits, as it has nothing to give up (TASKQUEUE-3)", async () => {
  room = 0;
  let asked = 0;
  const client = new HeadClient(grpcNetwork({ token: head.token }), head.address, 10_000);
  const call: HeadClient["call"] = (method, request, options) => {
    if (method.path === headService.awaitDemand.path) asked++;
    return client.call(method, request, options);
  };
  const { task, close } = poolOf({ head: { call } });
  const done = task()(1);
  await poll(() => workers).toHaveLength(1);
  expect(asked).toBe(0);
  room = 1;
  place();
  await poll(() => callsOf(hosts[0], "slow")).toHaveLength(1);
  await poll(() => asked).toBeGreaterThan(0);
  hosts[0]?.reply({ callId: 1, value: encodeValue("done") });
  expect(await done).toBe("done");
  close();
  client.close();
});

test("a worker without tasks is returned soon when something else of this client waits for room (TASKQUEUE-3)", async () => {
  room = 1;
  const asked: unknown[] = [];
  const client = new HeadClient(grpcNetwork({ token: head.token }), head.address, 10_000);
  const call: HeadClient["call"] = (method, request, options) => {
    if (method.path !== headService.awaitDemand.path) return client.call(method, request, options);
    const { spare } = request as proto.AwaitDemandRequest.$Properties;
    asked.push(spare);
    // Nobody waits but this client itself.
    if (spare) return Promise.resolve({ waits: true } as never);
    return new Promise((_, reject) => {
      options?.signal?.addEventListener("abort", () => reject(new Error("aborted")), { once: true });
    });
  };
  // The clock is not hurried: an idle worker would be returned after 10 s.
  const { task, close } = poolOf({ head: { call } });
  const done = task()(1);
  await poll(() => callsOf(hosts[0], "slow")).toHaveLength(1);
  hosts[0]?.reply({ callId: 1, value: encodeValue("done") });
  await done;
  expect(head.killed).toEqual([]);
  await expect.poll(() => head.killed.length).toBe(1);
  expect(asked).toEqual([false, true]);
  close();
  client.close();
});

test("a task that computes on after it was cancelled with force has its process ended as by a crash (TASKQUEUE-4, TASKLEASE-3)", async () => {
  const spinning = cluster.task(slow, source)(1);
  await poll(() => callsOf(hosts[0], "slow")).toHaveLength(1);
  spinning.cancel({ force: true });
  await expect(spinning).rejects.toMatchObject({ code: "CANCELLED" });
  await poll(() => hosts[0]?.frames.some(({ cancelCallId }) => cancelCallId === 1)).toBe(true);
  await poll(() => head.killed).toMatchObject([{ actorId: workers[0]?.spec?.actorId, noRestart: false }]);
  die(1);
  // Another worker takes what comes next.
  expect(await cluster.task(echo, source)(5)).toBe(5);
  expect(callsOf(hosts[1], "echo")).toHaveLength(1);
});

/** After this time the process of a task is ended that was cancelled with force. */
const forceAfterMs = 250;

test("a task behind another one that is cancelled with force does not end the process of that one (TASKQUEUE-4)", async () => {
  const due: (() => void)[] = [];
  const clock: Clock = {
    ...systemClock,
    after(delayMs, run) {
      if (delayMs !== forceAfterMs) return systemClock.after(delayMs, run);
      due.push(run);
      return () => undefined;
    },
  };
  const { task, close } = tasksAhead({ clock });
  const first = task()(1);
  const forced = task()(2);
  await poll(() => callsOf(hosts[0], "slow")).toHaveLength(2);
  forced.cancel({ force: true });
  await expect(forced).rejects.toMatchObject({ code: "CANCELLED" });
  // The first task computes for so long that its process reads no cancellation.
  for (const run of due.splice(0)) run();
  await cluster.nodes();
  expect(head.killed).toEqual([]);
  hosts[0]?.reply({ callId: 1, value: encodeValue("undisturbed") });
  expect(await first).toBe("undisturbed");
  // The second one has begun in the meantime and runs on.
  for (let time = 0; time < 2; time++) for (const run of due.splice(0)) run();
  await poll(() => head.killed).toMatchObject([{ actorId: workers[0]?.spec?.actorId, noRestart: false }]);
  close();
});

test("a task that computes on after it was cancelled has its process ended when another one waits for the room (TASKQUEUE-4)", async () => {
  room = 1;
  const { task: taskOf, close } = poolOf({ clock: hurriedClock });
  const task = taskOf();
  const spinning = task(1);
  await poll(() => callsOf(hosts[0], "slow")).toHaveLength(1);
  spinning.cancel();
  await expect(spinning).rejects.toMatchObject({ code: "CANCELLED" });
  const next = task(2);
  await poll(() => head.killed).toMatchObject([{ actorId: workers[0]?.spec?.actorId, noRestart: false }]);
  die(1);
  await poll(() => callsOf(hosts[1], "slow")).toHaveLength(1);
  hosts[1]?.reply({ callId: 1, value: encodeValue("there") });
  expect(await next).toBe("there");
  close();
});

test("a process is ordered to end until its end is known, because an order may be lost (TASKLEASE-4)", async () => {
  const { task, close } = poolOf({ clock: hurriedClock });
  const spinning = task()(1);
  await poll(() => callsOf(hosts[0], "slow")).toHaveLength(1);
  spinning.cancel({ force: true });
  await expect(spinning).rejects.toMatchObject({ code: "CANCELLED" });
  const actorId = workers[0]?.spec?.actorId;
  await poll(() => head.killed.length).toBeGreaterThan(2);
  die(1);
  expect(await cluster.task(echo, source)(5)).toBe(5);
  await poll(() => callsOf(hosts[1], "echo")).toHaveLength(1);
  close();
  expect(head.killed.every((request) => request.actorId === actorId && !request.noRestart)).toBe(true);
});

test("a process that runs a task which was given up with force is ended although its stream breaks (TASKLEASE-5)", async () => {
  const spinning = cluster.task(slow, source)(1);
  await poll(() => callsOf(hosts[0], "slow")).toHaveLength(1);
  spinning.cancel({ force: true });
  hosts[0]?.cut();
  await expect(spinning).rejects.toMatchObject({ code: "CANCELLED" });
  await poll(() => head.killed).toMatchObject([{ actorId: workers[0]?.spec?.actorId, noRestart: false }]);
});

test("a process that accepts no stream after its tasks' stream broke is ended, and they run elsewhere (TASKLEASE-5)", async () => {
  room = 1;
  const { task, close } = poolOf({ clock: hurriedClock });
  const once = task({ maxRetries: 1 })(1);
  await poll(() => callsOf(hosts[0], "slow")).toHaveLength(1);
  hosts[0]?.stall();
  await poll(() => head.killed).toMatchObject([{ actorId: workers[0]?.spec?.actorId, noRestart: false }]);
  die(1);
  await poll(() => callsOf(hosts[1], "slow")).toHaveLength(1);
  hosts[1]?.reply({ callId: 1, value: encodeValue("there") });
  expect(await once).toBe("there");
  close();
});

test("a stream that breaks while the worker lives is opened again (TASKLEASE-2)", async () => {
  const task = cluster.task(slow, source)(1);
  await poll(() => callsOf(hosts[0], "slow")).toHaveLength(1);
  hosts[0]?.cut();
  await poll(() => callsOf(hosts[0], "slow")).toHaveLength(2);
  hosts[0]?.reply({ callId: 1, value: encodeValue("second") });
  expect(await task).toBe("second");
  expect(workers).toHaveLength(1);
});

test("a worker that cannot be started fails what waits for it, with the reason", async () => {
  head.place = (info) => {
    info.state = ACTOR_STATE_DEAD;
    info.constructorError = { code: "ACTOR_ERROR", message: "its module throws" };
    info.certificate = { reason: "its module throws" };
  };
  await expect(cluster.task(echo, source)(1)).rejects.toMatchObject({
    code: "WORKER_DIED",
    cause: { code: "ACTOR_ERROR" },
  });
});

test("a task whose time is over says why workers of its own shape wait", async () => {
  head.place = (info) => {
    info.pendingReason = `needs ${JSON.stringify(info.spec?.resources?.quantities)}`;
  };
  const task = cluster.task(slow, source);
  const other = task.options({ resources: { other: 1 } })(1);
  other.catch(() => undefined);
  const mine = task.options({ resources: { mine: 1 }, timeoutMs: 100 });
  const whyLate = () => mine(1).catch((reason: PalimpsestError) => `${reason.code} ${reason.message}`);
  await poll(whyLate).toMatch(/^GET_TIMEOUT .*needs {"mine":1}/);
});

test("get of a call's promise says that it is to be awaited", async () => {
  await expect(cluster.get(Promise.resolve(1) as never)).rejects.toMatchObject({
    code: "INVALID_ARGUMENT",
    message: expect.stringContaining("is a promise: await it"),
  });
});

test("options that are wrong are refused where the task is declared, by field", () => {
  const wrong = {
    code: "CONFIG_INVALID",
    message: expect.stringContaining("options of task echo: maxRetries"),
  };
  expect(() => cluster.task(echo, source, { maxRetries: -7 })).toThrow(expect.objectContaining(wrong));
  expect(() => cluster.task(echo, source).options({ maxRetries: -7 })).toThrow(
    expect.objectContaining(wrong),
  );
  expect(() => cluster.task((value: number) => value, source)).toThrow("exportName is empty");
});

/** A pool that nobody serves. */
function lonelyPool(options: Partial<TaskPoolDeps>) {
  const nobody = () => Promise.reject(new Error("nobody answers"));
  const pool = new TaskPool({
    ...{ ownerId: "session-test", ownerIncarnation: 0, isTaskWorker: false, jobId: "" },
    head: { call: nobody },
    network: { connect: nobody } as never,
    resolver: { resolve: nobody },
    create: nobody,
    ...options,
  });
  const call = (options: { readonly isRecovery?: boolean } = {}) =>
    pool.call({
      ...{ method: "echo", name: "echo", args: inlineValue(new Uint8Array()), signals: [], retries: 0 },
      ...{ timeoutMs: Number.POSITIVE_INFINITY, retryExceptions: false, maxCalls: 0 },
      ...options,
    });
  return { pool, call };
}

test("tasks without an outcome are bounded (TASKPOOL-1)", async () => {
  const { pool, call } = lonelyPool({ maxOutstandingTasks: 2 });
  const [first] = [call(), call()];
  await expect(call().promise).rejects.toMatchObject({ code: "PENDING_CALLS_LIMIT" });
  first?.succeed(encodeValue(1));
  const third = call();
  expect(third.settled).toBe(false);
  pool.close();
});

test("a task's own tasks are cancelled with it, but not one that runs again to reconstruct a result (TASKPOOL-2)", async () => {
  const { pool, call } = lonelyPool({ isTaskWorker: true });
  const running = new AbortController();
  setTaskSignal(() => running.signal);
  const child = call();
  const recovery = call({ isRecovery: true });
  running.abort();
  await expect(child.promise).rejects.toMatchObject({ code: "CANCELLED" });
  expect(recovery.settled).toBe(false);
  recovery.succeed(encodeValue(1));
  pool.close();
});
