import { PalimpsestError } from "@palimpsest/wire";
import { longestChain, type StepLink } from "../../../packages/learning/learner/src/checkpoint/step-chain.js";
import { StepProtocol } from "../../../packages/learning/trainer/src/actors/step-protocol.js";
import type { ScheduleState } from "../../../packages/learning/trainer/src/groups/group-schedule.js";
import type {
  StepBatch,
  StepGroups,
  UndispatchedGroups,
} from "../../../packages/learning/trainer/src/groups/step-groups.js";
import { takenBy } from "../../../packages/learning/trainer/src/groups/taken-groups.js";
import { GroupConsumer } from "../../../packages/learning/trajectories/src/groups/group-consumer.js";
import type { SimProcess } from "../world/process.js";
import type { RunWorld } from "./run-world.js";

/** The answer to a step, like `StepResult` of the trainer. */
type SimStep = { readonly step: number } & ReturnType<typeof takenBy>;

/**
 * A learner's state as its reader finds it: either complete or the previous one
 * (packages/learning/learner/src/learner/killed-process.test.ts).
 */
export interface SimCheckpoint {
  readonly policyVersion: number;
  /** Every group that the weights were trained on. The list stands for the weights. */
  readonly trained: readonly string[];
  readonly consumedGroupIds: readonly string[];
  /** The rejected groups of the last steps, and those of all steps. */
  readonly rejectedGroupIds: readonly string[];
  readonly everRejected: readonly string[];
  readonly last: SimStep | undefined;
  /** The weights before the last step, and the batch of that step. */
  readonly parentHash: string;
  readonly groupIds: readonly string[];
}

/** A step of the log: its batch, and the resulting state without the weights. */
export interface SimRecord extends StepLink {
  readonly step: Omit<SimCheckpoint, "trained">;
}

/** A checkpoint every third step, and a log of the steps in between (packages/learning/trainer/src/run-folder/learner-saves.ts). */
export class Disk {
  checkpoint: SimCheckpoint = {
    policyVersion: 0,
    trained: [],
    consumedGroupIds: [],
    rejectedGroupIds: [],
    everRejected: [],
    last: undefined,
    parentHash: "",
    groupIds: [],
  };
  records: readonly SimRecord[] = [];

  /** The steps to replay on the checkpoint. */
  get steps(): readonly SimRecord[] {
    const { policyVersion, trained } = this.checkpoint;
    return longestChain(this.records, { policyVersion, weightsHash: trained.join() });
  }

  /** The state of a learner that has replayed them. */
  get head(): SimCheckpoint {
    return repeated(this.checkpoint, this.steps);
  }
}

export function repeated(checkpoint: SimCheckpoint, steps: readonly SimRecord[]): SimCheckpoint {
  const trained = steps.flatMap(({ step }) => step.groupIds);
  return { ...(steps.at(-1)?.step ?? checkpoint), trained: [...checkpoint.trained, ...trained] };
}

const checkpointEverySteps = 3;

type Protocol = StepProtocol<StepGroups, SimCheckpoint, SimCheckpoint, SimStep>;
type Answer = SimStep | UndispatchedGroups;

/** How long a learner waits for Redis before a step fails. */
const patienceMs = 10_000;

/**
 * One life of the learner: the product's step protocol and group consumer. Its weights are the list of groups that they
 * were trained on.
 */
export class SimLearner {
  readonly process: SimProcess;
  readonly #world: RunWorld;
  #weights: SimCheckpoint;
  #protocol: Protocol | undefined;
  #turn: Promise<unknown>;

  constructor(world: RunWorld, machine: string, number: number) {
    this.#world = world;
    this.#weights = world.disk.head;
    this.process = world.process(machine, `learner-${number}`);
    this.#turn = new Promise((resolve, reject) => {
      world.scheduler.after(world.random.between(100, 2_000), this.process, () => {
        this.#start().then(resolve, reject);
      });
    }).catch((reason: unknown) => {
      // A constructor that fails ends the process, which is then restarted.
      const { code, retryable, message } = PalimpsestError.from(reason);
      if (code === "ALREADY_EXISTS") world.fencedOff(this.process);
      else if (!retryable) world.violation("STEP", message);
      this.process.kill();
    });
  }

  /**
   * Returns the last step and the run's schedule after it. As all calls of an actor, it runs after the start and after
   * earlier calls.
   */
  state(): Promise<{ readonly version: number; readonly schedule: ScheduleState | undefined }> {
    return this.#next(async ({ lastDone, last }) => ({ version: lastDone, schedule: last?.taken?.schedule }));
  }

  train(request: StepGroups): Promise<Answer> {
    return this.#next(async (protocol) => {
      const done = await protocol.run(request);
      return "result" in done ? done.result : done;
    });
  }

  #next<Result>(method: (protocol: Protocol) => Promise<Result>): Promise<Result> {
    const answer = this.#turn.then(() => {
      if (this.#protocol === undefined) throw new Error("the learner has not started");
      return method(this.#protocol);
    });
    this.#turn = answer.catch(() => undefined);
    return answer;
  }

  async #start(): Promise<void> {
    const world = this.#world;
    const { records, disk, plant } = world;
    records.counts.learners++;
    const deps = world.queueDeps(this.process, patienceMs);
    const groups = await GroupConsumer.open(
      {
        minGroupSize: 2,
        maxStaleness: 0,
        alreadyConsumed: async () => {
          const { checkpoint, steps } = disk;
          this.#weights = plant.restored(checkpoint, steps);
          await this.#pause(100, 3_000);
          for (const _ of steps) await this.#pause(200, 5_000);
          return this.#weights.consumedGroupIds;
        },
        alreadyRejected: () => this.#weights.rejectedGroupIds,
      },
      { ...deps, jobs: plant.jobs(world.run.jobsOf(this.process)) },
    );
    world.announce(this.#weights.policyVersion);
    this.#protocol = new StepProtocol(
      {
        ledger: deps.store,
        groups,
        groupsPerStep: world.groupsPerStep,
        savedVersion: async () => plant.savedVersion(disk.head.policyVersion),
        policyVersion: () => this.#weights.policyVersion,
        teaches: ({ groupId }) => world.teaches(groupId),
        train: (request, batch) => this.#update(request, batch),
        save: (trained, consumedGroupIds, rejectedGroupIds) =>
          this.#save({ ...trained, consumedGroupIds, rejectedGroupIds }),
        announce: async ({ policyVersion }) => world.announce(policyVersion),
        report: ({ policyVersion, last }) => last ?? { step: policyVersion },
      },
      this.#weights,
    );
    world.story.tell(this.process.name, () => `stands after step ${this.#weights.policyVersion}`);
  }

  async #update(request: StepGroups, batch: StepBatch): Promise<SimCheckpoint> {
    const { policyVersion, trained, everRejected } = this.#weights;
    this.#world.records.batch(batch, trained, policyVersion);
    await this.#pause(200, 5_000);
    const step = policyVersion + 1;
    const ids = batch.groups.map(({ groupId }) => groupId);
    this.#weights = {
      ...this.#weights,
      policyVersion: step,
      trained: [...trained, ...ids],
      everRejected: [...everRejected, ...batch.rejected.map(({ groupId }) => groupId)],
      last: { step, ...takenBy(request, batch) },
      parentHash: trained.join(),
      groupIds: ids,
    };
    return this.#weights;
  }

  async #save(checkpoint: SimCheckpoint): Promise<SimCheckpoint> {
    const { disk, plant, random, story } = this.#world;
    const store = async () => {
      // A kill at this point leaves the file under its temporary name, so the reader finds the previous state.
      await this.#pause(50, 3_000);
      if (random.chance(0.1))
        throw new PalimpsestError("UNAVAILABLE", "planned: the disk failed", { retryable: true });
    };
    const write = async () => {
      if (checkpoint.policyVersion % checkpointEverySteps === 0) await plant.replace(put, drop);
      else {
        await store();
        append(checkpoint);
      }
      story.tell(this.process.name, () => `saved step ${checkpoint.policyVersion}`);
      await this.#pause(1, 300);
    };
    const put = async () => {
      await store();
      // The latest checkpoint is the one of the highest step, even if two learners write at the same time.
      if (checkpoint.policyVersion >= disk.checkpoint.policyVersion) disk.checkpoint = checkpoint;
    };
    const drop = async () => {
      disk.records = disk.records.filter((record) => record.policyVersion > checkpoint.policyVersion);
      await this.#pause(1, 300);
    };
    const append = ({ trained, ...step }: SimCheckpoint) => {
      const { policyVersion, parentHash } = step;
      const link = { policyVersion, parentHash, weightsHash: trained.join(), writtenAtMs: Date.now() };
      disk.records = [...disk.records, { ...link, step }];
    };
    const before = disk.head.trained;
    await plant.save(write, () => {
      if (checkpoint.policyVersion % checkpointEverySteps === 0)
        disk.checkpoint = { ...checkpoint, trained: before };
      else append({ ...checkpoint, groupIds: [] });
    });
    return checkpoint;
  }

  #pause(from: number, to: number): Promise<void> {
    const ms = this.#world.random.between(from, to);
    return new Promise((resolve) => setTimeout(resolve, ms));
  }
}
