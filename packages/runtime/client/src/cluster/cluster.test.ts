import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { decodeValue, ownProtocols, protocolsText } from "@palimpsest/wire";
import * as proto from "@palimpsest/wire/protocol";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { FakeHead } from "../testing/fake-head.js";
import { ScriptedActor } from "../testing/scripted-actor.js";
import type { Cluster } from "./cluster.js";
import { connect } from "./connect.js";

class Greeter {
  readonly greeting: string;
  constructor(greeting: string) {
    this.greeting = greeting;
  }
  async echo(text: string): Promise<string> {
    return this.greeting + text;
  }
}

const { ACTOR_STATE_ALIVE, ACTOR_STATE_DEAD } = proto.ActorState;
const { LABEL_OPERATOR_IN, LABEL_OPERATOR_NOT_EXISTS } = proto.LabelOperator;
const { STRATEGY_KIND_NODE } = proto.StrategyKind;
const module = { module: "@palimpsest/trainer/actors" };
let head: FakeHead;
let cluster: Cluster;
let actor: ScriptedActor;

let folder = "";

/** A user's file that exports the class. */
async function greeterFile(): Promise<string> {
  folder = await mkdtemp(join(tmpdir(), "palimpsest-cluster-"));
  const path = join(folder, "greeter.ts");
  await writeFile(path, "export class Greeter {}");
  return path;
}

beforeEach(async () => {
  head = await FakeHead.start();
  actor = await ScriptedActor.start(head.token);
  head.place = (info) => {
    info.state = ACTOR_STATE_ALIVE;
    info.address = actor.address;
    info.incarnation = 1;
  };
  cluster = await connect({ address: head.address, token: head.token, name: "test", jobId: "job-9" });
});

afterEach(async () => {
  await cluster.close();
  head.kill();
  actor.kill();
  if (folder !== "") await rm(folder, { recursive: true, force: true });
  folder = "";
});

describe("connect", () => {
  test("opens a session and knows the cluster", () => {
    expect(cluster.facts).toMatchObject({ clusterId: "cluster-test", redisUrl: "redis://localhost:1" });
    expect(head.sessions).toMatchObject([
      { sessionId: cluster.sessionId, name: "test", jobId: "job-9", pid: process.pid },
    ]);
  });

  test("names the address when no head is there, and a bad token as such", async () => {
    const nobody = connect({ address: "127.0.0.1:1", token: "x", connectTimeoutMs: 200 });
    await expect(nobody).rejects.toMatchObject({ code: "UNAVAILABLE" });
    await expect(nobody).rejects.toThrow("127.0.0.1:1");
    await expect(connect({ address: head.address, token: "wrong" })).rejects.toMatchObject({
      code: "UNAUTHENTICATED",
    });
    await expect(connect({ address: "", token: "x" })).rejects.toMatchObject({ code: "CONFIG_INVALID" });
  });

  test("PROTOCOL-1: a head without a protocol in common is refused, unless one only looks", async () => {
    const where = { address: head.address, token: head.token };
    head.version = "99.1.4";
    const own = protocolsText(ownProtocols());
    for (const [protocols, also] of [
      [undefined, true],
      [{ min: 2, max: 2 }, true],
      [{ min: 7, max: 8 }, false],
    ] as const) {
      head.protocols = protocols;
      if (also) await (await connect(where)).close();
      else
        await expect(connect(where)).rejects.toMatchObject({
          code: "PROTOCOL_MISMATCH",
          message: expect.stringMatching(
            new RegExp(`this program speaks ${own}, the head at .* protocols 7 to 8.* upgrade this program`),
          ),
        });
      const looking = await connect(where, { anyProtocol: true });
      expect((await looking.info()).protocols).toEqual(protocols ?? { min: 1, max: 1 });
      await looking.close();
    }
  });

  test("PROTOCOL-2: a method that the head does not know is told with what each side speaks", async () => {
    head.protocols = undefined;
    await expect(cluster.drivers()).rejects.toMatchObject({
      code: "PROTOCOL_MISMATCH",
      message: expect.stringMatching(
        /Head\.ListDrivers needs protocol 2, and the head at .* speaks protocol 1/,
      ),
      details: { method: "Head.ListDrivers", protocol: 2, maxProtocol: 1 },
    });
  });

  test("opens the session again under the same id after the head was restarted (SESSION-1)", async () => {
    const { port } = head;
    head.kill();
    head.sessions.length = 0;
    await head.listen(port);
    await expect.poll(() => head.sessions.length).toBe(1);
    expect(head.sessions[0]?.sessionId).toBe(cluster.sessionId);
    expect((await cluster.info()).clusterId).toBe("cluster-test");
  });

  test("calls to a head that is away for a moment wait for it", async () => {
    const { port } = head;
    head.kill();
    const info = cluster.info();
    await head.listen(port);
    await expect(info).resolves.toMatchObject({ clusterId: "cluster-test" });
  });

  test("close() says goodbye and can be called twice (SESSION-2)", async () => {
    await Promise.all([cluster.close(), cluster.close()]);
    expect(head.sessions.at(-1)).toMatchObject({ sessionId: cluster.sessionId, goodbye: true });
    await expect(cluster.objects.put(new Uint8Array(1))).rejects.toMatchObject({ code: "CANCELLED" });
  });
});

describe("actors", () => {
  test("are registered with all that they asked for, and called directly", async () => {
    const kind = cluster.actor(Greeter, module, {
      name: "greeter",
      resources: { cpu: 0.5, memory: 1024 },
      labels: { zone: "a", disk: { in: ["ssd", "nvme"] }, spot: { exists: false } },
      strategy: { nodeId: "node-7", soft: true },
      maxRestarts: -1,
      maxConcurrency: 4,
      maxPendingCalls: 9,
      detached: true,
      environment: { A: "1" },
    });
    const handle = await kind.spawn("hello ");
    const spec = head.actors.get(handle.actorId)?.spec;
    expect(spec).toMatchObject({
      name: "greeter",
      role: "Greeter",
      code: { module: module.module, exportName: "Greeter" },
      resources: { quantities: { cpu: 0.5, memory: 1024 } },
      labels: { zone: "a" },
      labelConditions: [
        { name: "disk", operator: LABEL_OPERATOR_IN, values: ["ssd", "nvme"] },
        { name: "spot", operator: LABEL_OPERATOR_NOT_EXISTS },
      ],
      strategy: { kind: STRATEGY_KIND_NODE, nodeId: "node-7", soft: true },
      maxRestarts: -1,
      maxConcurrency: 4,
      maxPendingCalls: 9,
      detached: true,
      environment: { A: "1" },
      ownerId: cluster.sessionId,
      jobId: "job-9",
    });
    const lanes = { concurrencyGroups: { io: 2 }, methodGroups: { echo: "io" } };
    const inLanes = await kind.options({ ...lanes, name: "" }).spawn("");
    expect(head.actors.get(inLanes.actorId)?.spec).toMatchObject(lanes);
    const badGroups: [Record<string, string>, string][] = [
      [{ echo: "cpu" }, 'methodGroups.echo: "cpu" is not one of concurrencyGroups (io): name one of them'],
      [{ nothing: "io" }, "methodGroups.nothing: Greeter has no method nothing: leave it out"],
    ];
    for (const [methodGroups, message] of badGroups)
      expect(() => kind.options({ ...lanes, methodGroups })).toThrow(message);
    const wrong = [
      [{ labels: { zone: { in: [] } } }, "labels.zone.in: is []: give at least one value, or use { exists }"],
      [{ strategy: { nodeId: "" } }, 'strategy.nodeId: is "": name a node'],
      [
        { resources: { cpus: 1 } },
        "resources.cpus: did you mean cpu? A resource of your own needs another name",
      ],
      [{ strategy: "best" as "pack" }, 'strategy: is "best": give "pack", "spread" or { nodeId, soft }'],
    ] as const;
    for (const [options, message] of wrong) expect(() => kind.options(options)).toThrow(message);
    expect(decodeValue(spec?.args ?? new Uint8Array())).toEqual(["hello "]);
    expect(await handle.echo("echoed by the scripted actor")).toBe("echoed by the scripted actor");
    expect(await handle.info()).toMatchObject({ state: "alive", name: "greeter", incarnation: 1 });
  });

  test("are got by name where they exist, with their own retries, and created where not", async () => {
    const kind = cluster.actor(Greeter, module, { name: "greeter", maxTaskRetries: 2 });
    const created = await kind.getOrCreate("hello ");
    expect(decodeValue(head.actors.get(created.actorId)?.spec?.args ?? new Uint8Array())).toEqual(["hello "]);
    const got = await kind.options({ maxTaskRetries: 0 }).getOrCreate("good morning ");
    expect(got.actorId).toBe(created.actorId);
    expect(head.actors.size).toBe(1);
    expect(await got.echo("x")).toBe("x");
    await expect(kind.options({ name: "" }).getOrCreate("")).rejects.toMatchObject({
      code: "INVALID_ARGUMENT",
      message: expect.stringContaining('name is ""'),
    });
  });

  test("that find no room are told as such, with what each node lacks", async () => {
    const pendingReason = "needs 2 cpu: small has 0.5 of 0.5 cpu";
    head.place = (info) => {
      info.pendingReason = pendingReason;
    };
    const handle = await cluster.actor(Greeter, module).spawn("");
    // A deadline may pass before the head's answer arrives.
    const failure = () =>
      handle.ready({ timeoutMs: 50 }).then(
        () => undefined,
        (reason: unknown) => reason,
      );
    await expect.poll(failure).toMatchObject({
      code: "UNSCHEDULABLE",
      message: expect.stringContaining(pendingReason),
    });
    await expect(handle.with({ timeoutMs: 50 }).echo("")).rejects.toMatchObject({
      code: "GET_TIMEOUT",
      details: { sent: "false" },
    });
  });

  test("of a user's file are bundled and uploaded once", async () => {
    const kind = cluster.actor(Greeter, { from: await greeterFile() });
    const [one, two] = await Promise.all([kind.spawn("a"), kind.options({ role: "other" }).spawn("b")]);
    expect(head.bundles.size).toBe(1);
    const [sha256] = head.bundles.keys();
    for (const handle of [one, two]) {
      expect(head.actors.get(handle.actorId)?.spec?.code).toMatchObject({
        bundle: sha256,
        exportName: "Greeter",
      });
    }
  });

  test("UPLOAD-1: are spawned by a head that was away when their bundle was to be sent", async () => {
    const from = await greeterFile();
    const { port } = head;
    head.kill();
    const spawned = cluster.actor(Greeter, { from }).spawn("a");
    await head.listen(port);
    const { actorId } = await spawned;
    expect(head.bundles.has(head.actors.get(actorId)?.spec?.code?.bundle ?? "")).toBe(true);
  });

  test("UPLOAD-2: are spawned by a head that has lost their bundle since", async () => {
    const kind = cluster.actor(Greeter, { from: await greeterFile() });
    await kind.spawn("a");
    head.bundles.clear();
    await kind.spawn("b");
    expect(head.bundles.size).toBe(1);
    expect(head.actors.size).toBe(2);
  });

  test("with options that make no sense are refused by field where they are declared", async () => {
    expect(() => cluster.actor(Greeter, module, { maxConcurrency: 0 })).toThrow("maxConcurrency");
    const mistyped = JSON.parse('{ "maxRestart": 1 }');
    const imported = { Class: Greeter, source: module };
    for (const declare of [
      () => cluster.actor(Greeter, module, mistyped),
      () => cluster.actor(imported, mistyped),
      () => cluster.mesh(imported, { shape: { lane: 2 }, ...mistyped }),
      () => cluster.actor(imported).options(mistyped),
    ])
      expect(declare).toThrow(
        'options of actor Greeter: unknown key "maxRestart"; did you mean "maxRestarts"?',
      );
    expect(() => cluster.mesh(imported, { shape: { lane: 0 } })).toThrow("shape.lane is 0");
    await expect(cluster.actor(Greeter, { module: "lodash" }).spawn("x")).rejects.toMatchObject({
      code: "INVALID_ARGUMENT",
    });
    class Clash {
      kill(): void {}
    }
    expect(() => cluster.actor(Clash, module)).toThrow("Clash.kill");
  });

  test("are found by name, and one that is dead says how it died", async () => {
    await cluster.actor(Greeter, module, { name: "greeter" }).spawn("x");
    const found = await cluster.getActor<Greeter>("greeter");
    expect(await found.echo("found")).toBe("found");
    await expect(cluster.getActor("nobody")).rejects.toMatchObject({ code: "NOT_FOUND" });
    const info = head.actors.get(found.actorId);
    if (info) Object.assign(info, { state: ACTOR_STATE_DEAD, certificate: { reason: "killed" } });
    await expect(cluster.getActor("greeter")).rejects.toMatchObject({ code: "ACTOR_DIED" });
  });

  test("that the head reports dead fail their calls at once", async () => {
    const handle = await cluster.actor(Greeter, module).spawn("x");
    await handle.echo("warm");
    actor.silent.add("echo");
    const inFlight = handle.echo("never");
    head.tell({ actorDied: { spec: { actorId: handle.actorId }, certificate: { reason: "its node died" } } });
    await expect(inFlight).rejects.toMatchObject({
      code: "ACTOR_DIED",
      details: { reason: "its node died" },
    });
  });

  test("are killed for good, or as by a crash", async () => {
    const handle = await cluster.actor(Greeter, module).spawn("x");
    await handle.kill();
    await handle.kill({ restart: true });
    expect(head.killed).toMatchObject([
      { actorId: handle.actorId, noRestart: true },
      { actorId: handle.actorId, noRestart: false },
    ]);
  });
});

test("the tables of the head can be read", async () => {
  head.nodes.push({
    nodeId: "node-1",
    hostname: hostname(),
    state: proto.NodeState.NODE_STATE_ALIVE,
    total: { quantities: { cpu: 2 } },
  });
  await cluster.actor(Greeter, module).spawn("x");
  expect(await cluster.nodes()).toMatchObject([{ nodeId: "node-1", state: "alive", total: { cpu: 2 } }]);
  expect(await cluster.actors()).toMatchObject([{ role: "Greeter", state: "alive" }]);
  expect(await cluster.queues()).toMatchObject([{ name: "rollouts", waiting: 3, failed: 0 }]);
});

describe("jobs", () => {
  test("carry a recipe or a bundled program, with arguments", async () => {
    const recipe = await cluster.jobs.submit({
      recipe: "agent: memagent\n",
      argv: ["--seed", "1"],
      name: "r.yaml",
    });
    expect(recipe).toMatchObject({ status: "pending", name: "r.yaml" });
    const again = { program: "data:text/javascript;base64,Ly8=", submissionId: "job-mine" };
    expect((await cluster.jobs.submit(again)).jobId).toBe("job-mine");
    expect(head.submissions[0]).toMatchObject({ recipe: "agent: memagent\n", argv: ["--seed", "1"] });
    expect(head.bundles.get(head.submissions[1]?.bundle ?? "")?.toString()).toBe("//");
  });

  test("lease no resource under the name that another system has for it", async () => {
    await expect(cluster.jobs.submit({ recipe: "x", resources: { cpus: 1 } })).rejects.toThrow(
      "options of jobs.submit(): resources.cpus: did you mean cpu? A resource of your own needs another name",
    );
    expect(head.submissions).toEqual([]);
  });

  test("are waited for until they end", async () => {
    const { jobId } = await cluster.jobs.submit({ recipe: "x" });
    await expect(cluster.jobs.wait(jobId, { timeoutMs: 10 })).rejects.toMatchObject({ code: "GET_TIMEOUT" });
    head.jobs.set(jobId, {
      jobId,
      status: proto.JobStatus.JOB_STATUS_FAILED,
      message: "broke",
      driverExitCode: 2,
    });
    const ended = await cluster.jobs.wait(jobId, { timeoutMs: 600_000 });
    expect(ended).toMatchObject({ status: "failed", message: "broke", driverExitCode: 2 });
    await expect(cluster.jobs.get("job-none")).rejects.toMatchObject({ code: "NOT_FOUND" });
  });

  test("logs go on where a break cut them, without a gap or a repetition, also inside a character", async () => {
    const bytes = Buffer.from("Zeile ü eins\nZeile zwei\n");
    const cut = bytes.indexOf(0xc3) + 1;
    head.logs = (call) => {
      const from = call.request.offsetBytes ?? 0;
      if (from === 0) {
        call.write({ data: bytes.subarray(0, cut), offsetBytes: 0 });
        call.emit("error", { code: 14, details: "the head goes away" });
        return;
      }
      // One byte is told again, as a head may.
      call.write({ data: bytes.subarray(cut - 1), offsetBytes: cut - 1 });
      call.end();
    };
    let text = "";
    for await (const part of cluster.jobs.logs("job-1", { follow: true })) text += part;
    expect(text).toBe(bytes.toString());
    expect(head.logRequests.map((request) => request.offsetBytes ?? 0)).toEqual([0, cut]);
  });
});
