import { headService, type Peer } from "@palimpsest/wire";
import type * as proto from "@palimpsest/wire/protocol";
import { afterEach, describe, expect, it } from "vitest";
import { anActor } from "../testing/builders.js";
import { HeadBench, openSession, resolve } from "../testing/running-head.js";

const bench = new HeadBench();

afterEach(() => bench.end());

function getOrCreate(
  peer: Peer,
  actorId: string,
  over: proto.ActorSpec.$Properties = {},
): Promise<proto.ActorInfo.$Properties> {
  const spec = anActor(actorId, { name: "shared", ...over });
  return peer.unary(headService.createActor, { spec, getIfExists: true }, { timeoutMs: 600_000 });
}

describe("get_if_exists", () => {
  it("NAMED-1: of many that ask at once one creates the actor, and all get it", async () => {
    const head = await bench.start();
    const peers = [bench.peer(head), bench.peer(head)];
    for (const [index, peer] of peers.entries()) await openSession(peer, `session-${index}`);
    const node = await bench.join(head, { nodeId: "node-a" });
    const asked = Array.from({ length: 10 }, (_, index) => {
      const ownerId = `session-${index % 2}`;
      return getOrCreate(peers[index % 2] ?? bench.peer(head), `actor-${index}`, { ownerId });
    });
    const ids = new Set((await Promise.all(asked)).map((info) => info.spec?.actorId ?? ""));
    expect(ids.size).toBe(1);
    const [actorId = ""] = ids;
    expect(await resolve(bench.peer(head), actorId)).toMatchObject({ incarnation: 1 });
    const started = node.received.flatMap(({ startActor }) => startActor?.spec?.actorId ?? []);
    expect(started).toEqual([actorId]);
  });

  it("NAMED-2: refuses another class and other resources by field, and looks at nothing else", async () => {
    const head = await bench.start();
    const peer = bench.peer(head);
    await openSession(peer);
    await getOrCreate(peer, "actor-1", { maxTaskRetries: 3 });
    const refused = (over: proto.ActorSpec.$Properties, fields: string, message: string) =>
      expect(getOrCreate(peer, "actor-2", over)).rejects.toMatchObject({
        code: "ALREADY_EXISTS",
        details: { actorId: "actor-1", fields },
        message: expect.stringContaining(message),
      });
    const module = "@palimpsest/trainer/actors";
    await refused(
      { code: { module, exportName: "RewardActor" } },
      "code.export_name",
      'name shared belongs to actor-1, whose code.export_name is "RolloutActor", not "RewardActor"',
    );
    await refused(
      { code: { module: "@palimpsest/evals/actors", exportName: "RolloutActor" } },
      "code.module",
      `code.module is "${module}", not "@palimpsest/evals/actors"`,
    );
    await refused(
      { resources: { quantities: { cpu: 2, license: 1 } } },
      "resources.cpu,resources.license",
      "resources.cpu is 1, not 2 and resources.license is 0, not 1",
    );
    await refused({ resources: {} }, "resources.cpu", "resources.cpu is 1, not 0");
    const same = {
      resources: { quantities: { cpu: 1, license: 0 } },
      maxRestarts: 5,
      args: Buffer.from("x"),
    };
    expect(await getOrCreate(peer, "actor-2", same)).toMatchObject({
      spec: { actorId: "actor-1", maxTaskRetries: 3, maxRestarts: 0 },
    });
  });

  it("creates anew when the one that had the name is dead, and refuses to look for no name", async () => {
    const head = await bench.start();
    const peer = bench.peer(head);
    await openSession(peer);
    await getOrCreate(peer, "actor-1");
    await peer.unary(headService.killActor, { actorId: "actor-1", noRestart: true }, { timeoutMs: 600_000 });
    const resources = { quantities: { cpu: 2 } };
    expect(await getOrCreate(peer, "actor-2", { resources })).toMatchObject({ spec: { actorId: "actor-2" } });
    await expect(getOrCreate(peer, "actor-3", { name: "" })).rejects.toMatchObject({
      code: "INVALID_ARGUMENT",
      message: expect.stringContaining("name is empty"),
    });
  });
});
