import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { headService, jobsService, PalimpsestError, Peer } from "@palimpsest/wire";
import * as proto from "@palimpsest/wire/protocol";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { HeadConfigInput } from "./config.js";
import { Head } from "./head.js";
import { anActor, quietLogger, temporaryFolder } from "./testing/builders.js";
import { FakeNode, runningActor } from "./testing/fake-node.js";

const { ACTOR_STATE_PENDING, ACTOR_STATE_ALIVE, ACTOR_STATE_DEAD } = proto.ActorState;

let folder: ReturnType<typeof temporaryFolder>;
let endings: (() => Promise<void> | void)[];

beforeEach(() => {
  folder = temporaryFolder();
  endings = [];
});
afterEach(async () => {
  for (const end of endings.reverse()) await end();
  folder.remove();
});

async function startHead(over: Partial<HeadConfigInput> = {}): Promise<Head> {
  const head = await Head.start(
    {
      dataDir: folder.path,
      heartbeatIntervalMs: 50,
      nodeTimeoutMs: 400,
      recoveryGraceMs: 400,
      ownerGraceMs: 200,
      ...over,
    },
    { logger: quietLogger() },
  );
  endings.push(() => head.close());
  return head;
}

function peerOf(head: Head, token = head.token): Peer {
  const peer = new Peer(head.address, token);
  endings.push(() => peer.close());
  return peer;
}

async function joinNode(head: Head, options: ConstructorParameters<typeof FakeNode>[2]): Promise<FakeNode> {
  const node = (await FakeNode.join(head.address, head.token, options)).beatEvery(50);
  endings.push(() => node.break());
  return node;
}

/** A driver that is connected until the test ends. */
async function openSession(peer: Peer, sessionId = "session-test") {
  const stream = peer.bidi(headService.session);
  stream.on("error", () => undefined);
  const opened = new Promise((resolve) => stream.once("data", resolve));
  stream.write({ sessionId, name: "test", pid: 1 });
  await opened;
  return stream;
}

const create = (peer: Peer, spec: proto.ActorSpec.$Properties) =>
  peer.unary(headService.createActor, { spec }, { timeoutMs: 5_000 });

const resolve = (peer: Peer, actorId: string, knownIncarnation = 0, waitMs = 10_000) =>
  peer.unary(headService.resolveActor, { actorId, knownIncarnation, waitMs }, { timeoutMs: waitMs + 5_000 });

describe("actors", () => {
  it("go from CreateActor over StartActor to ALIVE with the address that the node tells", async () => {
    const head = await startHead();
    const peer = peerOf(head);
    await openSession(peer);
    const node = await joinNode(head, { nodeId: "node-a" });
    const created = await create(peer, anActor("actor-1"));
    expect(created.state).toBe(ACTOR_STATE_PENDING);
    const info = await resolve(peer, "actor-1");
    expect(info).toMatchObject({
      state: ACTOR_STATE_ALIVE,
      nodeId: "node-a",
      incarnation: 1,
      address: "127.0.0.1:7001",
    });
    expect((await node.started("actor-1", 1)).spec?.role).toBe("rollout");
    const { nodes } = await peer.unary(headService.listNodes, {}, { timeoutMs: 5_000 });
    expect(nodes?.[0]?.available?.quantities?.["cpu"]).toBe(3);
  });

  it("are created once however often it is asked", async () => {
    const head = await startHead();
    const peer = peerOf(head);
    await openSession(peer);
    const node = await joinNode(head, { nodeId: "node-a" });
    await Promise.all([1, 2, 3].map(() => create(peer, anActor("actor-1"))));
    await resolve(peer, "actor-1");
    expect(node.received.filter((message) => message.startActor)).toHaveLength(1);
  });
});
