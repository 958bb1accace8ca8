/**
 * Responsibility: records which objects were put, held and freed, as the programs of the simulation know it, and which
 * holders the head declared ended; checks each of these events against what the object store and the directory promise.
 * Not responsible for: objects at rest (../invariants/objects.ts), files (memory-disk.ts).
 */
import { parseHolder } from "@palimpsest/wire";
import type * as proto from "@palimpsest/wire/protocol";
import type { ContentRef } from "../../../packages/runtime/client/src/values/objects.js";
import type { ControlPlane } from "../../../packages/runtime/head/src/start/control-plane.js";
import { hasEnded } from "../../../packages/runtime/head/src/tables/job.js";
import type { Arrival } from "./connection.js";
import type { SimNode } from "./node.js";
import type { SimProcess } from "./process.js";
import type { World } from "./world.js";

/** What programs tell each other about an object. */
export interface KnownObject extends ContentRef {
  /** The object's bytes are a function of its key. */
  readonly key: string;
}

/** The acknowledgment that an object stays on a node for a holder. */
export interface Hold {
  readonly node: SimNode;
  readonly objectId: string;
  readonly holder: string;
  /** The time of the request; the hold was made then or later. */
  readonly startedMs: number;
  readonly acknowledgedMs: number;
}

/** One call about one object. */
export interface ObjectOperation {
  readonly what: "put" | "get" | "hold" | "release" | "free";
  readonly objectId: string;
  readonly startedMs: number;
  /** Infinity if it failed, in which case parts of it may still be on their way. */
  endedMs: number;
}

interface FreeArrival {
  readonly holder: string;
  readonly atMs: number;
  /** The node that received it; undefined for a head, whose orders reach every node. */
  readonly node: SimProcess | undefined;
}

/** For this long, a node that a head declared dead, or a store without its last rows, explains a missing object. */
const explainedMs = 200_000;
const maxKnown = 40;

export class ObjectRecords {
  readonly #world: World;
  /** The newest objects that programs know. */
  readonly known: KnownObject[] = [];
  readonly operations: ObjectOperation[] = [];
  readonly endedHolders = new Set<string>();
  #holds: Hold[] = [];
  readonly #frees = new Map<string, FreeArrival[]>();
  /** When each head first heard of a holder. */
  readonly #namedMs = new Map<string, number>();
  /** Until when the copy that a node has spilled was damaged; infinity while its file is there. */
  readonly #damagedUntilMs = new Map<string, number>();
  /** When an object's spilled copy was last damaged on some node. */
  readonly damagedMs = new Map<string, number>();
  lastDamageMs = Number.NEGATIVE_INFINITY;
  /** Nodes that some head declared dead, and when. */
  readonly takenForDeadMs = new Map<string, number>();

  constructor(world: World) {
    this.#world = world;
  }

  learn(object: KnownObject): void {
    if (this.known.some(({ objectId }) => objectId === object.objectId)) return;
    this.known.push(object);
    if (this.known.length > maxKnown) this.known.shift();
  }

  /** Removes an object about which programs no longer tell each other. */
  forget(objectId: string): void {
    const index = this.known.findIndex((one) => one.objectId === objectId);
    if (index >= 0) this.known.splice(index, 1);
  }

  begin(what: ObjectOperation["what"], objectId: string): ObjectOperation {
    const startedMs = this.#world.scheduler.nowMs;
    const operation = { what, objectId, startedMs, endedMs: Number.POSITIVE_INFINITY };
    this.operations.push(operation);
    return operation;
  }

  done(operation: ObjectOperation): void {
    operation.endedMs = this.#world.scheduler.nowMs;
    this.#world.records.counts.objects++;
  }

  /** A node acknowledged that it keeps the object for the holder. */
  held(node: SimNode, holder: string, { objectId, startedMs, endedMs }: ObjectOperation): void {
    this.#holds.push({ node, objectId, holder, startedMs, acknowledgedMs: endedMs });
  }

  /** The disk of a node lost a part of the copy that it has spilled. */
  damaged({ nodeId }: SimNode, objectId: string): void {
    this.#world.story.tell("FAULT", () => `${nodeId} loses a part of its spilled ${short(objectId)}`);
    this.lastDamageMs = this.#world.scheduler.nowMs;
    this.damagedMs.set(objectId, this.lastDamageMs);
    this.#damagedUntilMs.set(`${nodeId} ${objectId}`, Number.POSITIVE_INFINITY);
  }

  /** The file of a spilled copy was removed. */
  spillFileGone({ nodeId }: SimNode, objectId: string): void {
    const key = `${nodeId} ${objectId}`;
    if (this.#damagedUntilMs.has(key)) this.#damagedUntilMs.set(key, this.#world.scheduler.nowMs);
  }

  /** Returns the holds that nothing has ended: neither a free, nor the end of their holder or node, nor a damaged disk. */
  firmHolds(): readonly Hold[] {
    this.#holds = this.#holds.filter((hold) => this.#isFirm(hold));
    return this.#holds;
  }

  /** STORE-3, STORE-6, DIRECTORY-5: what is held is there. */
  check(): void {
    for (const { node, objectId, holder, acknowledgedMs } of this.firmHolds()) {
      if (node.store?.find(objectId) !== undefined) continue;
      const text = `${node.nodeId} has ${short(objectId)} no more, which ${holder} holds since ${acknowledgedMs.toFixed(0)} ms`;
      this.#world.records.violation("STORE-3", text);
    }
  }

  /** DIRECTORY-2: an object on a node that is available is not reported as lost. */
  reportedLost({ objectId, startedMs }: ObjectOperation, message: string): void {
    if (!message.includes("no node of the cluster has it")) return;
    const { redis, scheduler, records } = this.#world;
    const unexplainedMs = scheduler.nowMs - explainedMs;
    if (redis.lostAtMs > unexplainedMs) return;
    for (const { node, holder, ...hold } of this.firmHolds()) {
      if (hold.objectId !== objectId || hold.acknowledgedMs > startedMs) continue;
      if ((this.takenForDeadMs.get(node.nodeId) ?? Number.NEGATIVE_INFINITY) > unexplainedMs) continue;
      // A program of its machine may write to a node that has not joined yet, of which no head knows.
      if (this.#world.head?.plane?.nodes.get(node.nodeId) === undefined) continue;
      const text = `${short(objectId)} was called lost, and ${node.nodeId} keeps it for ${holder}: ${message}`;
      records.violation("DIRECTORY-2", text);
    }
  }

  /** Long after the last fault, an object that is held can be read from every node. */
  unreachable({ objectId, startedMs }: ObjectOperation, message: string): void {
    for (const { node, acknowledgedMs, ...hold } of this.firmHolds()) {
      if (hold.objectId !== objectId || acknowledgedMs > startedMs) continue;
      const text = `${node.nodeId} keeps ${short(objectId)}, and at rest a get of it ends with: ${message}`;
      this.#world.records.violation("REACHABLE", text);
    }
  }

  /** Observes what one head reports of holders and places. */
  headOpened(plane: ControlPlane, process: SimProcess): void {
    const reported = plane.objectHolders.reported.bind(plane.objectHolders);
    plane.objectHolders.reported = (nodeId, holders) => {
      for (const holder of holders) {
        const key = `${process.name} ${holder}`;
        if (!this.#namedMs.has(key)) this.#namedMs.set(key, this.#world.scheduler.nowMs);
      }
      reported(nodeId, holders);
    };
    const send = plane.nodes.send.bind(plane.nodes);
    plane.nodes.send = (nodeId, message) => {
      for (const holder of message.endedHolders?.holders ?? []) this.#calledEnded(plane, process, holder);
      return send(nodeId, message);
    };
    const locate = plane.objects.locate.bind(plane.objects);
    plane.objects.locate = async (...question) => {
      const [objectId] = question;
      const answer = await locate(...question);
      this.#located(plane, objectId, answer.addresses ?? []);
      return answer;
    };
    plane.nodes.onDead(({ nodeId }) => {
      this.takenForDeadMs.set(nodeId, this.#world.scheduler.nowMs);
      this.#world.values.nodeLostMs = this.#world.scheduler.nowMs;
    });
  }

  /** Observes every message that arrives. */
  arrived({ method, toServer, body, to }: Arrival): void {
    if (!toServer || (method !== "Objects.Free" && method !== "Head.FreeObjects")) return;
    const { objectIds, holder } = body as proto.FreeRequest.$Properties;
    const node = method === "Objects.Free" ? to : undefined;
    const atMs = this.#world.scheduler.nowMs;
    for (const objectId of objectIds ?? []) {
      const frees = this.#frees.get(objectId) ?? [];
      this.#frees.set(objectId, frees);
      frees.push({ holder: holder ?? "", atMs, node });
    }
  }

  #isFirm({ node, objectId, holder, startedMs }: Hold): boolean {
    if (node.process.ended || node.over || this.endedHolders.has(holder)) return false;
    const damagedUntilMs = this.#damagedUntilMs.get(`${node.nodeId} ${objectId}`);
    if (damagedUntilMs !== undefined && damagedUntilMs >= startedMs) return false;
    const ends = (free: FreeArrival) =>
      free.atMs >= startedMs &&
      (free.holder === "" || free.holder === holder) &&
      (free.node === undefined || free.node === node.process);
    return !this.#frees.get(objectId)?.some(ends);
  }

  /** Checks HOLDER-2 and HOLDER-3. */
  #calledEnded(plane: ControlPlane, process: SimProcess, holder: string): void {
    const { records, settings, scheduler } = this.#world;
    this.endedHolders.add(holder);
    this.#world.story.tell(process.name, () => `calls holder ${holder} ended`);
    // A value that refers to other values holds them as long as some node has it.
    const named = parseHolder(holder);
    if (named.kind === "object") return;
    const actor = plane.actors.get(named.kind === "incarnation" ? named.actorId : named.id);
    const job = plane.jobs.find(holder);
    const session = plane.sessions.stateOf(holder);
    // An actor that waits for its restart has no process.
    const waits = actor?.state === "RESTARTING" || actor?.state === "PENDING";
    const current = (actor?.incarnation ?? 0) + (waits ? 1 : 0);
    const isOver = named.kind === "incarnation" && current > named.incarnation;
    const lives =
      (actor !== undefined && actor.state !== "DEAD" && !isOver) ||
      (job !== undefined && !hasEnded(job)) ||
      session === "alive" ||
      (session === "ended" && records.sessions.get(holder) === "open" && !records.endedOwners.has(holder));
    if (lives) records.violation("HOLDER-3", `${process.name} calls ${holder} ended, which lives`);
    if (actor !== undefined || job !== undefined || session !== "unknown") return;
    const knownMs = scheduler.nowMs - (this.#namedMs.get(`${process.name} ${holder}`) ?? scheduler.nowMs);
    const graceMs = Math.max(settings.head.ownerGraceMs, settings.head.recoveryGraceMs);
    if (knownMs >= graceMs) return;
    const text = `${process.name} calls ${holder} ended, of which it heard ${knownMs.toFixed(0)} ms ago first`;
    records.violation("HOLDER-2", text);
  }

  /** Checks DIRECTORY-1. */
  #located(plane: ControlPlane, objectId: string, addresses: readonly string[]): void {
    const nodes = plane.nodes.all();
    for (const address of addresses) {
      if (nodes.some(({ state, objectsAddress }) => state === "ALIVE" && objectsAddress === address))
        continue;
      const text = `${address} is named for ${short(objectId)}, and no node that is alive has registered it`;
      this.#world.records.violation("DIRECTORY-1", text);
    }
  }
}

export function short(objectId: string): string {
  return objectId.slice(0, 8);
}
