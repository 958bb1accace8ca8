import type { ClientDuplexStream } from "@grpc/grpc-js";
import {
  fromGrpcError,
  grpcNetwork,
  nodeLinkService,
  type PalimpsestError,
  type Peer,
} from "@palimpsest/wire";
import type * as proto from "@palimpsest/wire/protocol";

export type HeadMessage = proto.HeadMessage.$Properties;
export type NodeMessage = proto.NodeMessage.$Properties;

export interface FakeNodeOptions {
  readonly nodeId: string;
  readonly cpu?: number;
  readonly labels?: Readonly<Record<string, string>>;
  readonly metricsAddress?: string;
  readonly actors?: readonly proto.RunningActor.$Properties[];
  readonly jobIds?: readonly string[];
  readonly instanceId?: string;
  readonly clusterId?: string;
  readonly epoch?: number;
  /** Whether it reports every actor and driver as started. Default true. */
  readonly obedient?: boolean;
}

/** A node over real gRPC that runs nothing: it speaks NodeLink and reports what a test wants it to report. */
export class FakeNode {
  readonly nodeId: string;
  readonly received: HeadMessage[] = [];
  readonly ended: Promise<PalimpsestError | undefined>;
  readonly #peer: Peer;
  readonly #stream: ClientDuplexStream<NodeMessage, HeadMessage>;
  readonly #watchers = new Set<() => void>();
  #beat: NodeJS.Timeout | undefined;

  constructor(address: string, token: string, options: FakeNodeOptions) {
    this.nodeId = options.nodeId;
    this.#peer = grpcNetwork({ token }).connect(address);
    this.#stream = this.#peer.bidi(nodeLinkService.link);
    this.ended = new Promise((resolve) => {
      this.#stream.on("error", (reason) => resolve(fromGrpcError(reason)));
      this.#stream.on("end", () => resolve(undefined));
    });
    this.#stream.on("data", (message: HeadMessage) => {
      this.received.push(message);
      if (options.obedient ?? true) this.#obey(message);
      for (const watcher of [...this.#watchers]) watcher();
    });
    this.send({ register: registration(options) });
  }

  /** Connects and registers a node, and sends its first heartbeat. */
  static async join(address: string, token: string, options: FakeNodeOptions): Promise<FakeNode> {
    const node = new FakeNode(address, token, options);
    await node.next((message) => message.registered);
    node.heartbeat();
    return node;
  }

  send(message: NodeMessage): void {
    this.#stream.write(message);
  }

  /** Opens the stream of a job's output, as its driver's node does. */
  output(jobId: string): FakeOutput {
    return new FakeOutput(this.#peer, this.nodeId, jobId);
  }

  heartbeat(): void {
    this.send({ heartbeat: { sentAtMs: Date.now() } });
  }

  /** Sends heartbeats as a node does, until it leaves or breaks. */
  beatEvery(intervalMs: number): this {
    this.#beat = setInterval(() => this.heartbeat(), intervalMs);
    return this;
  }

  /** Returns the first message, received already or later, for which `pick` returns something. */
  next<T>(pick: (message: HeadMessage) => T | null | undefined): Promise<T> {
    return new Promise((resolve) => {
      const look = () => {
        for (const message of this.received) {
          const found = pick(message);
          if (found === null || found === undefined) continue;
          this.#watchers.delete(look);
          resolve(found);
          return;
        }
      };
      this.#watchers.add(look);
      look();
    });
  }

  /** Returns the order to start one incarnation of an actor, and waits for it. */
  started(actorId: string, incarnation: number): Promise<proto.StartActor.$Properties> {
    return this.next(({ startActor }) =>
      startActor?.spec?.actorId === actorId && startActor.incarnation === incarnation
        ? startActor
        : undefined,
    );
  }

  stopped(actorId: string): Promise<proto.StopActor.$Properties> {
    return this.next(({ stopActor }) => (stopActor?.actorId === actorId ? stopActor : undefined));
  }

  /** Leaves in an orderly way. */
  async leave(): Promise<void> {
    clearInterval(this.#beat);
    this.send({ goodbye: {} });
    this.#stream.end();
    await this.ended;
    this.#peer.close();
  }

  /** Breaks its connection as the kill of its process does. */
  break(): void {
    clearInterval(this.#beat);
    this.#stream.cancel();
    this.#peer.close();
  }

  #obey({ startActor, stopActor, startDriver }: HeadMessage): void {
    if (startActor) {
      const actorId = startActor.spec?.actorId ?? "";
      const incarnation = startActor.incarnation ?? 0;
      this.send({ actorStarted: runningActor(actorId, incarnation) });
    }
    if (stopActor) {
      const start = this.received.findLast(({ startActor: one }) => one?.spec?.actorId === stopActor.actorId);
      const incarnation = start?.startActor?.incarnation ?? 0;
      const certificate = { reason: "stopped", signal: "SIGTERM", diedAtMs: Date.now() };
      this.send({ actorDied: { actorId: stopActor.actorId ?? "", incarnation, certificate } });
    }
    if (startDriver) this.send({ driverStarted: { jobId: startDriver.jobId ?? "", pid: 4242 } });
  }
}

/** The stream of one job's output over real gRPC. */
export class FakeOutput {
  readonly acks: number[] = [];
  readonly failed: Promise<PalimpsestError>;
  readonly #jobId: string;
  readonly #stream: ClientDuplexStream<proto.DriverOutput.$Properties, proto.DriverOutputAck.$Properties>;
  readonly #watchers = new Set<() => void>();

  constructor(peer: Peer, nodeId: string, jobId: string) {
    this.#jobId = jobId;
    this.#stream = peer.bidi(nodeLinkService.jobOutput);
    this.failed = new Promise((resolve) => {
      this.#stream.on("error", (reason) => resolve(fromGrpcError(reason)));
    });
    this.#stream.on("data", ({ offsetBytes }: proto.DriverOutputAck.$Properties) => {
      this.acks.push(offsetBytes ?? 0);
      for (const watcher of this.#watchers) watcher();
    });
    this.#stream.write({ jobId, nodeId });
  }

  /** Returns whether the stream takes more at once. */
  send(data: string | Uint8Array, offsetBytes: number): boolean {
    return this.#stream.write({ jobId: this.#jobId, data: Buffer.from(data), offsetBytes });
  }

  /** Resolves when the head has acknowledged up to that byte. */
  acked(offsetBytes: number): Promise<void> {
    return new Promise((resolve) => {
      const look = () => {
        if (!this.acks.includes(offsetBytes)) return;
        this.#watchers.delete(look);
        resolve();
      };
      this.#watchers.add(look);
      look();
    });
  }

  close(): void {
    this.#stream.cancel();
  }
}

export function runningActor(actorId: string, incarnation: number): proto.RunningActor.$Properties {
  return { actorId, incarnation, pid: 1000 + incarnation, address: `127.0.0.1:${7000 + incarnation}` };
}

function registration(options: FakeNodeOptions): proto.RegisterNode.$Properties {
  return {
    nodeId: options.nodeId,
    instanceId: options.instanceId ?? "",
    clusterId: options.clusterId ?? "",
    epoch: options.epoch ?? 0,
    hostname: "test",
    pid: process.pid,
    total: { quantities: { cpu: options.cpu ?? 4 } },
    labels: { ...options.labels },
    objectsAddress: "127.0.0.1:9",
    metricsAddress: options.metricsAddress ?? "",
    actors: [...(options.actors ?? [])],
    drivers: (options.jobIds ?? []).map((jobId) => ({ jobId })),
  };
}
