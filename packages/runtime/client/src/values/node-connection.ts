/**
 * Responsibility: this program's stream of values to a node, opened on demand and again after a break, and which
 * operations may be repeated after that.
 * Not responsible for: orders (object-link.ts), or their meaning (value-store.ts).
 *
 * Invariants:
 * - NODECONNECTION-1. An operation that finds the node gone looks for another node and starts again until its
 *   deadline. Every order may be carried out twice, because values have names and an owner counts once.
 * - NODECONNECTION-2. There is one stream at a time, and events of an earlier one do not affect it. No caller waits
 *   for a stream beyond its own deadline, and close() does not wait for one that is being opened.
 * - NODECONNECTION-3. A release is sent until the node has acknowledged it: if its stream broke, over the next one,
 *   which is opened for it. A node acknowledges when every node that may keep the value has been told, so that none
 *   keeps it for a program whose own node has ended. Values that may reach the node after their release are reported
 *   as withdrawn. Beyond `maxUntold` releases, the oldest are left to the end of the owner.
 */
import { type Clock, delay, systemClock } from "@palimpsest/std";
import { type Network, OldestFirstMap, PalimpsestError, retryUntil } from "@palimpsest/wire";
import { within } from "../base/within.js";
import { idBytes, ObjectLink } from "./object-link.js";
import type { CallSettings } from "./object-transfer.js";

const maxUntold = 100_000;
/**
 * The milliseconds for which a stream is opened only to send releases. After that they wait for the next operation that
 * needs a stream.
 */
const tellTimeoutMs = 120_000;
/** The maximum number of values in one order, which is below the node's limit. */
const maxIdsPerOrder = 10_000;
/** Whether the released value was certainly stored, or may reach the node after the release. */
type LetGo = "release" | "withdraw";

const backoff = { firstMs: 50, longestMs: 1_000 };

export interface NodeConnectionOptions {
  /** host:port of the local node's Objects service. */
  readonly address: () => Promise<string>;
  readonly network: Network;
  readonly holder: string;
  readonly clock?: Clock;
  /** Returns the ids of all values that this program has leased. */
  readonly heldIds: () => readonly string[];
  /** Returns the ids of the values that calls in progress refer to. */
  readonly pinnedIds: () => readonly string[];
  /** Reconstructs a result of one of this program's own tasks. @throws {PalimpsestError} OBJECT_LOST */
  readonly recover: (objectId: string) => Promise<void>;
}

export class NodeConnection {
  readonly #options: NodeConnectionOptions;
  readonly #clock: Clock;
  #link: Promise<ObjectLink> | undefined;
  /** The link, once it is open. */
  #opened: ObjectLink | undefined;
  readonly #abort = new AbortController();
  /** Releases without an acknowledgment, each with the order that carries it. */
  readonly #untold = new OldestFirstMap<string, { readonly kind: LetGo }>();
  #isLookingForStream = false;

  constructor(options: NodeConnectionOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
  }

  /** @param use receives the remaining time in milliseconds as its second argument @throws {PalimpsestError} */
  async use<T>(
    { timeoutMs, signal }: CallSettings,
    use: (link: ObjectLink, leftMs: number) => Promise<T>,
  ): Promise<T> {
    const deadlineAt = this.#clock.monotonicMs() + timeoutMs;
    let used: ObjectLink | undefined;
    // A link that ended while an operation ran over it has closed its channel, and a call on that is canceled.
    const mayRetry = ({ code }: PalimpsestError) =>
      !this.#abort.signal.aborted &&
      (code === "UNAVAILABLE" || (code === "CANCELLED" && used !== undefined && used !== this.#opened));
    return await retryUntil({ timeoutMs, backoff, clock: this.#clock, signal, mayRetry }, async () => {
      used = undefined;
      const link = this.#opened ?? (await this.#connected(deadlineAt, signal));
      used = link;
      return await use(link, Math.max(1, deadlineAt - this.#clock.monotonicMs()));
    });
  }

  /** Releases values of this program. Later orders on the same stream are carried out after it. */
  letGo(objectIds: readonly string[], kind: LetGo = "release"): void {
    if (this.#abort.signal.aborted) return;
    if (this.#opened) this.#tell(this.#opened, objectIds, kind);
    else {
      this.#remember(objectIds, { kind });
      this.#lookForStream();
    }
  }

  #tell(link: ObjectLink, objectIds: readonly string[], kind: LetGo): void {
    for (let at = 0; at < objectIds.length; at += maxIdsPerOrder) {
      const part = objectIds.slice(at, at + maxIdsPerOrder);
      const order = { kind };
      this.#remember(part, order);
      const told = () => {
        for (const objectId of part) if (this.#untold.get(objectId) === order) this.#untold.delete(objectId);
      };
      const ids = { objectIds: part.map(idBytes) };
      const letGo = kind === "release" ? { release: ids } : { withdraw: ids };
      link.order(letGo, Number.POSITIVE_INFINITY).then(told, (reason: unknown) => {
        if (PalimpsestError.from(reason).code !== "UNAVAILABLE") told();
        else this.#lookForStream();
      });
    }
  }

  #remember(objectIds: readonly string[], order: { readonly kind: LetGo }): void {
    for (const objectId of objectIds) {
      this.#untold.delete(objectId);
      this.#untold.set(objectId, order);
    }
    while (this.#untold.size > maxUntold) {
      const { oldest } = this.#untold;
      if (oldest === undefined) break;
      this.#untold.delete(oldest);
    }
  }

  /** NODECONNECTION-3 */
  #tellAgain(link: ObjectLink): void {
    if (this.#untold.size === 0) return;
    // Values that were received again since then are leased by the hello, or by the order that follows it.
    for (const objectId of this.#options.heldIds()) this.#untold.delete(objectId);
    for (const kind of ["release", "withdraw"] as const) {
      const untold = [...this.#untold].filter(([, order]) => order.kind === kind);
      if (untold.length > 0)
        this.#tell(
          link,
          untold.map(([objectId]) => objectId),
          kind,
        );
    }
  }

  #lookForStream(): void {
    if (this.#isLookingForStream) return;
    this.#isLookingForStream = true;
    void this.#streamOpened().finally(() => {
      this.#isLookingForStream = false;
    });
  }

  async #streamOpened(): Promise<void> {
    const endMs = this.#clock.monotonicMs() + tellTimeoutMs;
    for (;;) {
      const leftMs = endMs - this.#clock.monotonicMs();
      if (this.#opened || this.#untold.size === 0 || leftMs <= 0) return;
      try {
        return await this.use({ timeoutMs: leftMs }, async () => undefined);
      } catch (reason) {
        const { code, retryable } = PalimpsestError.from(reason);
        if (!retryable && code !== "GET_TIMEOUT") return;
        await delay(backoff.longestMs, this.#abort.signal, this.#clock);
      }
    }
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
    return await within(this.#link, leftMs, signal, clock, "no node accepted a stream of values");
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
        else if (this.#link === opening) {
          this.#opened = link;
          this.#tellAgain(link);
        }
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
