import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { grpcNetwork, headService, type Peer } from "@palimpsest/wire";
import type * as proto from "@palimpsest/wire/protocol";
import type { HeadConfigInput } from "../rules/config.js";
import { Head } from "../start/head.js";
import { quietLogger } from "./builders.js";
import { FakeNode, type FakeNodeOptions } from "./fake-node.js";

const times = { heartbeatIntervalMs: 50, nodeTimeoutMs: 500, recoveryGraceMs: 3_000, ownerGraceMs: 200 };

/** A folder, and the real heads, nodes and clients that a test starts with it. end() ends them all. */
export class HeadBench {
  readonly folder = mkdtempSync(join(tmpdir(), "palimpsest-head-"));
  readonly #endings: (() => Promise<void> | void)[] = [];

  async start(over: Partial<HeadConfigInput> = {}): Promise<Head> {
    const head = await Head.start({ dataDir: this.folder, ...times, ...over }, { logger: quietLogger() });
    this.#endings.push(() => head.close());
    return head;
  }

  peer(head: Head, token = head.token): Peer {
    const peer = grpcNetwork({ token }).connect(head.address);
    this.#endings.push(() => peer.close());
    return peer;
  }

  async join(head: Head, options: FakeNodeOptions): Promise<FakeNode> {
    const node = (await FakeNode.join(head.address, head.token, options)).beatEvery(50);
    this.#endings.push(() => node.break());
    return node;
  }

  /** Creates a node that may be refused. */
  node(head: Head, token: string, options: FakeNodeOptions): FakeNode {
    const node = new FakeNode(head.address, token, options);
    this.#endings.push(() => node.break());
    return node;
  }

  async end(): Promise<void> {
    for (const end of this.#endings.splice(0).reverse()) await end();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Connects a driver until the test ends. */
export async function openSession(peer: Peer, sessionId = "session-test") {
  const stream = peer.bidi(headService.session);
  stream.on("error", () => undefined);
  const opened = once(stream, "data");
  stream.write({ sessionId, name: "test", pid: 1 });
  await opened;
  return stream;
}

export function create(peer: Peer, spec: proto.ActorSpec.$Properties): Promise<proto.ActorInfo.$Properties> {
  return peer.unary(headService.createActor, { spec }, { timeoutMs: 600_000 });
}

export function resolve(
  peer: Peer,
  actorId: string,
  knownIncarnation = 0,
  waitMs = 20_000,
): Promise<proto.ActorInfo.$Properties> {
  const request = { actorId, knownIncarnation, waitMs };
  return peer.unary(headService.resolveActor, request, { timeoutMs: waitMs + 5_000 });
}
