/**
 * Responsibility: the learners that train a run's model together, as the run's learner actor sees them, which is rank 0: starts the
 *   others, makes all of them take the same steps, and checks that their weights stay equal. If there is only one
 *   learner, this class passes the calls on to it.
 * Not responsible for: the exchange of gradients in a step (the learner's `peers`), saving and acknowledging (step-protocol.ts).
 *
 * Invariants:
 * - RANKS-1 (T1). The other ranks end with the incarnation of the learner actor that started them. A new incarnation
 *   starts its own ranks from its checkpoint, and messages of an earlier step never reach these.
 * - RANKS-2 (T1). When one rank fails in a step, or the ranks end a step at different versions, the step fails with a
 *   retryable error, and this set of ranks trains and saves nothing more.
 * - RANKS-3. Weights are the same on all ranks, to the bit, at every checkpoint that is written.
 */

import type { ActorHandle, ActorOptions, Cluster } from "@palimpsest/client";
import {
  type CheckpointExtra,
  type ExchangeStats,
  type Learner,
  LearnerError,
  PairExchange,
  type TrainedTokens,
  type UpdateMetrics,
} from "@palimpsest/learner";
import { withDeadline } from "@palimpsest/std";
import { encodeStepDump, type Group } from "@palimpsest/trajectories";
import { type ActorBulk, PalimpsestError } from "@palimpsest/wire";
import { exchangeThreads } from "../parts/learner-settings.js";
import type { ProcessMemory } from "../records/process-memory.js";
import { actorsModule, type RunSpec } from "../records/run-spec.js";
import type { SavedLearner } from "../run-folder/learner-saves.js";
import { LearnerRank, type RankState } from "./learner-rank.js";
import { type RankAddress, RankThreads } from "./rank-threads.js";

/** The calls to one rank other than 0, which tests replace to work without processes. */
type RankCalls = Pick<
  ActorHandle<LearnerRank>,
  "address" | "join" | "memory" | "ready" | "shareState" | "swap" | "update" | "weightsHash"
>;
export type RankHandle = RankCalls & {
  with(settings: Parameters<ActorHandle<LearnerRank>["with"]>[0]): RankCalls;
};

/** The parts of rank 0's learner that this class uses. */
export type OwnLearner = { readonly config: Pick<Learner["config"], "precision"> } & Pick<
  Learner,
  "close" | "policyVersion" | "saveCheckpoint" | "shareState" | "step" | "update" | "weightsHash"
>;

export class LearnerRanks implements SavedLearner {
  readonly #others: readonly RankHandle[];
  readonly #timeoutMs: number;
  readonly #abort = new AbortController();
  readonly #threads: RankThreads;
  #address: RankAddress = [];
  /** The peers with which this rank's learner must be created; undefined if it is alone. */
  readonly peers: PairExchange | undefined;
  #learner: OwnLearner | undefined;
  #broken: PalimpsestError | undefined;

  /**
   * @param timeoutMs how long a rank may wait for another
   * @param threads how many exchange gradients on each rank
   */
  constructor(others: readonly RankHandle[], timeoutMs: number, threads: number) {
    this.#others = others;
    this.#timeoutMs = timeoutMs;
    const size = others.length + 1;
    this.#threads = new RankThreads(0, size, timeoutMs, threads);
    this.#abort.signal.addEventListener("abort", () => this.#threads.fail(this.#abort.signal.reason));
    const ways = { swap: this.#swap, lanes: this.#threads.lanes };
    this.peers = size === 1 ? undefined : new PairExchange(0, size, ways);
  }

  /** Begins to offer this rank's gradients to the others. */
  async serve(bulk: ActorBulk): Promise<void> {
    if (this.#others.length > 0) this.#address = await this.#threads.serve(bulk);
  }

  /** Spawns the other ranks, each with a lease like the learner's. They may still be starting when this resolves. */
  static async spawn(cluster: Pick<Cluster, "actor">, spec: RunSpec): Promise<LearnerRanks> {
    const { learnerActors, learnerCpus, learnerGpus, learnerThreads, train } = spec.recipe;
    const resources = Object.entries({ cpu: learnerCpus, gpu: learnerGpus }).filter(([, most]) => most > 0);
    const options: ActorOptions = {
      role: "learner-rank",
      resources: Object.fromEntries(resources),
      maxRestarts: 0,
      maxTaskRetries: 0,
      // A rank writes nothing, so one that its node keeps running without contact to the head does no harm.
      fence: "none",
      strategy: "spread",
    };
    const type = cluster.actor(LearnerRank, { module: actorsModule }, options);
    const ranks = Array.from({ length: learnerActors - 1 }, (_, index) => type.spawn(spec, index + 1));
    const handles = await Promise.all(ranks);
    return new LearnerRanks(handles, train.stopWhenStuckMs, exchangeThreads(learnerThreads));
  }

  /**
   * Waits until all ranks have started, compute in this one's precision and have the same state.
   * @param learner learner of this rank, created with `peers`
   * @param goesOn whether the learner was created from a checkpoint
   * @throws {PalimpsestError} UNSCHEDULABLE, ACTOR_DIED, GET_TIMEOUT; ACTOR_UNAVAILABLE
   */
  async meet(learner: OwnLearner, goesOn: boolean): Promise<void> {
    this.#learner = learner;
    const ranks = this.#others;
    await Promise.all(ranks.map((rank) => rank.ready({ timeoutMs: this.#timeoutMs })));
    const theirs = await Promise.all(ranks.map((rank) => this.#calling(rank).address()));
    const addresses = [this.#address, ...theirs];
    this.#threads.join(addresses);
    const handles = ranks as readonly ActorHandle<LearnerRank>[];
    await Promise.all(
      ranks.map((rank) => this.#calling(rank).join(handles, addresses, learner.config.precision)),
    );
    if (goesOn)
      await this.#together(
        "the checkpoint",
        (rank) => rank.shareState(),
        () => learner.shareState(),
      );
  }

  get policyVersion(): number {
    return this.#own.policyVersion;
  }

  weightsHash(): string {
    return this.#own.weightsHash();
  }

  /** Totals of the exchanges so far; undefined if there is only one learner. */
  get exchanged(): ExchangeStats | undefined {
    return this.peers?.stats;
  }

  /**
   * @throws {LearnerError} as `Learner.update`; {PalimpsestError} ACTOR_UNAVAILABLE, retryable, if there are several
   *   ranks (RANKS-2)
   */
  async update(
    groups: readonly Group[],
    options: {
      readonly shuffleRewards: boolean;
      readonly signal: AbortSignal;
      /** Filled with what this rank computed for each token. */
      readonly tokens?: TrainedTokens | undefined;
    },
  ): Promise<UpdateMetrics> {
    const learner = this.#own;
    if (this.#others.length === 0) return await learner.update(groups, options);
    const { policyVersion } = learner;
    const { shuffleRewards, tokens } = options;
    const dump = encodeStepDump({ policyVersion, shuffleRewards, groups: [...groups] });
    return await withDeadline({ signals: [options.signal, this.#abort.signal] }, (signal) =>
      this.#together(
        `the update of version ${policyVersion}`,
        (rank) => rank.update(dump),
        () => learner.update(groups, { shuffleRewards, signal, tokens }),
        options.signal,
      ),
    );
  }

  /**
   * @throws as `Learner.saveCheckpoint`; {PalimpsestError} ACTOR_UNAVAILABLE, retryable, if ranks have different
   *   weights
   */
  async saveCheckpoint(
    root: string,
    extra: CheckpointExtra,
    options: { readonly keepLast: number; readonly onTaken?: () => void },
  ): Promise<string> {
    await this.#checkSameWeights();
    return await this.#own.saveCheckpoint(root, extra, options);
  }

  /** Returns the maximum over all ranks that answer. */
  async memory(own: ProcessMemory): Promise<ProcessMemory> {
    const others = await Promise.allSettled(this.#others.map((rank) => this.#calling(rank).memory()));
    const all = [own, ...others.flatMap((end) => (end.status === "fulfilled" ? [end.value] : []))];
    const used = all.flatMap(({ gpuUsedBytes }) => gpuUsedBytes ?? []);
    return {
      ...own,
      peakRssBytes: Math.max(...all.map(({ peakRssBytes }) => peakRssBytes)),
      ...(used.length === 0 ? {} : { gpuUsedBytes: Math.max(...used) }),
    };
  }

  get #own(): OwnLearner {
    if (this.#broken !== undefined) throw this.#broken;
    if (this.#learner === undefined)
      throw new PalimpsestError("INTERNAL", "the ranks have not joined yet; call meet first");
    return this.#learner;
  }

  /** Lets all ranks do their part. If one of them fails, the calls to the others are aborted at once. */
  async #together<Value>(
    what: string,
    others: (rank: RankCalls) => Promise<RankState>,
    own: () => Promise<Value>,
    stopped?: AbortSignal,
  ): Promise<Value> {
    const failing = (reason: unknown) => {
      this.#abort.abort(reason);
      throw reason;
    };
    const [mine, ...theirs] = await Promise.allSettled([
      own().catch(failing),
      ...this.#others.map((rank) => others(this.#calling(rank)).catch(failing)),
    ] as const);
    const failures = theirs.flatMap((end, index) =>
      end.status === "rejected" ? [{ rank: index + 1, reason: end.reason as unknown }] : [],
    );
    if (mine.status === "rejected") {
      const isOfOthers = endsForOthers(mine.reason, stopped);
      const broken = this.#break(what, failures, mine.reason);
      // An error of this rank's own step is thrown as a single learner would throw it.
      throw isOfOthers ? broken : mine.reason;
    }
    if (failures.length > 0) throw this.#break(what, failures, undefined);
    const { policyVersion, step } = this.#own;
    const apart = theirs.findIndex(
      (end) =>
        end.status === "fulfilled" &&
        (end.value.policyVersion !== policyVersion || end.value.optimizerStep !== step),
    );
    if (apart >= 0)
      throw this.#break(
        what,
        [
          {
            rank: apart + 1,
            reason: `it ended the step at another version than rank 0, which is at version ${policyVersion}`,
          },
        ],
        undefined,
      );
    return mine.value;
  }

  async #checkSameWeights(): Promise<void> {
    if (this.#others.length === 0) return;
    const own = this.#own.weightsHash();
    const hashes = await Promise.allSettled(this.#others.map((rank) => this.#calling(rank).weightsHash()));
    const failures = hashes.flatMap((end, index) => {
      if (end.status === "rejected") return [{ rank: index + 1, reason: end.reason as unknown }];
      if (end.value === own) return [];
      return [{ rank: index + 1, reason: `it has weights ${end.value}, but rank 0 has ${own}` }];
    });
    if (failures.length > 0) throw this.#break("the checkpoint", failures, undefined);
  }

  /** Ends the work of these ranks, which are created again together with the learner actor (RANKS-2). */
  #break(
    what: string,
    failures: readonly { readonly rank: number; readonly reason: unknown }[],
    own: unknown,
  ): PalimpsestError {
    const textOf = (reason: unknown) => (reason instanceof Error ? reason.message : String(reason));
    // A rank that failed only because another did adds no information.
    const causes = failures.filter(({ reason }) => !textOf(reason).includes("PEER_FAILED"));
    const told = causes.length > 0 ? causes : failures;
    const said =
      told.length > 0
        ? told.map(({ rank, reason }) => `rank ${rank}: ${textOf(reason)}`).join("; ")
        : `rank 0: ${textOf(own)}`;
    this.#broken ??= new PalimpsestError(
      "ACTOR_UNAVAILABLE",
      `${what} failed among ${this.#others.length + 1} learners that train together: ${said}; all of them restart from the last checkpoint`,
      { retryable: true, cause: told[0]?.reason ?? own },
    );
    this.#abort.abort(this.#broken);
    this.#learner?.close();
    return this.#broken;
  }

  #calling(rank: RankHandle): RankCalls {
    return rank.with({ timeoutMs: this.#timeoutMs, retries: 0, signal: this.#abort.signal });
  }

  readonly #swap = async <Value>(rank: number, tag: string, value: Value): Promise<Value> => {
    const other = this.#others[rank - 1];
    if (other === undefined) throw new PalimpsestError("INTERNAL", `rank ${rank} has not joined`);
    return (await this.#calling(other).swap(0, tag, value)) as Value;
  };
}

/**
 * Returns whether a rank's step ended because another rank that it waited for had failed, or because it was told so.
 */
function endsForOthers(reason: unknown, stopped: AbortSignal | undefined): boolean {
  if (!(reason instanceof LearnerError)) return false;
  return reason.code === "PEER_FAILED" || (reason.code === "ABORTED" && stopped?.aborted !== true);
}
