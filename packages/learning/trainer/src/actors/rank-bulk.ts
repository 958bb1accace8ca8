/**
 * Responsibility: passes gradients and state between the learners that train one model, over bulk connections: a rank reads from each
 *   other rank what that one offers.
 * Not responsible for: what is summed (PairExchange), small values (calls of actors), how long a rank may compute.
 *
 * Invariants:
 * - RANKBULK-1. A connection is open only while it is used. Both sides drop one that is idle, the other side after a minute, in which
 *   ranks may compute.
 * - RANKBULK-2. After a failure, and when what is taken does not come, nothing waits: what is offered and what is taken rejects with the
 *   reason.
 */

import { checkOffer, type RankLinks, SwapBox, SwapTimeout } from "@palimpsest/learner/exchange";
import { type ActorBulk, PalimpsestError } from "@palimpsest/wire";

/** How long another rank may wait for an offer before it answers that there is none yet; then it is asked again. */
const waitMs = 20_000;
const idleMs = 10_000;
/** The longest name of bytes: one of 32 bytes would be taken for a hash, and not be checked. */
const maxNameBytes = 31;

type Connection = ReturnType<ActorBulk["connect"]>;

export class RankBulk implements RankLinks {
  readonly #rank: number;
  readonly #timeoutMs: number;
  readonly #offers: SwapBox;
  readonly #open = new Map<
    number,
    { readonly connection: Connection; reads: number; idle?: NodeJS.Timeout }
  >();
  #bulk: Pick<ActorBulk, "connect"> | undefined;
  #addresses: readonly string[] = [];
  #failure: { readonly reason: unknown } | undefined;

  /** @param timeoutMs how long a rank waits for another */
  constructor(rank: number, timeoutMs: number) {
    this.#rank = rank;
    this.#timeoutMs = timeoutMs;
    this.#offers = new SwapBox(timeoutMs);
  }

  /** Begins to offer bytes. @returns the address for the other ranks' `join` */
  async serve(bulk: Pick<ActorBulk, "serve" | "connect">): Promise<string> {
    this.#bulk = bulk;
    return await bulk.serve(async ({ objectId, lengthBytes, waitMs: mostMs }) => {
      const [rank = "", name = ""] = Buffer.from(objectId, "hex").toString("latin1").split(":");
      const offer = this.#offers.bring(Number(rank), name, undefined, mostMs);
      const bytes = (await offer.catch((reason: unknown) => {
        // Only what is late may come yet: whoever asks knows how long it wants to wait.
        const code = this.#failure ? "CANCELLED" : reason instanceof SwapTimeout ? "NOT_FOUND" : "INTERNAL";
        throw new PalimpsestError(code, PalimpsestError.from(reason).rawMessage, { cause: reason });
      })) as Uint8Array;
      checkOffer(this.#rank, bytes.byteLength, lengthBytes);
      return { bytes, release: () => undefined };
    });
  }

  /** @param addresses by rank */
  join(addresses: readonly string[]): void {
    this.#addresses = addresses;
  }

  async give(rank: number, name: string, bytes: Uint8Array): Promise<void> {
    await this.#offers.give(rank, name, bytes);
  }

  async take(rank: number, name: string, into: Uint8Array): Promise<void> {
    const id = Buffer.from(`${this.#rank}:${name}`, "latin1");
    if (id.byteLength > maxNameBytes)
      throw new PalimpsestError("INTERNAL", `the name ${name} has more than ${maxNameBytes} bytes`);
    const request = { objectId: id.toString("hex"), offsetBytes: 0, waitMs };
    const endsAt = performance.now() + this.#timeoutMs;
    for (;;) {
      this.#check();
      try {
        await this.#reading(rank, (connection) => connection.read(request, into));
        return;
      } catch (reason) {
        this.#check();
        const isLate = performance.now() > endsAt;
        if (!isLate && reason instanceof PalimpsestError && reason.code === "NOT_FOUND") continue;
        this.fail(reason);
        throw reason;
      }
    }
  }

  /** RANKBULK-2 */
  fail(reason: unknown): void {
    this.#failure ??= { reason };
    this.#offers.fail(reason);
    for (const rank of [...this.#open.keys()]) this.#close(rank);
  }

  #check(): void {
    if (this.#failure !== undefined) throw this.#failure.reason;
  }

  async #reading(rank: number, read: (connection: Connection) => Promise<void>): Promise<void> {
    const address = this.#addresses[rank];
    if (this.#bulk === undefined || address === undefined)
      throw new PalimpsestError("INTERNAL", `rank ${rank} has not joined`);
    const open = this.#open.get(rank) ?? {
      connection: this.#bulk.connect(address, this.#timeoutMs),
      reads: 0,
    };
    this.#open.set(rank, open);
    clearTimeout(open.idle);
    open.reads += 1;
    try {
      await read(open.connection);
    } catch (reason) {
      const isAnswer = reason instanceof PalimpsestError && reason.code !== "UNAVAILABLE";
      if (!isAnswer && this.#open.get(rank) === open) this.#close(rank);
      throw reason;
    } finally {
      open.reads -= 1;
      // RANKBULK-1
      if (open.reads === 0 && this.#open.get(rank) === open)
        open.idle = setTimeout(() => this.#close(rank), idleMs).unref();
    }
  }

  #close(rank: number): void {
    const open = this.#open.get(rank);
    this.#open.delete(rank);
    clearTimeout(open?.idle);
    open?.connection.close();
  }
}
