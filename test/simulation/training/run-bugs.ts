/** Bugs of a training run that the simulator must find; the product has no switch for any of them. */

import type { Epoch } from "../../../packages/learning/trajectories/src/base/epoch.js";
import { splitTrajectoryId } from "../../../packages/learning/trajectories/src/base/group-spec.js";
import { encodeScore } from "../../../packages/learning/trajectories/src/codec/score-codec.js";
import type { EpisodeJobs } from "../../../packages/learning/trajectories/src/jobs/episode-jobs.js";
import type { JobWork } from "../../../packages/learning/trajectories/src/jobs/job-work.js";
import type { LedgerStore } from "../../../packages/learning/trajectories/src/store/ledger-store.js";
import { changed, RunPlant } from "./run-plant.js";
import type { SimCheckpoint, SimRecord } from "./sim-learner.js";

type Saved = readonly [checkpoint: SimCheckpoint, steps: readonly SimRecord[]];

export interface RunBug {
  readonly name: string;
  readonly breaks: string;
  readonly make: () => RunPlant;
}

class LedgerBug extends RunPlant {
  readonly #change: (ledger: LedgerStore) => Partial<LedgerStore>;

  constructor(change: (ledger: LedgerStore) => Partial<LedgerStore>) {
    super();
    this.#change = change;
  }

  override ledger(ledger: LedgerStore): LedgerStore {
    return changed(ledger, this.#change(ledger));
  }
}

class EarlyAcknowledgement extends RunPlant {
  override async save(write: () => Promise<void>): Promise<void> {
    void write().catch(() => undefined);
  }
}

class JobsStayLost extends RunPlant {
  override jobs(jobs: EpisodeJobs): EpisodeJobs {
    return { ...jobs, restore: async () => undefined };
  }
}

class CheckpointNotLookedAt extends RunPlant {
  override savedVersion(): number {
    return 0;
  }
}

class TornCheckpoint extends RunPlant {
  override async save(write: () => Promise<void>, tear: () => void): Promise<void> {
    tear();
    await write();
  }
}

class ForgottenCursor extends RunPlant {
  override restored(...saved: Saved): SimCheckpoint {
    return { ...super.restored(...saved), consumedGroupIds: [] };
  }
}

class OlderCursor extends RunPlant {
  override restored(...saved: Saved): SimCheckpoint {
    const checkpoint = super.restored(...saved);
    const policyVersion = Math.max(0, checkpoint.policyVersion - 1);
    return { ...checkpoint, policyVersion, consumedGroupIds: [], last: undefined };
  }
}

class LogNotRepeated extends RunPlant {
  override restored(checkpoint: SimCheckpoint, steps: readonly SimRecord[]): SimCheckpoint {
    const { trained } = checkpoint;
    return { ...super.restored(checkpoint, steps), trained };
  }
}

class LogDroppedEarly extends RunPlant {
  override async replace(put: () => Promise<void>, drop: () => Promise<void>): Promise<void> {
    await drop();
    await put();
  }
}

class ZeroForFailure extends RunPlant {
  #ledger: LedgerStore | undefined;

  override ledger(ledger: LedgerStore): LedgerStore {
    this.#ledger = ledger;
    return ledger;
  }

  override work(work: JobWork): JobWork {
    if (work.kind !== "reward") return work;
    return {
      ...work,
      fail: async (job) => {
        const { groupId = "", episodeIndex = 0 } = splitTrajectoryId(job.id) ?? {};
        const zero = encodeScore({ reward: 0, components: {} }, { trajectoryId: job.id, actorId: "" });
        const { trajectoryToken = "" } = (await this.#ledger?.sampledHead(groupId, episodeIndex)) ?? {};
        await this.#ledger?.putScore(groupId, episodeIndex, zero, trajectoryToken);
      },
    };
  }
}

function anyEpochCloses(): RunPlant {
  let newest: Epoch = { number: 0, token: "" };
  return new LedgerBug((ledger) => ({
    takeOver: async (token) => {
      newest = await ledger.takeOver(token);
      return newest;
    },
    completeGroups: (_epoch, cursor) => ledger.completeGroups(newest, cursor),
    close: (closing) => ledger.close(closing, newest),
  }));
}

function payloadsReadOnce(): RunPlant {
  const read = new Set<string>();
  return new LedgerBug((ledger) => ({
    trajectory: async (groupId, episodeIndex) => {
      const key = `${groupId}.${episodeIndex}`;
      if (read.has(key)) return undefined;
      const bytes = await ledger.trajectory(groupId, episodeIndex);
      if (bytes !== undefined) read.add(key);
      return bytes;
    },
  }));
}

function claimedOnce(): RunPlant {
  const claimed = new Set<string>();
  return new LedgerBug((ledger) => ({
    claim: async (claims, limits) => {
      const states = await ledger.claim(claims, limits);
      return states.map((state, at) => {
        const groupId = claims[at]?.groupId ?? "";
        const again = state === "claimed" && claimed.has(groupId);
        if (state === "claimed") claimed.add(groupId);
        return again ? "outstanding" : state;
      });
    },
  }));
}

export const runBugs: readonly RunBug[] = [
  {
    name: "a step is acknowledged before its checkpoint is on disk",
    breaks: "STEP-1, T1",
    make: () => new EarlyAcknowledgement(),
  },
  { name: "a torn checkpoint is believed", breaks: "STEP-1, T1", make: () => new TornCheckpoint() },
  {
    name: "a restarted learner forgets what its checkpoint consumed",
    breaks: "CONSUMER-2, T1",
    make: () => new ForgottenCursor(),
  },
  {
    name: "a restarted learner is given its last groups a second time",
    breaks: "STEP-2, T1",
    make: () => new OlderCursor(),
  },
  {
    name: "a restarted learner says that it stands where the log ends, and has not repeated it",
    breaks: "SAVES-1, T1",
    make: () => new LogNotRepeated(),
  },
  {
    name: "steps leave the log before the checkpoint that holds them is in place",
    breaks: "SAVES-2, T1",
    make: () => new LogDroppedEarly(),
  },
  { name: "a failed reward is a reward of zero", breaks: "T4", make: () => new ZeroForFailure() },
  {
    name: "a score is recorded for whatever trajectory is there",
    breaks: "LEDGER-9, T4",
    make: () =>
      new LedgerBug((ledger) => ({
        putScore: async (groupId, episodeIndex, bytes) => {
          const { trajectoryToken = "" } = await ledger.sampledHead(groupId, episodeIndex);
          return await ledger.putScore(groupId, episodeIndex, bytes, trajectoryToken);
        },
      })),
  },
  {
    name: "a payload is deleted when it is read, not when it is acknowledged",
    breaks: "LEDGER-7, T1",
    make: payloadsReadOnce,
  },
  { name: "what a fenced learner writes is taken", breaks: "LEDGER-4", make: anyEpochCloses },
  {
    name: "a job that Redis lost is not added again",
    breaks: "LOSTJOBS-1, T1",
    make: () => new JobsStayLost(),
  },
  {
    name: "a learner does not look whether another one has saved its step",
    breaks: "STEP-5, T1",
    make: () => new CheckpointNotLookedAt(),
  },
  {
    name: "a claim whose jobs were lost counts as dispatched",
    breaks: "DISPATCH-4, STEP-3",
    make: () =>
      new LedgerBug((ledger) => ({
        confirm: async (groupIds) => {
          await ledger.confirm(groupIds);
          return [];
        },
        undispatched: async (groupIds) => {
          const states = await ledger.states(groupIds);
          return groupIds.filter((_, at) => states[at] === undefined);
        },
      })),
  },
  {
    name: "a claim that nobody confirmed cannot be made again",
    breaks: "DISPATCH-2",
    make: claimedOnce,
  },
];
