import type { EpisodeJobs } from "../../../packages/learning/trajectories/src/jobs/episode-jobs.js";
import type { JobWork } from "../../../packages/learning/trajectories/src/jobs/job-work.js";
import type { LedgerStore } from "../../../packages/learning/trajectories/src/store/ledger-store.js";
import { repeated, type SimCheckpoint, type SimRecord } from "./sim-learner.js";

/** The points at which a planted bug of a run can interfere. This one plants nothing. */
export class RunPlant {
  ledger(ledger: LedgerStore): LedgerStore {
    return ledger;
  }

  work(work: JobWork): JobWork {
    return work;
  }

  /** Wraps the job store with which a learner restores lost jobs. */
  jobs(jobs: EpisodeJobs): EpisodeJobs {
    return jobs;
  }

  /** Changes which version a learner considers the newest checkpoint on disk. */
  savedVersion(version: number): number {
    return version;
  }

  /** Changes what a learner starts from: the checkpoint on disk, and the steps of the log to replay on it. */
  restored(checkpoint: SimCheckpoint, steps: readonly SimRecord[]): SimCheckpoint {
    return repeated(checkpoint, steps);
  }

  /** Puts a checkpoint in place, and then removes the steps that it includes from the log. */
  async replace(put: () => Promise<void>, drop: () => Promise<void>): Promise<void> {
    await put();
    await drop();
  }

  /**
   * Resolves when the checkpoint is on disk.
   * @param tear leaves the state of a half-finished write on disk, under the checkpoint's own name
   */
  save(write: () => Promise<void>, _tear: () => void): Promise<void> {
    return write();
  }
}

/** Returns the ledger with some operations replaced. */
export function changed(ledger: LedgerStore, changes: Partial<LedgerStore>): LedgerStore {
  return new Proxy(ledger, {
    get: (target, name: keyof LedgerStore) =>
      changes[name] ?? (target[name] as (...given: unknown[]) => unknown).bind(target),
  });
}
