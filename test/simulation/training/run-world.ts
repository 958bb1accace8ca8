/**
 * Responsibility: one training run for one seed: its driver, learner, rollout and reward processes over one Redis,
 *   faults while it trains, and what must be true of it at the end.
 * Not responsible for: the cluster that starts such processes (../world), tensors, checkpoints' files.
 */

import { type Clock, systemClock } from "@palimpsest/std";
import { createLogger } from "@palimpsest/telemetry";
import { PalimpsestError } from "@palimpsest/wire";
import { GroupSchedule } from "../../../packages/learning/trainer/src/groups/group-schedule.js";
import { GroupsInFlight } from "../../../packages/learning/trainer/src/groups/groups-in-flight.js";
import type { StepGroups } from "../../../packages/learning/trainer/src/groups/step-groups.js";
import type { Epoch } from "../../../packages/learning/trajectories/src/base/epoch.js";
import { queueSettingsSchema } from "../../../packages/learning/trajectories/src/base/queue-settings.js";
import { GroupProducer } from "../../../packages/learning/trajectories/src/groups/group-producer.js";
import type { LedgerStore } from "../../../packages/learning/trajectories/src/store/ledger-store.js";
import { PayloadStore } from "../../../packages/learning/trajectories/src/store/payload-store.js";
import { aGroupRequest, aTask } from "../../../packages/learning/trajectories/src/testing/builders.js";
import { SimProcess } from "../world/process.js";
import { Random } from "../world/random.js";
import { redisMachine } from "../world/redis-link.js";
import { Scheduler } from "../world/scheduler.js";
import { SimRedis } from "../world/store.js";
import { Story } from "../world/story.js";
import { Violation } from "../world/violation.js";
import { fragileLedger } from "./fragile-ledger.js";
import { changed, type RunPlant } from "./run-plant.js";
import { RunRecords } from "./run-records.js";
import { RunRedis } from "./run-redis.js";
import { SimConsumer } from "./sim-consumer.js";
import { Disk, SimLearner } from "./sim-learner.js";

const steps = 6;
const faultsEndMs = 10 * 60_000;
const endMs = 30 * 60_000;
const groupsPerStep = 4;
/** A step takes at most this many groups to replace those that it rejects. */
const mostRefills = 4;
const settings = queueSettingsSchema.parse({ maxOutstandingGroups: groupsPerStep + mostRefills });
const logger = createLogger({ component: "simulation", level: "silent" });
const clock: Clock = systemClock;

export class RunWorld {
  readonly scheduler = new Scheduler();
  readonly random: Random;
  readonly story: Story;
  readonly redis: SimRedis;
  readonly run: RunRedis;
  readonly records: RunRecords;
  readonly plant: RunPlant;
  readonly groupsPerStep = groupsPerStep;
  readonly disk = new Disk();
  /** The version with which rollouts sample. */
  announced = 0;
  readonly #seed: number;
  /** Chooses the moments at which a fragile Redis dies. */
  readonly #moments: Random;
  readonly #cut = new Set<string>();
  /** The newest epoch that Redis remembers; a loss may take it back. */
  #newestEpoch = 0;
  #lastTaker: SimProcess | undefined;
  #processes: SimProcess[] = [];
  #number = 0;
  #learner: SimLearner | undefined;
  #done = false;

  constructor(seed: number, plant: RunPlant, keepStory: boolean) {
    this.#seed = seed;
    this.#moments = new Random(`${seed}/moments`);
    this.random = new Random(`${seed}/run`);
    this.plant = plant;
    this.story = new Story(this.scheduler, keepStory);
    this.redis = new SimRedis(this.scheduler, new Random(`${seed}/redis`), (machine) =>
      this.#cut.has(machine),
    );
    this.run = new RunRedis(this.redis);
    this.records = new RunRecords(
      (invariant, text) => this.violation(invariant, text),
      this.disk,
      () => this.redis.losses,
    );
    this.redis.observers.add({
      lost: () => {
        this.#newestEpoch = 0;
      },
    });
  }

  /** In every fourth seed Redis dies soon after one of its writes, or in place of it. */
  #fragile(ledger: LedgerStore): LedgerStore {
    if (this.#seed % 4 !== 0) return ledger;
    return fragileLedger(ledger, this.#moments, (forMs) => {
      if (this.scheduler.nowMs > faultsEndMs || this.#done) return;
      this.story.tell("FAULT", () => `Redis loses what comes in the next ${forMs.toFixed(1)} ms`);
      this.records.counts.faults++;
      this.redis.loseWhatFollows(forMs);
    });
  }

  process(machine: string, name: string): SimProcess {
    const process = new SimProcess(this.scheduler, ++this.#number, machine, name);
    this.#processes = [...this.#processes.filter((one) => !one.ended), process];
    return process;
  }

  announce(policyVersion: number): void {
    this.announced = policyVersion;
  }

  /** Checks a learner's error that says that a newer learner has taken over. */
  fencedOff(process: SimProcess): void {
    if (this.#lastTaker === process)
      this.violation("LEDGER-4", `${process.name} is fenced off, and no other learner has taken over`);
    process.kill();
  }

  queueDeps(process: SimProcess, patienceMs?: number) {
    const watched = this.#watched(this.plant.ledger(this.#fragile(this.run.ledger)), process);
    const store = this.run.ledgerOf(process, watched, patienceMs);
    const room = { write: <T>(work: () => Promise<T>) => work() };
    return {
      store,
      payloads: new PayloadStore({ store, room, settings }),
      room,
      settings,
      logger,
      metrics: undefined,
      clock,
    };
  }

  async live(): Promise<void> {
    const { scheduler } = this;
    scheduler.after(0, undefined, () => {
      this.#startLearner();
      this.#keep(() => this.#driver());
      for (const index of [0, 1]) {
        this.#keep(() => new SimConsumer(this, "rollout", `m-rollout-${index}`, this.#number).process);
      }
      this.#keep(() => new SimConsumer(this, "reward", "m-reward", this.#number).process);
      this.#strike();
    });
    // One minute after the end of the run, nothing happens any more.
    for (let untilMs = 0, ended = false; untilMs < endMs && !ended; ) {
      ended = this.#done;
      untilMs += 60_000;
      await scheduler.run(untilMs);
    }
    const { policyVersion, trained, last } = this.disk.head;
    this.story.tell("run", () => `at the end: step ${policyVersion}, ${trained.length} groups trained`);
    const due = last?.taken?.schedule.next ?? steps * groupsPerStep;
    const groupIds = Array.from({ length: due }, (_, index) => groupIdOf(index));
    void this.records.end(this.run.ledger, groupIds, steps, (groupId) => this.teaches(groupId));
    await scheduler.run(scheduler.nowMs);
  }

  /** Starts a process, and starts it again whenever it ends. */
  #keep(start: () => SimProcess): void {
    const process = start();
    process.onEnd(() => {
      this.scheduler.after(this.random.between(500, 10_000), undefined, () => this.#keep(start));
    });
  }

  /** Starts a learner on one of two machines. A learner that was replaced while it lived is not started again. */
  #startLearner(): void {
    const learner = new SimLearner(this, `m-learner-${this.random.below(2)}`, this.#number);
    this.#learner = learner;
    learner.process.onEnd(() => {
      if (this.#learner !== learner) return;
      this.scheduler.after(this.random.between(500, 10_000), undefined, () => this.#startLearner());
    });
  }

  /** In every third run some groups have no reward variance, and steps take others to replace them. */
  get #refills(): number {
    return this.#seed % 3 === 0 ? mostRefills : 0;
  }

  teaches(groupId: string): boolean {
    return this.#refills === 0 || Number(groupId.slice(1)) % 5 > 1;
  }

  /** Does what trainSteps() of the trainer does: dispatches a step and calls the learner until it is trained. */
  #driver(): SimProcess {
    const process = this.process("m-driver", `driver-${this.#number}`);
    const drive = async () => {
      const deps = this.queueDeps(process);
      const jobs = this.run.jobsOf(process);
      const producer = new GroupProducer({ ...deps, jobs, listRun: async () => undefined });
      const pause = () => new Promise((resolve) => setTimeout(resolve, 1_000));
      const found = () => this.#call(process, (learner) => learner.state());
      let state = await found();
      for (; state === undefined; state = await found()) await pause();
      const inFlight = this.#inFlight(producer, state);
      for (let step = state.version + 1; step <= steps; ) {
        const { asked } = await inFlight.offer();
        if (await this.#ask(process, { step, ...asked }, inFlight)) step++;
        else await pause();
      }
      this.#done = true;
    };
    this.scheduler.after(0, process, () => void drive());
    return process;
  }

  async #ask(process: SimProcess, asked: StepGroups, inFlight: GroupsInFlight): Promise<boolean> {
    const answer = await this.#call(process, (learner) => learner.train(asked));
    if (answer === undefined) return false;
    if ("step" in answer) {
      inFlight.stepDone(answer.taken?.schedule);
      this.records.counts.steps++;
      return true;
    }
    await inFlight.lost(answer.undispatched);
    await inFlight.rejected(answer.rejected ?? []);
    return false;
  }

  #inFlight(
    producer: GroupProducer,
    { version, schedule }: Awaited<ReturnType<SimLearner["state"]>>,
  ): GroupsInFlight {
    const train = {
      steps,
      groupsPerStep,
      maxStaleness: 0,
      staleGroups: "wait",
      refills: this.#refills,
    } as const;
    return new GroupsInFlight({
      ...train,
      schedule: new GroupSchedule(train, version, schedule),
      open: async ({ index, minPolicyVersion }) =>
        aGroupRequest({
          groupId: groupIdOf(index),
          groupSize: 4,
          step: minPolicyVersion + 1,
          minPolicyVersion,
          task: aTask({ id: `task-${index}` }),
        }),
      dispatch: (groups, options) => producer.dispatch(groups, options),
      signal: new AbortController().signal,
      timeoutMs: endMs,
    });
  }

  /** Makes a call of the driver to the learner. It resolves with undefined when the call fails or its learner dies. */
  #call<Result>(
    process: SimProcess,
    method: (learner: SimLearner) => Promise<Result>,
  ): Promise<Result | undefined> {
    const learner = this.#learner;
    return new Promise((resolve) => {
      const answer = (result: Result | undefined) =>
        this.scheduler.after(this.random.between(1, 20), process, () => resolve(result));
      if (learner === undefined || learner.process.ended) {
        answer(undefined);
        return;
      }
      learner.process.onEnd(() => answer(undefined));
      this.scheduler.after(this.random.between(1, 20), learner.process, () => {
        method(learner).then(answer, (reason: unknown) => {
          this.#failed(learner, PalimpsestError.from(reason));
          answer(undefined);
        });
      });
    });
  }

  /**
   * Handles errors as untilTaken() of the trainer does; the driver may also be a new one, which repeats the call
   * without a restart.
   */
  #failed({ process }: SimLearner, reason: PalimpsestError): void {
    this.story.tell(process.name, () => `fails: ${reason.message}`);
    if (process.ended) return;
    if (reason.code === "ALREADY_EXISTS") this.fencedOff(process);
    else if (!reason.retryable) this.violation("STEP", reason.message);
    else if (this.random.chance(0.5)) process.kill();
  }

  /** Wraps the ledger to observe who takes over and what is closed, by any learner. */
  #watched(ledger: LedgerStore, process: SimProcess): LedgerStore {
    const accepted = ({ number }: Epoch) => {
      this.#newestEpoch = Math.max(this.#newestEpoch, number);
    };
    const watched: Partial<LedgerStore> = {
      takeOver: async (token) => {
        const epoch = await ledger.takeOver(token);
        accepted(epoch);
        this.#lastTaker = process;
        return epoch;
      },
      completeGroups: async (epoch, cursor) => {
        const complete = await ledger.completeGroups(epoch, cursor);
        if (complete !== undefined) accepted(epoch);
        return complete;
      },
      rememberTrained: async (groupIds, epoch) => {
        const result = await ledger.rememberTrained(groupIds, epoch);
        if (result === "remembered") accepted(epoch);
        return result;
      },
      close: async (closing, epoch) => {
        const result = await ledger.close(closing, epoch);
        if (result === "fenced") return result;
        if (result === "closed") {
          this.records.closed(closing, epoch, this.#newestEpoch);
          this.records.account(await ledger.counts());
        }
        accepted(epoch);
        return result;
      },
    };
    return changed(ledger, watched);
  }

  #strike(): void {
    const { random, scheduler } = this;
    scheduler.after(-Math.log(1 - random.float()) * 12_000, undefined, () => {
      if (scheduler.nowMs > faultsEndMs || this.#done) return;
      const process = random.pick(this.#processes.filter((one) => !one.ended));
      const forMs = random.between(500, 40_000);
      const later = (heal: () => void) => scheduler.after(forMs, undefined, heal);
      const draw = random.below(9);
      this.records.counts.faults++;
      if (process === undefined) return;
      if (process === this.#learner?.process && random.chance(0.4)) {
        // The head has lost contact with the learner's node and starts it elsewhere, so two learners live for a while.
        this.story.tell("FAULT", () => `${process.name} is taken for dead`);
        this.#startLearner();
        later(() => process.kill());
      } else if (draw < 4) {
        this.story.tell("FAULT", () => `kill -9 ${process.name}`);
        process.kill();
      } else if (draw === 4) {
        this.story.tell("FAULT", () => `SIGSTOP ${process.name} for ${forMs.toFixed(0)} ms`);
        process.pause();
        later(() => process.resume());
      } else if (draw === 5) {
        this.story.tell("FAULT", () => `partition of ${process.machine} from ${redisMachine}`);
        this.#cut.add(process.machine);
        later(() => {
          this.#cut.delete(process.machine);
          this.redis.healed();
        });
      } else if (draw === 6) {
        this.story.tell("FAULT", () => `Redis is away for ${forMs.toFixed(0)} ms`);
        this.redis.goAway();
        later(() => this.redis.comeBack());
      } else {
        this.story.tell("FAULT", () => "Redis loses its last second");
        this.redis.loseLast(1_000);
      }
      this.#strike();
    });
  }

  violation(invariant: string, text: string): void {
    this.story.tell("VIOLATION", () => `${invariant}: ${text}`);
    this.scheduler.fail(new Violation(invariant, text));
  }
}

/** Ids have three digits, so that they sort in the run's order of questions. */
function groupIdOf(index: number): string {
  return `g${String(index).padStart(3, "0")}`;
}
