/**
 * Responsibility: the run's side of Redis: the ledger and the queues of episodes, with their snapshots on disk; each
 * process reaches them as the product's client does, which resends commands that were not answered. Not responsible
 * for: the ledger's answers, which are those of `MemoryLedgerStore`, compared with Redis's by
 *   packages/learning/trajectories/src/store/ledger-store.test.ts.
 */

import { PalimpsestError } from "@palimpsest/wire";
import { trajectoryIdOf } from "../../../packages/learning/trajectories/src/base/group-spec.js";
import type { EpisodeJobs } from "../../../packages/learning/trajectories/src/jobs/episode-jobs.js";
import type { JobKind } from "../../../packages/learning/trajectories/src/jobs/job-work.js";
import type { LedgerStore } from "../../../packages/learning/trajectories/src/store/ledger-store.js";
import { MemoryLedgerStore } from "../../../packages/learning/trajectories/src/testing/memory-ledger-store.js";
import type { SimProcess } from "../world/process.js";
import { RedisLink } from "../world/redis-link.js";
import type { Persistent, SimRedis } from "../world/store.js";

export interface QueuedJob {
  readonly id: string;
  readonly kind: JobKind;
  readonly data: unknown;
  attempt: number;
  notBeforeMs: number;
  /** The attempt that owns the job's lock, like the token of each lock in BullMQ. */
  owner: symbol | undefined;
  lockedUntilMs: number;
}

const kinds = { rollouts: "rollout", rewards: "reward" } as const;

export class RunRedis implements Persistent {
  readonly ledger = new MemoryLedgerStore();
  readonly #redis: SimRedis;
  #jobs = new Map<string, QueuedJob>();

  constructor(redis: SimRedis) {
    this.#redis = redis;
    redis.others.add(this);
  }

  get nowMs(): number {
    return this.#redis.scheduler.nowMs;
  }

  snapshot(): () => void {
    const memory = this.ledger.snapshot();
    const jobs = [...this.#jobs].map(([key, job]) => [key, { ...job }] as const);
    return () => {
      this.ledger.restore(memory);
      this.#jobs = new Map(jobs.map(([key, job]) => [key, { ...job }]));
    };
  }

  flush(): void {
    this.ledger.restore(new MemoryLedgerStore().snapshot());
    this.#jobs = new Map();
  }

  /** Sends a command until it is answered, or until the time limit. It may be carried out more than once. */
  reach(
    process: SimProcess,
    patienceMs = Number.POSITIVE_INFINITY,
  ): <Result>(command: () => Promise<Result>) => Promise<Result> {
    const link = new RedisLink(this.#redis, process);
    return async (command) => {
      for (const sentAtMs = this.nowMs; ; ) {
        try {
          return await link.send(async () => {
            const result = await command();
            this.#redis.changed();
            return result;
          });
        } catch {
          if (this.nowMs - sentAtMs > patienceMs)
            throw new PalimpsestError("UNAVAILABLE", "Redis is away", { retryable: true });
          await new Promise((resolve) => setTimeout(resolve, 200));
        }
      }
    };
  }

  /** Returns the ledger as a process reaches it. */
  ledgerOf(process: SimProcess, ledger: LedgerStore, patienceMs?: number): LedgerStore {
    const send = this.reach(process, patienceMs);
    return new Proxy(ledger, {
      get: (target, name: keyof LedgerStore) => {
        if (name === "onCompletion") {
          return (listener: () => void, onReconnect: () => void) => {
            this.#redis.onBack(process, onReconnect);
            return target.onCompletion(
              () => void this.#redis.scheduler.after(1, process, listener),
              () => undefined,
            );
          };
        }
        const method = target[name] as (...given: unknown[]) => Promise<unknown>;
        return (...given: unknown[]) => send(() => method.apply(target, given));
      },
    });
  }

  jobsOf(process: SimProcess): EpisodeJobs {
    const send = this.reach(process);
    const add = (kind: JobKind, id: string, data: unknown) => {
      const job = { id, kind, data, attempt: 1, notBeforeMs: 0, owner: undefined, lockedUntilMs: 0 };
      if (!this.#jobs.has(`${kind}/${id}`)) this.#jobs.set(`${kind}/${id}`, job);
    };
    return {
      addRollouts: (specs) =>
        send(async () => {
          for (const spec of specs) {
            for (let episodeIndex = 0; episodeIndex < spec.groupSize; episodeIndex++)
              add("rollout", trajectoryIdOf(spec.groupId, episodeIndex), { ...spec, episodeIndex });
          }
        }),
      addReward: (spec) =>
        send(async () => add("reward", trajectoryIdOf(spec.groupId, spec.episodeIndex), spec)),
      restore: (name, specs) =>
        send(async () => {
          for (const spec of specs) add(kinds[name], trajectoryIdOf(spec.groupId, spec.episodeIndex), spec);
        }),
    };
  }

  /** Takes a job that nobody works on, or whose consumer did not renew its lock, and locks it. */
  async take(kind: JobKind, lockMs: number): Promise<QueuedJob | undefined> {
    for (const job of this.#jobs.values()) {
      if (job.kind !== kind || job.notBeforeMs > this.nowMs || job.lockedUntilMs > this.nowMs) continue;
      job.owner = Symbol(job.id);
      job.lockedUntilMs = this.nowMs + lockMs;
      return { ...job };
    }
    return undefined;
  }

  /** Renews the lock. Returns false if another consumer has the job. */
  async renew({ kind, id, owner }: QueuedJob, lockMs: number): Promise<boolean> {
    const job = this.#jobs.get(`${kind}/${id}`);
    if (job === undefined || job.owner !== owner) return false;
    job.lockedUntilMs = this.nowMs + lockMs;
    return true;
  }

  /** @param retryMs when to try again; undefined if the job is done */
  async end({ kind, id, owner }: QueuedJob, retryMs: number | undefined): Promise<void> {
    const job = this.#jobs.get(`${kind}/${id}`);
    if (job === undefined || job.owner !== owner) return;
    if (retryMs === undefined) this.#jobs.delete(`${kind}/${id}`);
    else
      Object.assign(job, {
        owner: undefined,
        lockedUntilMs: 0,
        attempt: job.attempt + 1,
        notBeforeMs: this.nowMs + retryMs,
      });
  }
}
