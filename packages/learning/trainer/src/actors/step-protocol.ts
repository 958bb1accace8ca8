/**
 * Responsibility: the order in which a learner takes, trains, saves, acknowledges and announces one step, so that a
 *   crash at any instruction neither trains a group twice nor loses one.
 * Not responsible for: training itself, checkpoints, weights (its parts, see learner-actor.ts).
 *
 * Invariants:
 * - STEP-1 (T1). A step's groups are acknowledged only after a checkpoint, or a record of the log, that names them is
 *   on disk.
 * - STEP-2 (T1). A step that is already saved is answered from its record and not trained again.
 * - STEP-3 (T1). A step with groups that the ledger does not know is returned to the driver, and none of it is
 *   trained.
 * - STEP-4 (T1). A step that failed after training is continued from the point of failure by the next request, for
 *   whichever step: it is not trained again, and no other step is trained before it is saved and acknowledged.
 * - STEP-5 (T1). A step is not trained on weights that are behind the checkpoint on disk: a learner presumed dead may have
 *   completed one more step, if Redis lost the take-over that fenced it off. The learner throws STALE_POLICY and must
 *   restart from that checkpoint. If no checkpoint is newer, saved steps were lost, and no step can be trained.
 * - STEP-6 (T2). A step with a window trains `count` of its complete groups. If groups of the window were dropped as
 *   too stale, they are returned to the driver, which replaces them, and the complete ones wait.
 * - STEP-7 (T1). Groups that teach nothing are returned to the driver once, as rejected, so that it dispatches
 *   others. They stay complete in the ledger until the step is saved with their ids, and are closed then, so that a
 *   learner that repeats the step rejects the same ones.
 */
import type { Group, GroupBatch, GroupConsumer, LedgerStore } from "@palimpsest/trajectories";
import { PalimpsestError } from "@palimpsest/wire";
import type { StepBatch, StepGroups, UndispatchedGroups } from "../groups/step-groups.js";
import { sortedOut } from "../groups/teaching-groups.js";

export interface StepParts<
  Request extends StepGroups,
  Trained,
  Saved,
  Result extends { readonly step: number },
> {
  readonly ledger: Pick<LedgerStore, "states" | "undispatched">;
  readonly groups: Pick<GroupConsumer, "nextGroups" | "acknowledge" | "reject" | "release">;
  /** Number of steps that the weights have been trained on. */
  readonly policyVersion: () => number;
  /** Number of steps that are saved on disk, by this learner or another. */
  readonly savedVersion: () => Promise<number>;
  /** Groups per step: this many ids are kept in addition to those of the step itself. */
  readonly groupsPerStep: number;
  /** Whether a group would change the weights. */
  readonly teaches: (group: Group) => boolean;
  /** Trains the batch. If it rejects, it must have left the weights unchanged. */
  readonly train: (request: Request, batch: StepBatch) => Promise<Trained>;
  /** Resolves when a checkpoint or a log with this step and these group ids is on disk; called again after it has rejected. */
  readonly save: (
    trained: Trained,
    consumedGroupIds: readonly string[],
    rejectedGroupIds: readonly string[],
  ) => Promise<Saved>;
  /** Announces the new weights. */
  readonly announce: (saved: Saved) => Promise<void>;
  /** The step's result, which also answers repeated requests. */
  readonly report: (saved: Saved) => Result;
}

/** A completed step: completed just now, with its batch, or by an earlier request. */
export interface StepDone<Result> {
  readonly result: Result;
  readonly batch: StepBatch | undefined;
}

/** A checkpoint's record of the steps before it. */
export interface StepCursor<Result> {
  readonly last: Result | undefined;
  readonly consumedGroupIds: readonly string[];
  readonly rejectedGroupIds?: readonly string[];
}

/** A step whose batch the weights have been trained on. */
interface OpenStep<Trained, Saved> {
  readonly trained: Trained;
  readonly batch: StepBatch;
  /** Undefined until its checkpoint is on disk. */
  saved: Saved | undefined;
}

export class StepProtocol<
  Request extends StepGroups,
  Trained,
  Saved,
  Result extends { readonly step: number },
> {
  readonly #parts: StepParts<Request, Trained, Saved, Result>;
  #last: Result | undefined;
  #consumed: readonly string[];
  #rejected: readonly string[];
  #open: OpenStep<Trained, Saved> | undefined;
  /** Groups of a step that were closed as too small before others of it were handed back, and why: the ledger no longer lists them. */
  #closed: Pick<GroupBatch, "dropped" | "failures"> & { readonly step: number } = {
    step: 0,
    dropped: [],
    failures: [],
  };

  constructor(
    parts: StepParts<Request, Trained, Saved, Result>,
    { last, consumedGroupIds, rejectedGroupIds = [] }: StepCursor<Result>,
  ) {
    this.#parts = parts;
    this.#last = last;
    this.#consumed = consumedGroupIds;
    this.#rejected = rejectedGroupIds;
  }

  /** The result of the last completed step. */
  get last(): Result | undefined {
    return this.#last;
  }

  /** The last completed step, or 0: a step that failed after training does not count until it is requested again. */
  get lastDone(): number {
    const { policyVersion } = this.#parts;
    return this.#open === undefined ? policyVersion() : policyVersion() - 1;
  }

  /**
   * Trains one step. A repeated request for the last step returns the same result.
   * @throws {PalimpsestError} INVALID_ARGUMENT for a step out of order; INTERNAL when every group failed; STALE_POLICY
   *   (retryable, after a restart of the learner) when another learner has done the step; CONFIG_INVALID when it was done
   *   and is no longer on disk
   */
  async run(request: Request): Promise<StepDone<Result> | UndispatchedGroups> {
    const { step, groupIds, window } = request;
    const { groups, groupsPerStep, train, policyVersion } = this.#parts;
    if (this.#open !== undefined) {
      const done = await this.#finish(this.#open);
      if (done.result.step === step) return done;
    }
    if (this.#last?.step === step) return { result: this.#last, batch: undefined };
    const done = policyVersion();
    if (step > done + 1) await this.#checkNotBehind(`step ${step - 1} was completed`);
    if (step !== done + 1) {
      throw new PalimpsestError(
        "INVALID_ARGUMENT",
        `step: is ${step}, but the learner has completed step ${done} and trains step ${done + 1} next`,
      );
    }
    const { outstanding, undispatched, failed, trained: elsewhere } = await this.#statesOf(groupIds);
    if (elsewhere !== undefined) {
      await this.#checkNotBehind(`group ${elsewhere} was trained`);
      throw new PalimpsestError(
        "CONFIG_INVALID",
        `group ${elsewhere} of step ${step} is already trained, but the run's folder ends with step ${done}, so a newer checkpoint or record of its log is missing; restore it, or begin another run with model: { checkpoint: RUN }`,
      );
    }
    if (undispatched.length > 0) return { undispatched };
    if (window?.count !== undefined && failed.length > 0) return { undispatched, stale: failed };
    const taken = await this.#take(request, outstanding);
    if (taken === undefined) return await this.run(request);
    if ("undispatched" in taken) return taken;
    const batch = taken;
    if (batch.groups.length === 0) {
      throw new PalimpsestError(
        "INTERNAL",
        `every group of step ${step} failed; the first failure is: ${batch.failures[0]?.message ?? "unknown"}`,
      );
    }
    const trainedIds = idsOf(batch.groups);
    const rejectedIds = idsOf(batch.rejected);
    const trained = await train(request, batch).catch((reason: unknown) => {
      groups.release([...trainedIds, ...rejectedIds]);
      throw reason;
    });
    // Only groups of this step and the previous one can still be on the queues.
    this.#consumed = [...this.#consumed.slice(-groupsPerStep), ...trainedIds];
    const mostRejected = groupsPerStep + (window?.rejects?.most ?? 0);
    this.#rejected = [...this.#rejected.slice(-mostRejected), ...rejectedIds];
    this.#open = { trained, batch, saved: undefined };
    return await this.#finish(this.#open);
  }

  async #finish(open: OpenStep<Trained, Saved>): Promise<StepDone<Result>> {
    const { groups, save, announce, report } = this.#parts;
    const { trained, batch } = open;
    open.saved ??= await save(trained, this.#consumed, this.#rejected);
    await groups.acknowledge(idsOf(batch.groups));
    await groups.reject(idsOf(batch.rejected));
    await announce(open.saved);
    this.#open = undefined;
    this.#last = report(open.saved);
    return { result: this.#last, batch };
  }

  async #checkNotBehind(what: string): Promise<void> {
    const [mine, saved] = [this.#parts.policyVersion(), await this.#parts.savedVersion()];
    if (saved <= mine) return;
    throw new PalimpsestError(
      "STALE_POLICY",
      `${what} by another learner: this one has completed step ${mine}, but the checkpoint on disk is of step ${saved}; restart this learner`,
      { retryable: true },
    );
  }

  async #statesOf(groupIds: readonly string[]) {
    const { ledger } = this.#parts;
    const states = await ledger.states(groupIds);
    return {
      outstanding: groupIds.filter((_, at) => states[at] === "outstanding"),
      undispatched: await ledger.undispatched(groupIds),
      failed: groupIds.filter((_, at) => states[at] === "failed"),
      trained: groupIds.find((groupId, at) => states[at] === "trained" && !this.#consumed.includes(groupId)),
    };
  }

  /** Returns the step's batch, or what must be done before there is one; undefined if it must be requested again. */
  async #take(
    { step, window }: Request,
    outstanding: readonly string[],
  ): Promise<StepBatch | UndispatchedGroups | undefined> {
    const { groups, teaches } = this.#parts;
    const rejects = window?.rejects;
    const known = new Set(rejects?.rejected);
    const held: string[] = [];
    const handBack = () => groups.release(held);
    try {
      const rejected = await this.#waitFor(
        outstanding.filter((groupId) => known.has(groupId)),
        known.size,
      );
      held.push(...idsOf(rejected?.groups ?? []));
      const fresh = outstanding.filter((groupId) => !known.has(groupId));
      const batch = rejected && (await this.#waitFor(fresh, window?.count ?? fresh.length));
      held.push(...idsOf(batch?.groups ?? []));
      if (rejected === undefined || batch === undefined) {
        handBack();
        return undefined;
      }
      const stale = batch.dropped.filter(({ reason }) => reason === "STALE_POLICY");
      if (window?.count !== undefined && stale.length > 0) {
        handBack();
        return { undispatched: [], stale: idsOf(stale) };
      }
      if (rejects === undefined) return { ...batch, rejected: [] };
      const more = batch.groups.filter((group) => !teaches(group));
      const { dropped, failures } = this.#withClosed(step, batch);
      if (more.length > 0 && known.size < rejects.most) {
        handBack();
        const gone = new Set(idsOf(dropped));
        // Failures in complete groups are found again together with these groups.
        this.#closed = { step, dropped, failures: failures.filter(({ groupId }) => gone.has(groupId)) };
        return { undispatched: [], rejected: idsOf(more) };
      }
      const no = new Set([...known, ...idsOf(more)]);
      return {
        ...sortedOut([...rejected.groups, ...batch.groups], ({ groupId }) => !no.has(groupId), rejects),
        dropped: [...rejected.dropped, ...dropped],
        failures: [...rejected.failures, ...failures],
      };
    } catch (reason) {
      handBack();
      throw reason;
    }
  }

  #withClosed(step: number, batch: GroupBatch): Pick<GroupBatch, "dropped" | "failures"> {
    const before = this.#closed.step === step ? this.#closed : { dropped: [], failures: [] };
    return {
      dropped: [...before.dropped, ...batch.dropped],
      failures: [...before.failures, ...batch.failures],
    };
  }

  /**
   * Returns undefined if one of the groups is not dispatched any more, because Redis came back without its last second
   * of writes, or if it is closed, because Redis forgot who may close it.
   */
  async #waitFor(groupIds: readonly string[], count: number): Promise<GroupBatch | undefined> {
    try {
      return await this.#parts.groups.nextGroups({
        count: Math.min(count, groupIds.length),
        groupIds,
        policyVersion: this.#parts.policyVersion(),
      });
    } catch (reason) {
      if (PalimpsestError.from(reason).code === "NOT_FOUND") return undefined;
      throw reason;
    }
  }
}

function idsOf(groups: readonly { readonly groupId: string }[]): string[] {
  return groups.map(({ groupId }) => groupId);
}
