/**
 * Responsibility: knows which complete groups of a run wait for its one learner, as they complete.
 * Not responsible for: loading, judging or closing groups.
 *
 * Invariants:
 * - FEED-1 (T1). Every complete group is found by the first search after it completed, and again by each feed that is
 *   opened later, until it is closed.
 * - FEED-2 (T1). A feed that is not the newest finds nothing and reports that.
 * - FEED-3 (T1). A group that this feed has closed and that is open again in the store, because the store lost its last
 *   second, is closed again and not found again.
 * - FEED-4 (T1). When the store answers again after an outage, the newest feed tells it again that it is the newest
 *   and which groups it has closed, even if nobody waits for groups.
 */

import type { Clock } from "@palimpsest/std";
import { delay, joinSignals } from "@palimpsest/std";
import type { Logger } from "@palimpsest/telemetry";
import { PalimpsestError } from "@palimpsest/wire";
import { type Epoch, newToken } from "../base/epoch.js";
import type { GroupSpec } from "../base/group-spec.js";
import type { CloseResult, Closing, GroupRecord, LedgerStore, Subscription } from "../store/ledger-store.js";
import { type AssembledGroup, type DropReason, specOfRecord } from "./group-assembly.js";

export interface GroupFeedDeps {
  readonly store: LedgerStore;
  readonly settings: { readonly stalledIntervalMs: number; readonly retryDelayMs: number };
  readonly logger: Logger;
  readonly clock: Clock;
}

/** A complete group that is not closed. */
export interface FoundGroup {
  readonly groupId: string;
  readonly record: GroupRecord;
  /** Undefined when another version wrote it. */
  readonly spec: GroupSpec | undefined;
  assembled?: AssembledGroup;
  dropped?: DropReason;
  /** True once the group was returned to the learner, until it is acknowledged. */
  delivered: boolean;
}

/** Number of closings that are remembered so that they can be repeated when the store forgets them. */
const keptClosings = 4096;
const recordConcurrency = 64;

export class GroupFeed {
  /** Complete groups by id, and dropped groups until they are delivered. */
  readonly found = new Map<string, FoundGroup>();
  readonly #epoch: Epoch;
  readonly #deps: GroupFeedDeps;
  readonly #closings = new Map<string, Closing>();
  readonly #stopping = new AbortController();
  #wake = new AbortController();
  #cursor = 0;
  #lookAllAtMs = 0;
  #fencedOff = false;
  #subscription: Subscription | undefined;

  private constructor(deps: GroupFeedDeps, epoch: Epoch) {
    this.#deps = deps;
    this.#epoch = epoch;
  }

  /** Becomes the run's learner. An earlier learner is fenced. */
  static async open(deps: GroupFeedDeps): Promise<GroupFeed> {
    const feed = new GroupFeed(deps, await deps.store.takeOver(newToken()));
    const repair = (): void => {
      feed.wake();
      // A repair that fails now is repeated at the next look, or when the connection is back.
      feed
        .#repair()
        .catch((error) =>
          deps.logger.warn({ err: error }, "closed groups could not be checked after an outage of Redis"),
        );
    };
    feed.#subscription = await deps.store.onCompletion(() => feed.wake(), repair);
    return feed;
  }

  /** A number that rises with each feed that is opened. */
  get epoch(): number {
    return this.#epoch.number;
  }

  /** Remembers groups as trained. @throws {PalimpsestError} ALREADY_EXISTS */
  async rememberTrained(groupIds: readonly string[]): Promise<void> {
    if ((await this.#deps.store.rememberTrained(groupIds, this.#epoch)) === "fenced") {
      throw fencedError(this.epoch);
    }
  }

  /** Ends a wait, because something may have changed. */
  wake(): void {
    this.#wake.abort();
  }

  /**
   * Repeats to a store that may have forgotten it whose run this is and which groups are closed. After the last step
   * the learner no longer looks, and an older learner that is still alive must not continue.
   */
  async #repair(): Promise<void> {
    if (this.#stopping.signal.aborted) {
      return;
    }
    await this.rememberTrained([]);
    const groupIds = [...this.#closings.keys()];
    const states = await this.#deps.store.states(groupIds);
    for (const [at, groupId] of groupIds.entries()) {
      if (states[at] === "outstanding") {
        await this.closeAgain(groupId);
      }
    }
  }

  /**
   * Looks for groups that have become complete.
   * @returns whether all complete groups were read, and not only those since the last look
   * @throws {PalimpsestError} ALREADY_EXISTS when a newer learner has taken over; CANCELLED when closed
   */
  async look(): Promise<boolean> {
    this.throwIfStopped();
    this.#wake = new AbortController();
    const nowMs = this.#deps.clock.monotonicMs();
    const all = this.#cursor === 0 || nowMs >= this.#lookAllAtMs;
    const complete = await this.#deps.store.completeGroups(this.#epoch, all ? 0 : this.#cursor);
    if (complete === undefined) {
      this.#fencedOff = true;
      throw fencedError(this.epoch);
    }
    if (all) {
      this.#lookAllAtMs = nowMs + this.#deps.settings.stalledIntervalMs;
      this.#forgetAllBut(new Set(complete.groupIds));
    }
    this.#cursor = complete.cursor;
    const fresh = complete.groupIds.filter((groupId) => !this.found.has(groupId));
    for (let start = 0; start < fresh.length; start += recordConcurrency) {
      await Promise.all(fresh.slice(start, start + recordConcurrency).map((groupId) => this.#find(groupId)));
    }
    return all;
  }

  /**
   * Closes again a group that this feed has closed and the store has forgotten.
   * @returns false for a group that it has not closed @throws {PalimpsestError} ALREADY_EXISTS
   */
  async closeAgain(groupId: string): Promise<boolean> {
    const closing = this.#closings.get(groupId);
    if (closing === undefined) {
      return false;
    }
    this.#deps.logger.warn({ groupId }, "Redis forgot that this group was closed; it was closed again");
    if ((await this.close(closing)) === "unknown" && closing.outcome === "trained") {
      await this.rememberTrained([groupId]);
    }
    return true;
  }

  async #find(groupId: string): Promise<void> {
    if (await this.closeAgain(groupId)) {
      return;
    }
    const record = await this.#deps.store.group(groupId);
    // A store that lost its last second since it listed the group may have some of its episodes open again. They come
    // back when they end.
    const isComplete = record?.episodes.every(
      ({ score, failure }) => score !== undefined || failure !== undefined,
    );
    if (record !== undefined && isComplete && !this.found.has(groupId)) {
      this.found.set(groupId, { groupId, record, spec: specOfRecord(record), delivered: false });
    }
  }

  /** Forgets groups that a store that lost its last second has open again. They come back when they complete. */
  #forgetAllBut(complete: ReadonlySet<string>): void {
    for (const [groupId, { delivered, dropped }] of this.found) {
      if (!complete.has(groupId) && !delivered && dropped === undefined) {
        this.found.delete(groupId);
      }
    }
  }

  /** Waits for a completion, a wake, the signal, or the time of the next full look. */
  async waitForChange(signal: AbortSignal | undefined): Promise<void> {
    const waitMs = Math.max(0, this.#lookAllAtMs - this.#deps.clock.monotonicMs());
    const any = joinSignals(this.#wake.signal, this.#stopping.signal, signal);
    await delay(waitMs, any.signal, this.#deps.clock);
    any.forget();
  }

  /** Closes a group. @throws {PalimpsestError} ALREADY_EXISTS */
  async close(closing: Closing): Promise<CloseResult> {
    // The closing is recorded before it is sent, because the store may carry it out, lose it, and be back before the
    // answer arrives (FEED-4).
    this.#closings.set(closing.groupId, closing);
    const [oldest] = this.#closings.keys();
    if (this.#closings.size > keptClosings && oldest !== undefined) {
      this.#closings.delete(oldest);
    }
    const result = await this.#deps.store.close(closing, this.#epoch);
    if (result === "fenced") {
      this.#fencedOff = true;
      throw fencedError(this.epoch);
    }
    return result;
  }

  /** @throws {PalimpsestError} ALREADY_EXISTS when a newer learner has taken over; CANCELLED when closed */
  throwIfStopped(): void {
    if (this.#fencedOff) {
      throw fencedError(this.epoch);
    }
    if (this.#stopping.signal.aborted) {
      throw new PalimpsestError("CANCELLED", "the group consumer is closed");
    }
  }

  /** Stops finding groups. The next learner finds all that are not closed. */
  async end(): Promise<void> {
    this.#stopping.abort();
    this.found.clear();
    await this.#subscription?.close();
  }
}

function fencedError(epoch: number): PalimpsestError {
  return new PalimpsestError(
    "ALREADY_EXISTS",
    `a newer learner consumes this run, so this one (epoch ${epoch}) may no longer close groups; stop it`,
    { details: { epoch } },
  );
}
