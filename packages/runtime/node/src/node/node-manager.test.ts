import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { isProcessAlive } from "@palimpsest/std";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { FakeHead } from "../testing/fake-head.js";
import { callActor, startCounter, startNode, type TestNode } from "../testing/fixture.js";

let head: FakeHead;
let node: TestNode;

beforeEach(async () => {
  head = await FakeHead.start();
  node = await startNode(head, { cpus: 3, resources: { slots: 2 }, labels: { zone: "a" } });
});

afterEach(async () => {
  await node[Symbol.asyncDispose]();
  head.kill();
});

const bearer = { headers: { authorization: "Bearer token-of-the-tests" } };

describe("registration", () => {
  test("tells what the machine offers and where its services are, and then gives signs of life (LINK-1, LINK-2)", async () => {
    const register = await head.next("register");
    expect(register.total?.quantities).toMatchObject({ cpu: 3, slots: 2 });
    expect(register.total?.quantities?.["memory"]).toBeGreaterThan(0);
    expect(register.labels).toEqual({ zone: "a" });
    expect(register.objectsAddress).toBe(node.manager.objectsAddress);
    const heartbeat = await head.next("heartbeat");
    expect(heartbeat.use?.memoryUsedBytes).toBeGreaterThan(0);
    expect(head.messages[0]?.register).toBeTruthy();
    const metrics = await fetch(`http://${node.manager.metricsAddress}/metrics`, bearer);
    expect(await metrics.text()).toContain("palimpsest_node_processes");
  });

  test("a head that comes back is told what still runs, and the actor does not notice (NODEMANAGER-2, LINK-1)", async () => {
    const actorId = await startCounter(head);
    const started = await head.next("actorStarted");
    const port = Number(head.address.split(":")[1]);
    head.kill();
    expect(await callActor(started, head.token, "add", 5)).toBe(5);
    head = await FakeHead.start(port);
    const register = await head.next("register");
    expect(register.actors).toMatchObject([
      { actorId, incarnation: 1, pid: started.pid, address: started.address },
    ]);
    expect(await callActor(started, head.token, "add", 1)).toBe(6);
  });

  test("a death while the head is away is told after the next registration, before the first heartbeat (LINK-2)", async () => {
    await startCounter(head);
    const started = await head.next("actorStarted");
    const port = Number(head.address.split(":")[1]);
    head.kill();
    process.kill(started.pid ?? 0, "SIGKILL");
    await expect.poll(() => isProcessAlive(started.pid ?? 0)).toBe(false);
    head = await FakeHead.start(port);
    await head.next("heartbeat");
    const kinds = head.messages.map((message) => message.message).filter((kind) => kind !== "objectReport");
    expect(kinds.slice(0, 3)).toEqual(["register", "actorDied", "heartbeat"]);
    expect(head.messages[0]?.register?.actors).toEqual([]);
    expect(head.messages[1]?.actorDied?.certificate?.signal).toBe("SIGKILL");
  });

  test("a head that stays away longer than the limit ends the node and all it runs", async () => {
    await using other = await startNode(head, { headAwayLimitMs: 100 });
    await startCounter(head, { actorId: "actor-orphan" });
    const { pid } = await head.next("actorStarted");
    head.kill();
    const { error } = await other.manager.ended;
    expect(error?.code).toBe("UNAVAILABLE");
    expect(isProcessAlive(pid ?? 0)).toBe(false);
  });

  test("an order to start that comes when the head may have given the node up is not obeyed (LINK-8)", async () => {
    const registered = async (times: number) => {
      while (head.registrations < times) await head.changed();
    };
    // A head that answers no heartbeat: 1 ms after the registration it may have given the node up.
    head.registered = { headTimeoutMs: 1 };
    head.breakLinks();
    await registered(2);
    const already = head.messages.length;
    const heartbeats = () => head.messages.slice(already).filter((message) => message.heartbeat != null);
    while (heartbeats().length < 2) await head.changed();
    head.registered = {};
    await startCounter(head, { actorId: "actor-late" });
    await registered(3);
    await startCounter(head, { actorId: "actor-wanted" });
    await head.next("actorStarted", ({ actorId }) => actorId === "actor-wanted");
    head.breakLinks();
    await registered(4);
    const listed = head.messages.findLast((message) => message.register != null)?.register?.actors ?? [];
    expect(listed.map(({ actorId }) => actorId)).toEqual(["actor-wanted"]);
  });

  test("a wrong token is reported at once", async () => {
    await expect(startNode(head, { token: "not-the-token" })).rejects.toMatchObject({
      code: "UNAUTHENTICATED",
    });
  });
});

describe("actors", () => {
  test("start in a process of their own and answer calls", async () => {
    const actorId = await startCounter(head);
    const started = await head.next("actorStarted");
    expect(started).toMatchObject({ actorId, incarnation: 1 });
    expect(started.pid).not.toBe(process.pid);
    const facts = await callActor(started, head.token, "whoAmI");
    expect(facts).toMatchObject({
      actorId,
      incarnation: 1,
      role: "counter",
      nodeId: node.manager.nodeId,
      pid: started.pid,
    });
    const metrics = await fetch(`http://${started.metricsAddress}/metrics`, bearer);
    expect(await metrics.text()).toContain('palimpsest_actor_calls_total{method="whoAmI",outcome="ok"');
  });

  test("a repeated order starts nothing twice (SUPERVISOR-1)", async () => {
    await startCounter(head);
    await startCounter(head);
    const { pid } = await head.next("actorStarted");
    await startCounter(head, { actorId: "actor-other" });
    await head.next("actorStarted", (message) => message.actorId === "actor-other");
    const pids = head.messages.flatMap((message) => message.actorStarted ?? []).map((message) => message.pid);
    expect(pids.filter((other) => other === pid)).toHaveLength(1);
    expect(pids).toHaveLength(2);
  });

  test("exit by themselves: the certificate has exit code, last words and owner", async () => {
    const actorId = await startCounter(head);
    const started = await head.next("actorStarted");
    await callActor(started, head.token, "exit", 7).catch(() => undefined);
    const died = await head.next("actorDied");
    expect(died).toMatchObject({ actorId, incarnation: 1 });
    expect(died.constructorError).toBeFalsy();
    expect(died.certificate).toMatchObject({
      exitCode: 7,
      signal: "",
      ownerId: "session-test",
      nodeId: node.manager.nodeId,
      pid: started.pid,
    });
    expect(died.certificate?.lastStderrLines).toContain("about to exit");
    expect(died.certificate?.reason).toContain("code 7");
  });

  test("killed from outside: the certificate names the signal, and a restart runs the constructor again", async () => {
    const actorId = await startCounter(head, { args: [40] });
    const first = await head.next("actorStarted");
    await callActor(first, head.token, "add", 100);
    process.kill(first.pid ?? 0, "SIGKILL");
    const died = await head.next("actorDied");
    expect(died.certificate).toMatchObject({
      signal: "SIGKILL",
      reason: expect.stringContaining("its process was killed by SIGKILL"),
    });
    expect(died.certificate?.exitCode ?? undefined).toBeUndefined();
    await startCounter(head, { actorId, incarnation: 2, args: [40] });
    const second = await head.next("actorStarted", (message) => message.incarnation === 2);
    expect(await callActor(second, head.token, "add", 2)).toBe(42);
  });

  test("a constructor that throws is told as such, with the error and its stack (ACTORPROCESS-1)", async () => {
    await startCounter(head, { args: ["throw"] });
    const died = await head.next("actorDied");
    expect(died.constructorError?.code).toBe("ACTOR_ERROR");
    expect(died.constructorError?.cause?.message).toBe("the counter refused to start");
    expect(died.certificate?.reason).toContain("the counter refused to start");
    expect(died.certificate?.lastStderrLines?.join("\n")).toContain("the counter refused to start");
    expect(head.messages.some((message) => message.actorStarted)).toBe(false);
  });

  test("a class that the module does not export is an error of the constructor's kind", async () => {
    const bundle = head.addBundle(Buffer.from("export class Other {}"));
    head.send({
      startActor: { incarnation: 1, spec: { actorId: "actor-x", code: { bundle, exportName: "Missing" } } },
    });
    const died = await head.next("actorDied");
    expect(died.constructorError?.message).toContain("Missing");
    expect(died.constructorError?.message).toContain("Other");
  });

  test("code that is not of the installation is refused", async () => {
    head.send({
      startActor: {
        incarnation: 1,
        spec: { actorId: "actor-x", code: { module: "node:fs", exportName: "Stats" } },
      },
    });
    const died = await head.next("actorDied");
    expect(died.constructorError?.code).toBe("INVALID_ARGUMENT");
  });

  test("a bundle whose bytes have another hash is not run (BUNDLE-1)", async () => {
    const claimed = "0".repeat(64);
    head.addBundle(Buffer.from("process.exit(0)"), claimed);
    head.send({
      startActor: {
        incarnation: 1,
        spec: { actorId: "actor-x", code: { bundle: claimed, exportName: "A" } },
      },
    });
    const died = await head.next("actorDied");
    expect(died.certificate?.reason).toContain("was received with the hash");
  });

  test("are stopped in order: stop() runs, then the process is gone (PROCESS-2)", async () => {
    const actorId = await startCounter(head);
    const { pid } = await head.next("actorStarted");
    head.send({ stopActor: { actorId, graceMs: 5_000, reason: "the test is over" } });
    const died = await head.next("actorDied");
    expect(died.certificate).toMatchObject({ reason: "the test is over", exitCode: 0 });
    expect(died.certificate?.lastStderrLines).toContain("counter stopped in order");
    expect(isProcessAlive(pid ?? 0)).toBe(false);
  });

  test("a stop that comes while the constructor still waits ends the start (SUPERVISOR-3)", async () => {
    const actorId = await startCounter(head, { args: ["slow"] });
    head.send({ stopActor: { actorId, graceMs: 0, reason: "not wanted" } });
    const died = await head.next("actorDied");
    expect(died.certificate?.reason).toContain("not wanted");
  });

  test("an actor that is not ready in time is killed, and says so", async () => {
    await using other = await startNode(head, { actorStartTimeoutMs: 1_000 });
    await startCounter(head, { args: ["slow"] });
    const died = await head.next("actorDied");
    expect(died.certificate?.reason).toContain("not ready within 1000 ms");
    expect(other.manager.nodeId).toBe(died.certificate?.nodeId);
  });
});

describe("the end of a node", () => {
  test("stops every process, tells the head only then, and removes its objects (NODEMANAGER-1, NODEMANAGER-3)", async () => {
    await startCounter(head);
    const { pid } = await head.next("actorStarted");
    await node.manager.close("the test ends it");
    expect(isProcessAlive(pid ?? 0)).toBe(false);
    expect(head.saidGoodbye).toBe(true);
    expect(head.messages.some((message) => message.actorDied)).toBe(false);
    await expect(node.manager.ended).resolves.toMatchObject({ reason: "the test ends it" });
  });

  test("can be ordered by the head", async () => {
    head.send({ stopNode: { reason: "cluster shutdown" } });
    await expect(node.manager.ended).resolves.toMatchObject({ reason: "cluster shutdown", error: undefined });
  });

  test("kill -9 of the node ends its actors and drivers too (NODEPROCESS-1)", async () => {
    await node.manager.close();
    const config = {
      headAddress: head.address,
      token: head.token,
      dataDir: node.dataDir,
      modulesFrom: new URL("../../../../apps/cli/package.json", import.meta.url).pathname,
      objectStoreDir: node.dataDir,
      gpus: 0,
    };
    const program = `
      const { NodeManager } = await import(${JSON.stringify(new URL("../../dist/index.js", import.meta.url).href)});
      const { createLogger } = await import(${JSON.stringify(new URL("../../../telemetry/dist/index.js", import.meta.url).href)});
      await NodeManager.start(${JSON.stringify(config)}, { logger: createLogger({ component: "n", level: "silent" }), environment: process.env });
    `;
    const child = spawn(process.execPath, ["--input-type=module", "-e", program], { stdio: "inherit" });
    while (head.registrations < 2) await head.changed();
    await startCounter(head);
    const bundle = head.addBundle(Buffer.from("setInterval(() => {}, 1000)"));
    head.send({ startDriver: { jobId: "job-1", bundle, argv: ["program"] } });
    const actor = await head.next("actorStarted");
    const driver = await head.next("driverStarted");
    child.kill("SIGKILL");
    await once(child, "exit");
    for (const pid of [actor.pid ?? 0, driver.pid ?? 0]) {
      await expect.poll(() => isProcessAlive(pid)).toBe(false);
    }
  });
});

describe("what drivers start", () => {
  const sleeper = `
    import { spawn } from "node:child_process";
    const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: "ignore" });
    child.unref();
    console.log(child.pid);
  `;
  const grandchild = async () => Number(await head.logUntil((text) => text.endsWith("\n")));

  test.each([
    ["ends by itself", ""],
    ["is killed", "setInterval(() => {}, 1000);"],
  ])("ends with a driver that %s (PROCESS-3)", async (_how, more) => {
    const bundle = head.addBundle(Buffer.from(`${sleeper}${more}`));
    head.send({ startDriver: { jobId: "job-1", bundle, argv: ["program"] } });
    const pid = await grandchild();
    if (more !== "") process.kill((await head.next("driverStarted")).pid ?? 0, "SIGKILL");
    const exited = await head.next("driverExited");
    if (more !== "") expect(exited.certificate?.reason).toContain("out-of-memory killer");
    await expect.poll(() => isProcessAlive(pid)).toBe(false);
  });

  test("is chosen by the kernel before the node when memory runs out", async () => {
    await startCounter(head);
    const { pid } = await head.next("actorStarted");
    const score = async (of: number | "self") => Number(await readFile(`/proc/${of}/oom_score_adj`, "utf8"));
    expect(await score(pid ?? 0)).toBeGreaterThan(await score("self"));
  });
});

describe("logs of actors", () => {
  test("lie in the data folder", async () => {
    const actorId = await startCounter(head);
    const started = await head.next("actorStarted");
    await callActor(started, head.token, "exit", 0).catch(() => undefined);
    await head.next("actorDied");
    await expect
      .poll(() => readFile(`${node.dataDir}/logs/${actorId}-1.log`, "utf8"))
      .toContain("about to exit");
  });
});
