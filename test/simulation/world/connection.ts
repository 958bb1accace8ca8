/**
 * Responsibility: one connection between two simulated processes: carries messages with delay, keeps their order, and
 *   breaks as a TCP connection does.
 * Not responsible for: which process answers at an address (network.ts), what streams mean (call-streams.ts).
 *
 * Invariants:
 * - NET-1. Messages of one stream in one direction arrive in the order in which they were sent; those of different
 *   streams may overtake each other.
 * - NET-2. While the two machines are partitioned nothing arrives; what was sent arrives after the partition, unless
 *   the connection has broken until then.
 * - NET-3. A side whose peer's side has broken (half open) finds out with what it sends next, or by its keepalive.
 */
import type { SimProcess } from "./process.js";
import type { Random } from "./random.js";
import type { Scheduler } from "./scheduler.js";

export interface Side {
  readonly process: SimProcess;
  /** Milliseconds after which a silent peer is given up; undefined: never. */
  readonly keepaliveMs: number | undefined;
  readonly onBroken: Set<(reason: string) => void>;
  broken: boolean;
}

export interface Wire {
  readonly scheduler: Scheduler;
  readonly random: Random;
  partitioned(left: string, right: string): boolean;
  latencyMs(): number;
  /** Handles a message that has arrived; undefined means that it is lost. */
  readonly arrival: ((message: Arrival) => unknown) | undefined;
}

export interface Arrival {
  readonly method: string;
  readonly from: SimProcess;
  readonly to: SimProcess;
  readonly toServer: boolean;
  readonly body: unknown;
}

/** The order of one stream's messages in one direction. */
export interface Lane {
  lastAtMs: number;
  readonly queue: (() => void)[];
}

export class Connection {
  readonly client: Side;
  readonly server: Side;
  /** Whether it carries bytes of objects. */
  readonly bulk: boolean;
  readonly #wire: Wire;
  #held: (() => void)[] = [];

  constructor(
    wire: Wire,
    client: SimProcess,
    server: SimProcess,
    keepaliveMs: number | undefined,
    bulk = false,
  ) {
    this.#wire = wire;
    this.bulk = bulk;
    this.client = { process: client, keepaliveMs, onBroken: new Set(), broken: false };
    this.server = { process: server, keepaliveMs: undefined, onBroken: new Set(), broken: false };
    client.onEnd(() => this.#processEnded(this.client, this.server));
    server.onEnd(() => this.#processEnded(this.server, this.client));
  }

  get blocked(): boolean {
    return this.#wire.partitioned(this.client.process.machine, this.server.process.machine);
  }

  get over(): boolean {
    return this.client.broken && this.server.broken;
  }

  arrived(method: string, toServer: boolean, body: unknown): unknown {
    const { arrival } = this.#wire;
    if (arrival === undefined) return body;
    const [from, to] = toServer ? [this.client, this.server] : [this.server, this.client];
    return arrival({ method, from: from.process, to: to.process, toServer, body });
  }

  /** Carries a message from one side to the other. */
  send(from: Side, lane: Lane, deliver: () => void): void {
    if (from.broken) return;
    lane.queue.push(deliver);
    if (this.blocked) {
      this.#held.push(() => this.#transmit(from, lane));
      this.watch(from);
    } else this.#transmit(from, lane);
  }

  /** Delivers the first message of the lane after the usual delay. */
  #transmit(from: Side, lane: Lane): void {
    const to = from === this.client ? this.server : this.client;
    if (to.broken) {
      // NET-3: this is the reset that answers a message to a broken side.
      this.breakSide(from, this.#wire.latencyMs(), "the connection was reset");
      return;
    }
    const { scheduler } = this.#wire;
    lane.lastAtMs = Math.max(scheduler.nowMs + this.#wire.latencyMs(), lane.lastAtMs);
    scheduler.at(lane.lastAtMs, to.process, () => {
      if (to.broken) return;
      if (this.blocked) this.#held.push(() => this.#transmit(from, lane));
      else lane.queue.shift()?.();
    });
  }

  /** Runs the action as part of the side's process, unless that side has broken by then. */
  later(side: Side, act: () => void): void {
    this.#wire.scheduler.after(0, side.process, () => side.broken || act());
  }

  /** Starts the keepalive timeout for a silent peer, which is partitioned or paused. */
  watch(side: Side): void {
    if (side.keepaliveMs === undefined || side.broken) return;
    const other = side === this.client ? this.server : this.client;
    const silent = () => this.blocked || other.process.paused;
    if (!silent()) return;
    this.#wire.scheduler.after(side.keepaliveMs, side.process, () => {
      if (silent()) this.breakSide(side, 0, "the peer did not answer keepalive pings");
    });
  }

  /** Ends the partition: messages that were held back are sent. */
  heal(): void {
    for (const go of this.#held.splice(0)) go();
  }

  breakSide(side: Side, delayMs: number, reason: string): void {
    this.#wire.scheduler.after(delayMs, side.process, () => {
      if (side.broken) return;
      side.broken = true;
      for (const listener of [...side.onBroken]) listener(reason);
      side.onBroken.clear();
    });
  }

  /** Breaks both sides, each after its own delay; a side without delay is left half open. */
  sever(reason: string, clientDelayMs: number | undefined, serverDelayMs: number | undefined): void {
    if (clientDelayMs !== undefined) this.breakSide(this.client, clientDelayMs, reason);
    if (serverDelayMs !== undefined) this.breakSide(this.server, serverDelayMs, reason);
  }

  #processEnded(own: Side, other: Side): void {
    own.broken = true;
    own.onBroken.clear();
    const tell = () => {
      // The kernel of a partitioned machine reaches nobody, so NET-3 applies later.
      if (this.blocked) this.#held.push(tell);
      else this.breakSide(other, this.#wire.latencyMs(), "the peer's process ended");
    };
    tell();
  }
}
