/** Job: fetches finished groups of a run as they come and holds their BullMQ jobs for the one learner.
 *  Not its job: loading, judging or settling groups.
 *
 *  F1 (T1). Every unsettled group job is either on the queue or held by the newest learner; a new feed holds at once
 *           what its predecessor held.
 *  F2 (T1). A group that is already settled is never held: its job is ended. */
import { EventEmitter } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "@palimpsest/telemetry";
import { PalimpsestError } from "@palimpsest/wire";
import { Job, Worker } from "bullmq";
import type { Redis } from "ioredis";
import type { AssembledGroup, DropReason } from "./group-assembly.js";
import { GroupOwnership, ownershipLockMs } from "./group-ownership.js";
import { type GroupSpec, groupSpecSchema, parseSpec } from "./group-spec.js";
import type { QueueSettings } from "./queue-settings.js";
import type { RunKeys } from "./run-keys.js";
import { fencedError, type RunLedger } from "./run-ledger.js";

export interface GroupFeedDeps {
  readonly redis: Redis;
  readonly keys: RunKeys;
  readonly ledger: RunLedger;
  readonly settings: QueueSettings;
  readonly logger: Logger;
}

/** A finished group whose job this process holds. */
export interface HeldGroup {
  readonly job: Job;
  readonly spec: GroupSpec;
  assembled?: AssembledGroup;
  dropped?: DropReason;
  /** Returned to the learner and not yet acknowledged. */
  delivered: boolean;
}

export class GroupFeed {
  /** By group id. */
  readonly held = new Map<string, HeldGroup>();
  readonly #deps: GroupFeedDeps;
  readonly #ownership: GroupOwnership;
  readonly #worker: Worker;
  readonly #events = new EventEmitter();
  readonly #stopping = new AbortController();
  #changes = 0;
  #fencedOff = false;
  #fetching: Promise<void> = Promise.resolve();

  private constructor(deps: GroupFeedDeps, ownership: GroupOwnership) {
    this.#deps = deps;
    this.#ownership = ownership;
    this.#worker = new Worker("groups", null, {
      connection: deps.redis,
      prefix: deps.keys.prefix,
      autorun: false,
      lockDuration: ownershipLockMs,
      skipStalledCheck: true,
    });
    this.#worker.on("error", (error) => {
      if (!this.#stopping.signal.aborted) {
        deps.logger.warn({ err: error }, "group consumer error");
      }
    });
  }

  /** Becomes the owner of the run's groups. Fetches nothing before `start`. */
  static async open(deps: GroupFeedDeps): Promise<GroupFeed> {
    const feed = new GroupFeed(deps, await GroupOwnership.take(deps.redis, deps.keys));
    await feed.#worker.waitUntilReady();
    return feed;
  }

  get epoch(): number {
    return this.#ownership.epoch;
  }

  /** Rises whenever something was held, released or stopped. */
  get changes(): number {
    return this.#changes;
  }

  /** Takes the predecessor's groups and begins to fetch. */
  async start(): Promise<void> {
    await this.reclaim();
    this.#fetching = this.#fetch();
  }

  async find(groupId: string): Promise<HeldGroup | undefined> {
    const job = await Job.fromId(this.#worker, groupId);
    return job && { job, spec: parseSpec(groupSpecSchema, job.data), delivered: false };
  }

  async reclaim(): Promise<readonly string[]> {
    const groupIds = await this.#ownership.adopt();
    for (const groupId of groupIds) {
      const group = await this.find(groupId);
      if (group !== undefined) {
        await this.#hold(group.job);
      }
    }
    return groupIds;
  }

  /** Ends the BullMQ job of a settled group. The ledger has the truth; a job that cannot be ended is only noise. */
  async finish(job: Job): Promise<void> {
    try {
      await this.#ownership.renew(job.id ?? "");
      await job.moveToCompleted(null, this.#ownership.token, false);
    } catch (error) {
      this.#deps.logger.warn({ err: error, groupId: job.id }, "settled group's job is already gone");
    }
  }

  /** Wakes whoever waits for a change. */
  changed(): void {
    this.#changes += 1;
    this.#events.emit("change");
  }

  /** Waits for a change after `seen`, for the signal, or for the time of a look at what others left behind. */
  async waitForChange(seen: number, signal: AbortSignal | undefined): Promise<void> {
    if (seen !== this.#changes) {
      return;
    }
    const timedOut = await new Promise<boolean>((resolve) => {
      const settle = (late: boolean): void => {
        clearTimeout(timer);
        this.#events.off("change", onChange);
        signal?.removeEventListener("abort", onChange);
        resolve(late);
      };
      const onChange = (): void => settle(false);
      // A learner that is fenced off may have taken a group in its last moment: look now and then.
      const timer = setTimeout(() => settle(true), this.#deps.settings.stalledIntervalMs);
      this.#events.on("change", onChange);
      signal?.addEventListener("abort", onChange);
    });
    if (timedOut) {
      await this.reclaim();
    }
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

  async #fetch(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      try {
        const job = await this.#worker.getNextJob(this.#ownership.token);
        if (job !== undefined) {
          await this.#hold(job);
        }
      } catch (error) {
        if (this.#stopping.signal.aborted) {
          return;
        }
        if (error instanceof PalimpsestError && error.code === "ALREADY_EXISTS") {
          this.#fencedOff = true;
          this.changed();
          return;
        }
        this.#deps.logger.warn({ err: error }, "cannot fetch groups, trying again");
        await sleep(this.#deps.settings.retryDelayMs, undefined, { signal: this.#stopping.signal }).catch(
          () => {},
        );
      }
    }
  }

  async #hold(job: Job): Promise<void> {
    const spec = parseSpec(groupSpecSchema, job.data);
    await this.#ownership.assertOwner();
    // Settled before, by a learner that ended before it could finish the job (F2).
    if ((await this.#deps.ledger.state(spec.groupId)) !== "outstanding") {
      await this.finish(job);
      return;
    }
    if (!this.held.has(spec.groupId)) {
      this.held.set(spec.groupId, { job, spec, delivered: false });
      this.changed();
    }
  }

  /** Stops fetching and puts every unsettled group back on the queue. */
  async close(): Promise<void> {
    this.#stopping.abort();
    this.changed();
    await this.#worker.close(true);
    await this.#fetching;
    for (const { job, spec, dropped } of this.held.values()) {
      if (dropped === undefined) {
        await job.moveToWait(this.#ownership.token).catch((error) => {
          this.#deps.logger.debug({ err: error, groupId: spec.groupId }, "group stays active");
        });
      }
    }
    this.held.clear();
  }
}
