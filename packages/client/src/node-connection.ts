/**
 * Responsibility: this program's stream of values to a node, opened when it is first needed and again after a break, and
 *   what may be done again because of that.
 * Not responsible for: orders (object-link.ts), what they mean (value-store.ts).
 *
 * Invariants:
 * - NODECONNECTION-1. What finds the node gone looks for a node anew and begins again until its time is over: every order
 *   may be carried out twice, since values have names and a holder counts once.
 */
import { type Clock, fromGrpcError, type Network, PalimpsestError, systemClock } from "@palimpsest/wire";
import type * as proto from "@palimpsest/wire/protocol";
import { delay } from "./delay.js";
import { ObjectLink } from "./object-link.js";
import type { CallSettings } from "./object-transfer.js";

const tellTimeoutMs = 30_000;
const backoffMs = { first: 50, longest: 1_000 };

export interface NodeConnectionOptions {
  /** host:port of the local node's Objects service. */
  readonly address: () => Promise<string>;
  readonly network: Network;
  readonly holder: string;
  readonly clock?: Clock;
  /** Everything that is held at the moment. */
  readonly heldIds: () => readonly string[];
  /** What calls under way refer to. */
  readonly pinnedIds: () => readonly string[];
}

export class NodeConnection {
  readonly #options: NodeConnectionOptions;
  readonly #clock: Clock;
  #link: Promise<ObjectLink> | undefined;
  #closed = false;

  constructor(options: NodeConnectionOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
  }

  /** The second argument of `use` is what is left of the time. @throws {PalimpsestError} */
  async use<T>(
    { timeoutMs, signal }: CallSettings,
    use: (link: ObjectLink, leftMs: number) => Promise<T>,
  ): Promise<T> {
    const deadlineAt = this.#clock.monotonicMs() + timeoutMs;
    for (let backoff = backoffMs.first; ; backoff = Math.min(backoff * 2, backoffMs.longest)) {
      try {
        const link = await this.#connected();
        return await use(link, Math.max(1, deadlineAt - this.#clock.monotonicMs()));
      } catch (reason) {
        const error = fromGrpcError(reason);
        const mayWait =
          error.code === "UNAVAILABLE" && !this.#closed && this.#clock.monotonicMs() + backoff < deadlineAt;
        if (!mayWait || signal?.aborted) throw error;
        await delay(backoff, signal, this.#clock);
      }
    }
  }

  /** Sends what the opening of the next stream makes up for, if there is a stream. */
  tell(order: proto.ObjectOrder.$Properties): void {
    this.#link?.then((link) => link.order(order, tellTimeoutMs)).catch(() => undefined);
  }

  async close(): Promise<void> {
    this.#closed = true;
    const link = await this.#link?.catch(() => undefined);
    link?.close();
  }

  async #connected(): Promise<ObjectLink> {
    if (this.#closed) throw new PalimpsestError("CANCELLED", "the connection to the cluster was closed");
    this.#link ??= this.#open();
    const opening = this.#link;
    try {
      return await opening;
    } catch (reason) {
      if (this.#link === opening) this.#link = undefined;
      throw reason;
    }
  }

  async #open(): Promise<ObjectLink> {
    const { address, network, holder, heldIds, pinnedIds } = this.#options;
    const peer = network.connect(await address(), "bulk");
    // One stream at a time: whichever ends is the current one.
    const onEnd = () => {
      this.#link = undefined;
      peer.close();
    };
    try {
      return await ObjectLink.open({ peer, clock: this.#clock, holder, held: heldIds(), pinnedIds, onEnd });
    } catch (reason) {
      peer.close();
      throw reason;
    }
  }
}
