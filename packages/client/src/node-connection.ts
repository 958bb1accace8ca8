/**
 * Responsibility: this program's stream of values to a node, opened when it is first needed and again after a break, and
 *   what may be done again because of that.
 * Not responsible for: orders (object-link.ts), what they mean (value-store.ts).
 *
 * Invariants:
 * - NODECONNECTION-1. What finds the node gone looks for a node anew and begins again until its time is over: every order
 *   may be carried out twice, since values have names and a holder counts once.
 * - NODECONNECTION-2. There is one stream at a time: what becomes of an earlier one changes nothing for it. Nobody waits for a
 *   stream for longer than his own time, nor close() for one that is being opened.
 */
import { type Clock, fromGrpcError, type Network, PalimpsestError, systemClock } from "@palimpsest/wire";
import type * as proto from "@palimpsest/wire/protocol";
import { delay } from "./delay.js";
import { ObjectLink } from "./object-link.js";
import type { CallSettings } from "./object-transfer.js";
import { within } from "./within.js";

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
  /** Has a result of this program's own tasks made again. @throws {PalimpsestError} OBJECT_LOST */
  readonly recover: (objectId: string) => Promise<void>;
}

export class NodeConnection {
  readonly #options: NodeConnectionOptions;
  readonly #clock: Clock;
  #link: Promise<ObjectLink> | undefined;
  /** The link, once it is open. */
  #opened: ObjectLink | undefined;
  readonly #abort = new AbortController();

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
        const link = this.#opened ?? (await this.#connected(deadlineAt, signal));
        return await use(link, Math.max(1, deadlineAt - this.#clock.monotonicMs()));
      } catch (reason) {
        const error = fromGrpcError(reason);
        const mayWait =
          error.code === "UNAVAILABLE" &&
          !this.#abort.signal.aborted &&
          this.#clock.monotonicMs() + backoff < deadlineAt;
        if (!mayWait || signal?.aborted) throw error;
        await delay(backoff, signal, this.#clock);
      }
    }
  }

  /** Sends what the opening of the next stream makes up for, if there is a stream. */
  tell(order: proto.ObjectOrder.$Properties): void {
    this.#link?.then((link) => link.order(order, tellTimeoutMs)).catch(() => undefined);
  }

  close(): void {
    this.#abort.abort();
    this.#opened?.close();
  }

  async #connected(deadlineAt: number, signal: AbortSignal | undefined): Promise<ObjectLink> {
    if (this.#abort.signal.aborted) throw closedError();
    const clock = this.#clock;
    this.#link ??= this.#open();
    const leftMs = Math.max(1, deadlineAt - clock.monotonicMs());
    return await within(this.#link, leftMs, signal, clock, "no node took a stream of values");
  }

  #open(): Promise<ObjectLink> {
    const { address, network, holder, heldIds, pinnedIds, recover } = this.#options;
    const { signal } = this.#abort;
    const leave = () => {
      if (this.#link !== opening) return;
      this.#link = undefined;
      this.#opened = undefined;
    };
    const open = async () => {
      const at = await address();
      if (signal.aborted) throw closedError();
      const peer = network.connect(at, "bulk");
      const onEnd = () => {
        leave();
        peer.close();
      };
      const asked = { held: heldIds(), pinnedIds, recover };
      return await ObjectLink.open({ peer, clock: this.#clock, holder, ...asked, signal, onEnd });
    };
    const opening: Promise<ObjectLink> = open().then(
      (link) => {
        if (signal.aborted) link.close();
        else if (this.#link === opening) this.#opened = link;
        return link;
      },
      (reason: unknown) => {
        leave();
        throw reason;
      },
    );
    return opening;
  }
}

function closedError(): PalimpsestError {
  return new PalimpsestError("CANCELLED", "the connection to the cluster was closed");
}
