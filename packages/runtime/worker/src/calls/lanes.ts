/**
 * Responsibility: the concurrency groups of an actor: one mailbox each, in which the methods of that group run.
 * Not responsible for: when a call runs within its group (mailbox.ts).
 *
 * Invariants:
 * - LANES-1. A call runs in the group that it requests, else in that of its method, else in the default group. A full
 *   group does not block the others.
 * - LANES-2. All groups together hold at most `maxPendingCalls` waiting calls of `maxPendingBytes` bytes.
 */
import { PalimpsestError } from "@palimpsest/wire";
import { Mailbox, type MailboxEntry, type MailboxOptions } from "./mailbox.js";

export interface LanesOptions extends MailboxOptions {
  /** The maximum number of concurrent calls of each group, except for the default group, which has `maxConcurrency`. */
  readonly concurrencyGroups?: Readonly<Record<string, number>>;
  /** The groups of methods that do not run in the default one. */
  readonly methodGroups?: Readonly<Record<string, string>>;
}

export class Lanes {
  readonly #default: Mailbox;
  readonly #all: readonly Mailbox[];
  readonly #ofMethod = new Map<string, Mailbox>();
  readonly #groups: ReadonlyMap<string, Mailbox>;

  constructor(options: LanesOptions) {
    const { concurrencyGroups = {}, methodGroups = {} } = options;
    const lane = (maxConcurrency: number): Mailbox => {
      const one: Mailbox = new Mailbox({ ...options, maxConcurrency, others: () => this.#others(one) });
      return one;
    };
    const groups = new Map(Object.entries(concurrencyGroups).map(([name, count]) => [name, lane(count)]));
    this.#groups = groups;
    this.#default = groups.size === 0 ? new Mailbox(options) : lane(options.maxConcurrency);
    this.#all = [this.#default, ...groups.values()];
    for (const [method, group] of Object.entries(methodGroups)) {
      const found = groups.get(group);
      if (found !== undefined) this.#ofMethod.set(method, found);
    }
  }

  get waiting(): number {
    return this.#all.reduce((sum, lane) => sum + lane.waiting, 0);
  }

  get running(): number {
    return this.#all.reduce((sum, lane) => sum + lane.running, 0);
  }

  /** Sets the concurrency of the default group. */
  set maxConcurrency(count: number) {
    this.#default.maxConcurrency = count;
  }

  /**
   * Adds a call of a caller; every call is an entry of its own.
   * @param group the concurrency group that the caller requests; empty for that of the method
   * @throws {PalimpsestError} PENDING_CALLS_LIMIT; INVALID_ARGUMENT for a group that does not exist
   */
  offer(caller: unknown, method: string, entry: MailboxEntry, group = ""): void {
    const lane = group === "" ? (this.#ofMethod.get(method) ?? this.#default) : this.#groups.get(group);
    if (lane === undefined) {
      const names = [...this.#groups.keys()].join(", ") || "none";
      throw new PalimpsestError(
        "INVALID_ARGUMENT",
        `concurrencyGroup is ${JSON.stringify(group)}, and the actor's concurrencyGroups are ${names}: name one of them`,
      );
    }
    lane.offer(caller, entry);
  }

  /** Removes a waiting call. Returns false if it is not waiting (any more). */
  remove(entry: MailboxEntry): boolean {
    for (const lane of this.#all) if (lane.remove(entry)) return true;
    return false;
  }

  /** Starts no calls of the caller until resume(). */
  pause(caller: unknown): void {
    for (const lane of this.#all) lane.pause(caller);
  }

  resume(caller: unknown): void {
    for (const lane of this.#all) lane.resume(caller);
  }

  #others(than: Mailbox): { readonly calls: number; readonly bytes: number } {
    let calls = 0;
    let bytes = 0;
    for (const lane of this.#all) {
      if (lane === than) continue;
      calls += lane.backlog;
      bytes += lane.waitingBytes;
    }
    return { calls, bytes };
  }
}
