import { ownProtocols } from "@palimpsest/wire";
import type * as proto from "@palimpsest/wire/protocol";
import type { HeadConfigInput } from "../rules/config.js";
import { ControlPlane } from "../start/control-plane.js";
import type { NodeConnection } from "../tables/node-table.js";
import { aConfig, quietLogger, testMetrics } from "./builders.js";
import { ManualClock, settle } from "./manual-clock.js";
import { MemoryStore } from "./memory-store.js";

/** A control plane over a store in memory and a clock that a test moves, with nodes that are lists of messages. */
export class TestPlane {
  readonly plane: ControlPlane;
  readonly clock: ManualClock;
  readonly store: MemoryStore;

  private constructor(plane: ControlPlane, clock: ManualClock, store: MemoryStore) {
    this.plane = plane;
    this.clock = clock;
    this.store = store;
  }

  static async open(over: Partial<HeadConfigInput> = {}, store = new MemoryStore()): Promise<TestPlane> {
    const clock = new ManualClock();
    const deps = { store, clock, logger: quietLogger(), metrics: testMetrics() };
    return new TestPlane(await ControlPlane.open(aConfig(over), deps), clock, store);
  }

  /** Starts a new head over the same store, as after a kill. Nothing else is kept. */
  async reopened(over: Partial<HeadConfigInput> = {}): Promise<TestPlane> {
    await settle();
    return TestPlane.open(over, this.store);
  }

  /** Registers a node, and completes its registration as its first heartbeat does. */
  async join(nodeId: string, options: JoinOptions = {}): Promise<TestNode> {
    const node = new TestNode(this.plane, nodeId);
    node.register(options);
    if (options.heartbeat ?? true) node.heartbeat();
    await settle();
    return node;
  }

  /** Opens a session whose events are collected. */
  session(
    sessionId: string,
    jobId = "",
  ): { readonly events: proto.SessionEvent.$Properties[]; break(): void; renew(): void } {
    const events: proto.SessionEvent.$Properties[] = [];
    const connection = {
      send: (event: proto.SessionEvent.$Properties) => void events.push(event),
      close() {},
    };
    this.plane.sessions.open({ sessionId, jobId, name: "test", pid: 1 }, connection);
    const { sessions } = this.plane;
    return {
      events,
      break: () => sessions.broken(sessionId, connection),
      renew: () => sessions.renew(sessionId, connection),
    };
  }

  state(actorId: string): string | undefined {
    return this.plane.actors.get(actorId)?.state;
  }
}

export interface JoinOptions {
  readonly cpu?: number;
  readonly gpu?: number;
  readonly labels?: Readonly<Record<string, string>>;
  readonly actors?: readonly proto.RunningActor.$Properties[];
  readonly jobIds?: readonly string[];
  /** The drivers that the node reports with more than their ids. */
  readonly drivers?: readonly proto.RunningDriver.$Properties[];
  readonly heartbeat?: boolean;
  readonly instanceId?: string;
  readonly protocols?: proto.ProtocolRange.$Properties;
}

export class TestNode implements NodeConnection {
  readonly nodeId: string;
  readonly sent: proto.HeadMessage.$Properties[] = [];
  stopActorIds: readonly string[] = [];
  unknownActorIds: readonly string[] = [];
  closedBecause: string | undefined;
  readonly #plane: ControlPlane;
  #settle: () => void = () => undefined;

  constructor(plane: ControlPlane, nodeId: string) {
    this.#plane = plane;
    this.nodeId = nodeId;
  }

  register(options: JoinOptions): void {
    const { nodes, lifecycle, jobLifecycle } = this.#plane;
    const total = { quantities: { cpu: options.cpu ?? 4, ...(options.gpu ? { gpu: options.gpu } : {}) } };
    const { instanceId = "instance-1" } = options;
    nodes.register(
      {
        nodeId: this.nodeId,
        instanceId,
        protocols: options.protocols ?? ownProtocols(),
        total,
        labels: { ...options.labels },
        objectsAddress: `${this.nodeId}:1`,
      },
      this,
    );
    const actors = lifecycle.nodeRegistered(this.nodeId, options.actors ?? []);
    const jobs = jobLifecycle.nodeRegistered(
      this.nodeId,
      options.drivers ?? (options.jobIds ?? []).map((jobId) => ({ jobId })),
    );
    this.stopActorIds = actors.stopActorIds;
    this.unknownActorIds = actors.unknownActorIds;
    this.#plane.objects.nodeRegistered(this.nodeId);
    this.#plane.objectQuotas.nodeRegistered(this.nodeId);
    this.#settle = () => {
      this.#plane.objects.nodeTold(this.nodeId);
      actors.settle();
      jobs.settle();
    };
  }

  heartbeat(): void {
    this.#plane.nodes.heartbeat(this.nodeId);
    this.#settle();
    this.#settle = () => undefined;
  }

  /** Reports what it has stored, by quota, and lets the head grant what waits. */
  use(use: proto.ObjectUse.$Properties): void {
    this.#plane.objectQuotas.report(this.nodeId, use);
    this.#plane.objectQuotas.serve();
  }

  /** Returns what the head said about quotas of objects since the last call. */
  allowances(): proto.ObjectAllowance.$Properties[] {
    const allowances = this.sent.flatMap(({ objectAllowance }) => (objectAllowance ? [objectAllowance] : []));
    this.sent.length = 0;
    return allowances;
  }

  started(actorId: string, incarnation: number): void {
    const report = {
      actorId,
      incarnation,
      pid: 100 + incarnation,
      address: `127.0.0.1:${7000 + incarnation}`,
    };
    this.#plane.lifecycle.started(this.nodeId, report);
  }

  died(actorId: string, incarnation: number, over: proto.ActorDied.$Properties = {}): void {
    const certificate = { reason: "its process exited with code 1", exitCode: 1, lastStderrLines: ["boom"] };
    this.#plane.lifecycle.died(this.nodeId, { actorId, incarnation, certificate, ...over });
  }

  disconnect(inOrder = false): void {
    this.#plane.nodes.disconnected(this.nodeId, this, inOrder);
  }

  send(message: proto.HeadMessage.$Properties): void {
    this.sent.push(message);
  }

  close(reason: string): void {
    this.closedBecause = reason;
  }

  /** Returns the incarnations of the actor that the head has ordered to start, in order. */
  startsOf(actorId: string): number[] {
    return this.sent.flatMap(({ startActor }) =>
      startActor?.spec?.actorId === actorId ? [startActor.incarnation ?? 0] : [],
    );
  }

  stopsOf(actorId: string): proto.StopActor.$Properties[] {
    return this.sent.flatMap(({ stopActor }) => (stopActor?.actorId === actorId ? [stopActor] : []));
  }
}
