import type { EpisodeJobs } from "../../../packages/trajectories/src/episode-jobs.js";
import type { JobWork } from "../../../packages/trajectories/src/job-work.js";
import type { LedgerStore } from "../../../packages/trajectories/src/ledger-store.js";
import { repeated, type SimCheckpoint, type SimRecord } from "./sim-learner.js";

/** Where a planted bug of a run can reach. This one plants nothing. */
export class RunPlant {
  ledger(ledger: LedgerStore): LedgerStore {
    return ledger;
  }

  work(work: JobWork): JobWork {
    return work;
  }

  /** What a learner restores lost jobs with. */
  jobs(jobs: EpisodeJobs): EpisodeJobs {
    return jobs;
  }

  /** What a learner is told of the newest checkpoint on disk. */
  savedVersion(version: number): number {
    return version;
  }

  /** What a learner begins with: the checkpoint on disk, and the steps of the log repeated upon it. */
  restored(checkpoint: SimCheckpoint, steps: readonly SimRecord[]): SimCheckpoint {
    return repeated(checkpoint, steps);
  }

  /** Puts a checkpoint in place, and drops the steps that it holds from the log. */
  async replace(put: () => Promise<void>, drop: () => Promise<void>): Promise<void> {
    await put();
    await drop();
  }

  /** Resolves when the checkpoint is on disk.
   *  @param tear leaves on disk what is there half-way through the writing, under the checkpoint's own name */
  save(write: () => Promise<void>, _tear: () => void): Promise<void> {
    return write();
  }
}

/** The ledger with some operations replaced. */
export function changed(ledger: LedgerStore, changes: Partial<LedgerStore>): LedgerStore {
  return new Proxy(ledger, {
    get: (target, name: keyof LedgerStore) =>
      changes[name] ?? (target[name] as (...given: unknown[]) => unknown).bind(target),
  });
}
