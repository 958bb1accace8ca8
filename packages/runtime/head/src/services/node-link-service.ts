/**
 * Responsibility: the head's end of the stream to each node.
 * Not responsible for: the effect of messages on actors and jobs (the lifecycles decide).
 *
 * Invariants:
 * - NODELINK-1. The first message of a stream must be register: before it no other message is processed.
 * - NODELINK-2. A stream that was replaced, or whose node is dead, changes nothing any more.
 * - NODELINK-3. Actors and jobs that a node did not list are handled at its first heartbeat, after everything it had
 *   to report.
 * - NODELINK-4. A node that does not read is disconnected: at most maxUnreadMessages of maxUnreadBytes, and one more
 *   message, wait for it. It reconnects, and what it did not list is ordered again.
 * - NODELINK-5. Only a goodbye means that a node leaves in order. Any other end of the stream is a break.
 * - NODELINK-6. A node of another cluster, or one that has seen a later epoch than this head's, is refused.
 * - NODELINK-8. Bytes of objects are granted only while no other head can lead, which might grant them, too.
 * - NODELINK-7. A heartbeat renews the node's lease only while no other head can lead.
 */
import type { handleBidiStreamingCall, ServerDuplexStream } from "@grpc/grpc-js";
import type { Logger } from "@palimpsest/telemetry";
import { callerOf, PalimpsestError, type ProtocolRange } from "@palimpsest/wire";
import * as proto from "@palimpsest/wire/protocol";
import type { ActorLifecycle } from "../rules/actors/actor-lifecycle.js";
import type { JobLifecycle } from "../rules/job-lifecycle.js";
import type { ObjectQuotas } from "../rules/object-quotas.js";
import type { ObjectRecoveries } from "../rules/object-recoveries.js";
import type { StackRequests } from "../rules/stack-requests.js";
import type { TokenRotation } from "../rules/token-rotation.js";
import type { Leadership } from "../store/leadership.js";
import { isValidId } from "../tables/actor.js";
import type { History } from "../tables/history/history.js";
import { TaskEvents } from "../tables/history/task-events.js";
import type { NodeConnection, NodeTable } from "../tables/node-table.js";
import type { ObjectDirectory } from "../tables/object-directory.js";
import type { ObjectHolders } from "../tables/object-holders.js";
import { failStream } from "./rpc.js";

type NodeMessage = proto.NodeMessage.$Properties;
type HeadMessage = proto.HeadMessage.$Properties;
type LinkStream = ServerDuplexStream<NodeMessage, HeadMessage>;

const maxUnreadMessages = 10_000;
const maxUnreadBytes = 64 * 1024 * 1024;

export interface NodeLinkDeps {
  readonly nodes: NodeTable;
  readonly actors: ActorLifecycle;
  readonly jobs: JobLifecycle;
  readonly objects: ObjectDirectory;
  readonly objectHolders: ObjectHolders;
  readonly objectQuotas: ObjectQuotas;
  readonly stacks: StackRequests;
  readonly recoveries: ObjectRecoveries;
  readonly history: Pick<History, "tasks" | "use">;
  readonly logger: Logger;
  readonly clusterId: string;
  readonly version: string;
  readonly protocols: ProtocolRange;
  readonly redisUrl: () => string;
  readonly heartbeatIntervalMs: number;
  readonly nodeTimeoutMs: number;
  readonly fenceAfterMs: number;
  readonly leadership: Pick<Leadership, "epoch" | "addresses" | "isCurrent" | "rise">;
  /** Sends new tokens. It is absent where no tokens are used, as in a simulation. */
  readonly tokens?: Pick<TokenRotation, "follow">;
  /** Adopts an actor that a node runs and the tables do not know; returns false when it is not wanted. */
  readonly adopt: (nodeId: string, described: proto.ActorDescribed.$Properties) => boolean;
}

export function createNodeLinkHandlers(deps: NodeLinkDeps): {
  readonly link: handleBidiStreamingCall<NodeMessage, HeadMessage>;
} {
  return { link: (stream) => new NodeLink(deps, stream).serve() };
}

class NodeLink implements NodeConnection {
  readonly #deps: NodeLinkDeps;
  readonly #stream: LinkStream;
  #nodeId: string | undefined;
  #settle: (() => void) | undefined;
  #unfollow: (() => void) | undefined;
  #closed = false;
  #unreadBytes = 0;

  constructor(deps: NodeLinkDeps, stream: LinkStream) {
    this.#deps = deps;
    this.#stream = stream;
  }

  serve(): void {
    const stream = this.#stream;
    stream.on("data", (message: NodeMessage) => {
      if (this.#closed) return;
      try {
        this.#receive(message);
      } catch (reason) {
        this.#fail(PalimpsestError.from(reason));
      }
    });
    stream.on("end", () => {
      this.#disconnected(false);
      stream.end();
    });
    stream.on("cancelled", () => this.#disconnected(false));
    stream.on("error", () => this.#disconnected(false));
  }

  send(message: HeadMessage): void {
    if (this.#closed) return;
    const sizeBytes = proto.HeadMessage.encode(message).finish().byteLength;
    const messages = this.#stream.writableLength;
    const full = this.#unreadBytes > 0 && this.#unreadBytes + sizeBytes > maxUnreadBytes;
    if (messages > maxUnreadMessages || full) {
      const unread = `${messages} messages of ${this.#unreadBytes} bytes`;
      this.#fail(new PalimpsestError("LIMIT_EXCEEDED", `node ${this.#nodeId} left ${unread} unread`));
      return;
    }
    this.#unreadBytes += sizeBytes;
    this.#stream.write(message, () => {
      this.#unreadBytes -= sizeBytes;
    });
  }

  close(reason: string): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#unfollow?.();
    failStream(this.#stream, new PalimpsestError("UNAVAILABLE", reason));
  }

  #receive(message: NodeMessage): void {
    if (this.#nodeId === undefined) {
      this.#register(message.register);
      return;
    }
    const nodeId = this.#nodeId;
    const { actors, jobs, nodes } = this.#deps;
    nodes.heartbeat(nodeId);
    if (message.heartbeat) this.#heartbeat(nodeId, message.heartbeat);
    else if (message.actorStarted) actors.started(nodeId, message.actorStarted);
    else if (message.actorDied) actors.died(nodeId, message.actorDied);
    else if (message.driverStarted) jobs.driverStarted(nodeId, message.driverStarted);
    else if (message.driverExited) jobs.driverExited(nodeId, message.driverExited);
    else if (message.objectReport) this.#objects(nodeId, message.objectReport);
    else if (message.objectUse) this.#objectUse(nodeId, message.objectUse);
    else if (message.taskReport) this.#deps.history.tasks.report({ ...message.taskReport, nodeId });
    else if (message.stack) this.#deps.stacks.answered(message.stack);
    else if (message.objectRecovered) this.#deps.recoveries.answered(message.objectRecovered);
    else if (message.actorDescribed) this.#adopt(nodeId, message.actorDescribed);
    else if (message.goodbye) {
      this.#disconnected(true);
      this.#stream.end();
    } else if (message.register)
      throw new PalimpsestError("INVALID_ARGUMENT", "a link registers once: open a new one");
  }

  #register(register: proto.RegisterNode.$Properties | null | undefined): void {
    const nodeId = register?.nodeId ?? "";
    if (!register)
      throw new PalimpsestError("INVALID_ARGUMENT", "the first message of a link must be register");
    if (!isValidId(nodeId)) {
      throw new PalimpsestError(
        "INVALID_ARGUMENT",
        `node_id is ${JSON.stringify(nodeId)}: use an id such as newId("node") returns`,
      );
    }
    const { nodes, actors, jobs, logger, clusterId, redisUrl, heartbeatIntervalMs } = this.#deps;
    const { leadership, fenceAfterMs, nodeTimeoutMs } = this.#deps;
    this.#refuseStranger(register);
    nodes.register(register, this);
    this.#nodeId = nodeId;
    const actorReport = actors.nodeRegistered(nodeId, register.actors ?? []);
    const { stopActorIds, unknownActorIds } = actorReport;
    this.send({
      registered: {
        clusterId,
        heartbeatIntervalMs,
        redisUrl: redisUrl(),
        stopActorIds,
        unknownActorIds,
        epoch: leadership.epoch,
        fenceAfterMs,
        headTimeoutMs: nodeTimeoutMs,
        headAddresses: [...leadership.addresses],
        version: this.#deps.version,
        protocols: this.#deps.protocols,
        objectQuotas: this.#deps.objectQuotas.areThere,
      },
    });
    this.#unfollow = this.#deps.tokens?.follow(callerOf(this.#stream), (newToken) => this.send({ newToken }));
    const jobReport = jobs.nodeRegistered(nodeId, register.drivers ?? []);
    this.#deps.objects.nodeRegistered(nodeId);
    this.#deps.objectQuotas.nodeRegistered(nodeId);
    this.#settle = () => {
      this.#deps.objects.nodeTold(nodeId);
      actorReport.settle();
      jobReport.settle();
    };
    logger.info(
      {
        nodeId,
        hostname: register.hostname,
        actors: register.actors?.length ?? 0,
        stopped: stopActorIds.length,
        unknown: unknownActorIds.length,
      },
      "node registered",
    );
  }

  #objects(nodeId: string, report: proto.ObjectReport.$Properties): void {
    this.#deps.objects.report(nodeId, report);
    this.#deps.objectHolders.reported(nodeId, report.holders ?? []);
  }

  /** NODELINK-8 */
  #objectUse(nodeId: string, use: proto.ObjectUse.$Properties): void {
    const { objectQuotas, leadership } = this.#deps;
    objectQuotas.report(nodeId, use);
    if (leadership.isCurrent()) objectQuotas.serve();
  }

  /** NODELINK-6 */
  #refuseStranger(register: proto.RegisterNode.$Properties): void {
    const { clusterId, leadership } = this.#deps;
    if (register.clusterId && register.clusterId !== clusterId) {
      throw new PalimpsestError(
        "INVALID_ARGUMENT",
        `node ${register.nodeId} belongs to cluster ${register.clusterId}, this head leads ${clusterId}: ` +
          "give it the address of its own head, or start it again to join this cluster",
      );
    }
    const seen = register.epoch ?? 0;
    if (seen <= leadership.epoch) return;
    void leadership.rise(seen);
    throw new PalimpsestError(
      "UNAVAILABLE",
      `node ${register.nodeId} has seen epoch ${seen}, this head leads with ${leadership.epoch}: retry`,
    );
  }

  #heartbeat(nodeId: string, { sentAtMs, use }: proto.NodeHeartbeat.$Properties): void {
    const { leadership } = this.#deps;
    if (use) this.#deps.history.use.report(nodeId, use);
    this.#settleOnce();
    // NODELINK-7
    if (!leadership.isCurrent()) return;
    const { epoch, addresses } = leadership;
    this.#deps.objectQuotas.serve();
    const taskEventsPerSecond = TaskEvents.allowance(this.#deps.nodes.sums.count("ALIVE"));
    this.send({
      leaseRenewed: { epoch, headAddresses: [...addresses], sentAtMs: sentAtMs ?? 0, taskEventsPerSecond },
    });
  }

  #adopt(nodeId: string, described: proto.ActorDescribed.$Properties): void {
    if (this.#deps.adopt(nodeId, described)) return;
    const actorId = described.actor?.actorId ?? "";
    this.send({ stopActor: { actorId, graceMs: 0, reason: "the head no longer wants it" } });
  }

  #settleOnce(): void {
    const settle = this.#settle;
    this.#settle = undefined;
    settle?.();
  }

  #fail(error: PalimpsestError): void {
    this.#deps.logger.warn({ err: error, nodeId: this.#nodeId }, "link of a node closed");
    this.#disconnected(false);
    failStream(this.#stream, error);
  }

  #disconnected(inOrder: boolean): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#unfollow?.();
    if (this.#nodeId !== undefined) this.#deps.nodes.disconnected(this.#nodeId, this, inOrder);
  }
}
