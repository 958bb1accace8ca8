/**
 * Tests a TypeScript developer's actors: their own class runs in a separate process, is called, streams, crashes and
 * restarts.
 */
import { ActorPool, type Cluster, connect } from "@palimpsest/client";
import { PalimpsestError } from "@palimpsest/wire";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isAlive } from "../support/processes.js";
import { TestCluster } from "../support/test-cluster.js";
import { until } from "../support/until.js";
import { WordCounter } from "../support/word-counter.js";

const source = { from: new URL("../support/word-counter.ts", import.meta.url) };

let cluster: TestCluster;
let client: Cluster;

beforeAll(async () => {
  cluster = await TestCluster.start();
  client = cluster.client;
});

afterAll(async () => {
  expect(await cluster?.stop()).toEqual([]);
});

/** Returns the error with which a promise is rejected. */
async function failureOf(promise: Promise<unknown>): Promise<PalimpsestError> {
  const outcome = await promise.then(
    (value) => new Error(`it returned ${JSON.stringify(value)}`),
    (reason: unknown) => reason,
  );
  expect(outcome).toBeInstanceOf(PalimpsestError);
  return outcome as PalimpsestError;
}

describe("an actor of a user's class", () => {
  const spawned = () => client.actor(WordCounter, source).spawn(10);

  test("is a process of its own that keeps its state between calls", async () => {
    const counter = await spawned();
    expect(await counter.add("red green red")).toBe(2);
    expect(await counter.count("red")).toBe(12);
    expect(await counter.count("blue")).toBe(10);
    const { pid, incarnation, nodeId } = await counter.place();
    expect(pid).not.toBe(process.pid);
    expect(cluster.processes()).toContain(pid);
    expect(incarnation).toBe(1);
    expect(await client.nodes()).toMatchObject([{ nodeId }]);
  });

  test("answers many calls that are made at once, in their order", async () => {
    const counter = await spawned();
    const words = Array.from({ length: 500 }, (_, at) => `word${at}`);
    expect(await Promise.all(words.map((word) => counter.add(word)))).toEqual(words.map((_, at) => at + 1));
  });

  test("carries a megabyte of bytes back as bytes", async () => {
    const bytes = await (await spawned()).bytes(1_000_000);
    expect(bytes).toBeInstanceOf(Uint8Array);
    expect(bytes.byteLength).toBe(1_000_000);
    expect(bytes.every((byte) => byte === 7)).toBe(true);
  });

  test("streams items before its method ends, and stops when nobody listens", async () => {
    const counter = await spawned();
    await counter.add("red green");
    const words: [string, number][] = [];
    for await (const entry of counter.words()) words.push(entry);
    expect(words).toEqual([
      ["red", 11],
      ["green", 11],
    ]);
    const ticks: number[] = [];
    for await (const tick of counter.ticks()) {
      ticks.push(tick);
      if (tick === 3) break;
    }
    expect(ticks).toEqual([0, 1, 2, 3]);
    // The actor runs one call at a time: this call would wait forever behind an endless one.
    expect(await counter.count("red")).toBe(11);
  });

  test("throws to its caller: the error with the remote one and its stack as the cause", async () => {
    const counter = await spawned();
    const error = await failureOf(counter.refuse("mauve"));
    expect(error.code).toBe("ACTOR_ERROR");
    expect(error.message).toContain('no word like "mauve" is counted here');
    const cause = error.cause as Error;
    expect(cause.name).toBe("TypeError");
    expect(cause.stack).toContain("word-counter.ts");
    // The actor is still alive.
    expect(await counter.add("blue")).toBe(1);
  });

  test("whose constructor throws is dead with that as the cause, and is not started again", async () => {
    const broken = await client.actor(WordCounter, source, { maxRestarts: 5 }).spawn(-1);
    const error = await failureOf(broken.ready());
    expect(error.code).toBe("ACTOR_DIED");
    expect(error.message).toContain("a count is not negative");
    expect((await broken.info()).incarnation).toBe(1);
  });

  test("ends with the session of the program that made it; a detached one stays and is found by name", async () => {
    const other = await connect({ address: cluster.address, token: cluster.token, name: "short" });
    const counters = other.actor(WordCounter, source);
    const owned = await counters.spawn();
    const detached = await counters.options({ name: "stays", detached: true }).spawn();
    await detached.add("kept");
    const { pid } = await owned.place();
    await other.close();
    await until("the owned actor is gone", () => !isAlive(pid));
    const found = await client.getActor<WordCounter>("stays");
    expect(await found.count("kept")).toBe(1);
    await found.kill();
    await until("it is dead", async () => (await found.info()).state === "dead");
    expect((await failureOf(client.getActor("stays"))).code).toMatch(/NOT_FOUND|ACTOR_DIED/);
  });
});

test("what an actor's process wrote is printed by `palimpsest logs`, of a dead one too, and followed over restarts", async () => {
  const counter = await client
    .actor(WordCounter, source, { name: "talker", maxRestarts: 1 })
    .options({ detached: true })
    .spawn();
  const { pid } = await counter.place();
  let followed = "";
  const following = (async () => {
    for await (const text of client.actorOutput("talker", { follow: true })) followed += text;
  })();
  // A line must arrive before the crash: a request after the end of a process gets only the next one's output.
  await counter.say("it counts");
  await until("the first line is followed", () => followed !== "");
  await counter.crash(3).catch(() => undefined);
  await until("it has a second process", async () => {
    const info = await counter.info();
    return info.state === "alive" && info.pid !== pid;
  });
  await counter.crash(4).catch(() => undefined);
  await following;
  const lines = "the counter has lost count\nit gives up\n";
  expect(followed).toBe(`it counts\n${lines}${lines}`);
  const last = await cluster.run(["logs", "talker", "--tail", "1"]);
  expect(last).toMatchObject({ code: 0, stdout: "it gives up\n" });
  const first = await cluster.run(["logs", counter.actorId, "--incarnation", "1"]);
  expect(first.stdout).toBe(`it counts\n${lines}`);
  const unknown = await cluster.run(["logs", "nobody"]);
  expect(unknown.code).not.toBe(0);
  expect(unknown.stderr).toContain('no actor has the id or name "nobody"');
});

test("two programs at once get or create one actor, and another class or other resources are refused by field", async () => {
  const other = await connect({ address: cluster.address, token: cluster.token, name: "other" });
  try {
    const options = { name: "tally", resources: { cpu: 0.5 } };
    const [one, two] = await Promise.all(
      [client, other].map((program) => program.actor(WordCounter, source, options).getOrCreate(10)),
    );
    if (!one || !two) throw new Error("there is no actor");
    expect(two.actorId).toBe(one.actorId);
    await one.add("red");
    expect(await two.count("red")).toBe(11);
    expect(await two.place()).toEqual(await one.place());
    const refused = (fields: string) => ({
      code: "ALREADY_EXISTS",
      details: { actorId: one.actorId, fields },
    });
    await expect(
      other.actor(WordCounter, source, { ...options, resources: { cpu: 1 } }).getOrCreate(),
    ).rejects.toMatchObject(refused("resources.cpu"));
    await expect(
      other.actor(WordCounter, { ...source, exportName: "Other" }, options).getOrCreate(),
    ).rejects.toMatchObject(refused("code.export_name"));
    await one.kill();
  } finally {
    await other.close();
  }
});

test("a pool shares its calls among processes; one that crashes leaves it, and the others go on", async () => {
  const kind = client.actor(WordCounter, source);
  const handles = await Promise.all([1, 2, 3].map((startAt) => kind.spawn(startAt)));
  const pool = new ActorPool<WordCounter>(handles);
  const pids = new Set<number>();
  const lines = Array.from({ length: 50 }, (_, index) => index);
  const results = pool.map(async (actor, line) => {
    if (line === 20) await actor.crash(3);
    pids.add((await actor.place()).pid);
    return line;
  }, lines);
  const read = await Promise.allSettled([...lines, -1].map(() => results.next()));
  expect(read.flatMap((item) => (item.status === "fulfilled" ? [item.value.value] : []))).toEqual([
    ...lines.filter((line) => line !== 20),
    undefined,
  ]);
  expect(read[20]).toMatchObject({ reason: { code: "ACTOR_DIED" } });
  expect(pids.size).toBe(3);
  const left = [pool.popIdle(), pool.popIdle(), pool.popIdle()];
  expect(left.filter((actor) => actor !== undefined)).toHaveLength(2);
  await Promise.all(left.map((actor) => actor?.kill()));
});

describe("an actor that dies", () => {
  test("leaves a certificate: exit code and its last lines; the call under way gets it", async () => {
    const counter = await client.actor(WordCounter, source).spawn();
    const { pid, nodeId } = await counter.place();
    const error = await failureOf(counter.crash(7));
    expect(error.code).toBe("ACTOR_DIED");
    expect(error.details).toMatchObject({ exitCode: 7, nodeId, pid });
    expect(error.details["lastStderr"]).toBe("the counter has lost count\nit gives up");
    const { state, certificate } = await counter.info();
    expect(state).toBe("dead");
    expect(certificate).toMatchObject({ exitCode: 7, signal: "", pid, nodeId, ownerId: client.sessionId });
    expect(certificate?.lastStderrLines).toEqual(["the counter has lost count", "it gives up"]);
    expect((await failureOf(counter.add("later"))).code).toBe("ACTOR_DIED");
  });

  test("by a signal says which", async () => {
    const counter = await client.actor(WordCounter, source).spawn();
    const { pid } = await counter.place();
    process.kill(pid, "SIGKILL");
    await until("its death is known", async () => (await counter.info()).state === "dead");
    const { certificate } = await counter.info();
    expect(certificate).toMatchObject({ signal: "SIGKILL", exitCode: undefined, pid });
    expect(certificate?.reason).toContain("SIGKILL");
  });

  test("comes back maxRestarts times as a new process with a fresh state, then stays dead", async () => {
    const counter = await client.actor(WordCounter, source, { maxRestarts: 1, maxTaskRetries: 3 }).spawn(5);
    await counter.add("red");
    const before = await counter.place();
    process.kill(before.pid, "SIGKILL");
    await until("its second process", async () => (await counter.info()).incarnation === 2);
    const after = await counter.place();
    expect(after.pid).not.toBe(before.pid);
    expect(after.incarnation).toBe(2);
    // The constructor ran again, so the earlier counts are gone.
    expect(await counter.count("red")).toBe(5);
    process.kill(after.pid, "SIGKILL");
    await until("it is dead", async () => (await counter.info()).state === "dead");
    const error = await failureOf(counter.count("red"));
    expect(error.code).toBe("ACTOR_DIED");
    expect((await counter.info()).incarnation).toBe(2);
  });

  test("under a call without retries fails that call only; the next one finds the new process", async () => {
    const counter = await client.actor(WordCounter, source, { maxRestarts: -1 }).spawn();
    const error = await failureOf(counter.crash(1));
    expect(["ACTOR_DIED", "ACTOR_UNAVAILABLE"]).toContain(error.code);
    expect(await counter.add("again")).toBe(1);
  });
});

test("an actor that no node can hold says why, and is placed when a node comes that can", async () => {
  const wide = await client.actor(WordCounter, source, { resources: { cpu: 1, accelerator: 1 } }).spawn();
  const reason = await until("the reason", async () => (await wide.info()).pendingReason || undefined);
  expect(reason).toContain("accelerator");
  const worker = await cluster.startWorker(["--resources", "accelerator=1"]);
  const { nodeId } = await wide.place();
  expect(worker.output).toContain(nodeId);
});
