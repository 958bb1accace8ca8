import type * as proto from "@palimpsest/wire/protocol";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { NodeConnection } from "../tables/node-table.js";
import { aSpec } from "../testing/builders.js";
import { settle } from "../testing/manual-clock.js";
import { TestPlane } from "../testing/plane.js";
import type { ControlPlane } from "./control-plane.js";

const times = {
  heartbeatIntervalMs: 1_000,
  nodeTimeoutMs: 5_000,
  recoveryGraceMs: 8_000,
  ownerGraceMs: 1_000_000,
  sessionLeaseMs: 80_000_000,
};
const cpuOfNode = 3;
const maxRestarts = 2;

/** A node that does what it is told and tells the truth, over a link that comes and goes. */
class HonestNode {
  readonly nodeId: string;
  /** Incarnation of each actor whose process runs here. */
  readonly running = new Map<string, number>();
  readonly #alive = new Set<string>();
  readonly #untold: proto.ActorDied.$Properties[] = [];
  #plane: ControlPlane | undefined;
  #connection: NodeConnection | undefined;

  constructor(nodeId: string) {
    this.nodeId = nodeId;
  }

  get connected(): boolean {
    return this.#connection !== undefined;
  }

  connect(plane: ControlPlane): void {
    const connection: NodeConnection = {
      send: (message) => {
        if (this.#connection === connection) this.#obey(message);
      },
      close: () => {
        if (this.#connection === connection) this.#connection = undefined;
      },
    };
    this.#connection = connection;
    this.#plane = plane;
    const actors = [...this.running].map(([actorId, incarnation]) => ({
      actorId,
      incarnation,
      address: this.#alive.has(actorId) ? "127.0.0.1:1" : "",
    }));
    plane.nodes.register({ nodeId: this.nodeId, total: { quantities: { cpu: cpuOfNode } } }, connection);
    const { stopActorIds, settle: settleMissing } = plane.lifecycle.nodeRegistered(this.nodeId, actors);
    for (const died of this.#untold.splice(0)) plane.lifecycle.died(this.nodeId, died);
    for (const actorId of stopActorIds) this.end(actorId);
    settleMissing();
  }

  /** The link breaks; the head may be gone too. */
  break(): void {
    const connection = this.#connection;
    this.#connection = undefined;
    if (connection) this.#plane?.nodes.disconnected(this.nodeId, connection, false);
  }

  heartbeat(): void {
    if (this.connected) this.#plane?.nodes.heartbeat(this.nodeId);
  }

  /** Each process that was starting is ready now. */
  report(): void {
    for (const [actorId, incarnation] of this.running) {
      if (!this.connected || this.#alive.has(actorId)) continue;
      this.#alive.add(actorId);
      this.#plane?.lifecycle.started(this.nodeId, { actorId, incarnation, address: "127.0.0.1:1" });
    }
  }

  /** The actor's process ends, told now or after the break. */
  end(actorId: string): void {
    const incarnation = this.running.get(actorId);
    if (incarnation === undefined) return;
    this.running.delete(actorId);
    this.#alive.delete(actorId);
    const died = { actorId, incarnation, certificate: { reason: "ended", signal: "SIGKILL" } };
    if (this.connected) this.#plane?.lifecycle.died(this.nodeId, died);
    else this.#untold.push(died);
  }

  /** The machine restarts: nothing runs, and nobody can tell how it ended. */
  reset(): void {
    this.break();
    this.running.clear();
    this.#alive.clear();
    this.#untold.length = 0;
  }

  #obey({ startActor, stopActor }: proto.HeadMessage.$Properties): void {
    if (startActor) {
      const actorId = startActor.spec?.actorId ?? "";
      const incarnation = startActor.incarnation ?? 0;
      const now = this.running.get(actorId);
      if (now !== undefined && now !== incarnation)
        throw new Error(`${actorId} runs as ${now} and shall run as ${incarnation}`);
      this.running.set(actorId, incarnation);
    }
    if (stopActor) this.end(stopActor.actorId ?? "");
  }
}

type Step =
  | { readonly kind: "create" | "kill"; readonly actor: number }
  | { readonly kind: NodeStep; readonly node: number }
  | { readonly kind: "time"; readonly seconds: number }
  | { readonly kind: "headKilled" };

type NodeStep = "crash" | "break" | "connect" | "report" | "reset";

const actor = fc.integer({ min: 0, max: 5 });
const node = fc.integer({ min: 0, max: 1 });
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("create" as const), actor }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("kill" as const), actor }) },
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constantFrom("crash", "break", "connect", "report", "reset"), node }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant("time" as const), seconds: fc.integer({ min: 1, max: 8 }) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("headKilled" as const) }) },
);

/** The node that was to stop the actor comes back without having been told. */
const killedWhileAway: Step[] = [
  { kind: "create", actor: 4 },
  { kind: "reset", node: 0 },
  { kind: "kill", actor: 4 },
];

class World {
  readonly nodes = [new HonestNode("a"), new HonestNode("b")];
  test: TestPlane;

  constructor(test: TestPlane) {
    this.test = test;
  }

  async take(taken: Step): Promise<void> {
    const { plane } = this.test;
    if (taken.kind === "create") void plane.lifecycle.create(aSpec(`actor-${taken.actor}`, { maxRestarts }));
    else if (taken.kind === "kill") {
      const actorId = `actor-${taken.actor}`;
      if (plane.actors.get(actorId))
        void plane.lifecycle.kill(actorId, { noRestart: true, reason: "killed" });
    } else if ("node" in taken) this.#toNode(taken.kind, this.nodes[taken.node] as HonestNode);
    else if (taken.kind === "time")
      for (let passed = 0; passed < taken.seconds; passed++) await this.second();
    else await this.headKilled();
    await settle();
    this.check();
  }

  #toNode(kind: NodeStep, chosen: HonestNode): void {
    if (kind === "crash") chosen.end([...chosen.running.keys()][0] ?? "");
    else if (kind === "break") chosen.break();
    else if (kind === "reset") chosen.reset();
    else if (kind === "report") chosen.report();
    else if (!chosen.connected) chosen.connect(this.test.plane);
  }

  async second(): Promise<void> {
    await this.test.clock.advance(1_000);
    for (const each of this.nodes) each.heartbeat();
  }

  async headKilled(): Promise<void> {
    for (const each of this.nodes) each.break();
    await settle();
    this.test = await this.test.reopened(times);
  }

  /** Holds after every step. */
  check(): void {
    for (const each of this.nodes) expect(each.running.size).toBeLessThanOrEqual(cpuOfNode);
    for (const known of this.test.plane.actors.all()) {
      expect(known.restarts).toBeLessThanOrEqual(maxRestarts);
    }
  }

  /** Links recover, processes start, time passes. */
  async calm(): Promise<void> {
    for (let seconds = 0; seconds < 30; seconds++) {
      for (const each of this.nodes) {
        if (!each.connected) each.connect(this.test.plane);
        each.report();
      }
      await settle();
      await this.second();
    }
  }
}

describe("the control plane under any order of deaths, breaks and restarts of the head", () => {
  it("PLACEMENT-1: never overcommits, never runs two incarnations on a node, and ends with tables that say what runs", async () => {
    const runs = fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      const world = new World(await TestPlane.open(times));
      for (const each of world.nodes) each.connect(world.test.plane);
      for (const taken of steps) await world.take(taken);
      await world.calm();
      const { actors, nodes } = world.test.plane;
      const believed = [...actors.all()]
        .filter((known) => known.state === "ALIVE")
        .map((known) => `${known.nodeId} ${known.spec.actorId} ${known.incarnation}`);
      const running = world.nodes.flatMap((each) =>
        [...each.running].map(([actorId, incarnation]) => `${each.nodeId} ${actorId} ${incarnation}`),
      );
      expect(believed.sort()).toEqual(running.sort());
      for (const each of world.nodes) {
        expect(nodes.get(each.nodeId)?.available).toEqual({ cpu: cpuOfNode - each.running.size });
      }
      // Two nodes of three hold six actors: whoever is not dead has found a place.
      expect([...actors.all()].filter((known) => known.state !== "ALIVE" && known.state !== "DEAD")).toEqual(
        [],
      );
    });
    await fc.assert(runs, { numRuns: 300, examples: [[killedWhileAway]] });
  });
});
