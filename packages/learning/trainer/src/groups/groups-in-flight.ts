/**
 * Responsibility: dispatches the groups of a run according to its schedule, those of the next step first and later ones while the
 *   learner is working; keeps their questions until they are trained.
 * Not responsible for: which groups are due (group-schedule.ts), training them.
 *
 * Invariants:
 * - INFLIGHT-1 (T1). A step is offered only dispatched groups. Those that Redis lost are dispatched again under the same id.
 * - INFLIGHT-2. A group of a later step that finds no room on the queues waits without delaying the step.
 */
import type { DispatchOptions, GroupRequest } from "@palimpsest/trajectories";
import { PalimpsestError } from "@palimpsest/wire";
import type { StaleGroups } from "../recipe/async-settings.js";
import { type DueGroup, type GroupSchedule, type ScheduleState, takesWindows } from "./group-schedule.js";
import type { StepGroups, StepWindow } from "./step-groups.js";

export interface InFlightParts {
  readonly schedule: GroupSchedule;
  readonly groupsPerStep: number;
  readonly maxStaleness: number;
  readonly staleGroups: StaleGroups;
  /** Number of rejected groups that a step may have replaced. Default 0. */
  readonly refills?: number;
  readonly open: (group: DueGroup) => Promise<GroupRequest>;
  readonly dispatch: (groups: readonly GroupRequest[], options: DispatchOptions) => Promise<unknown>;
  readonly signal: AbortSignal;
  /** How long the groups of the next step may wait for room. */
  readonly timeoutMs: number;
}

/** The groups that the learner is offered for its next step. */
export interface StepOffer {
  readonly requests: readonly GroupRequest[];
  readonly asked: Pick<StepGroups, "groupIds" | "window">;
}

export class GroupsInFlight {
  readonly #parts: InFlightParts;
  readonly #requests = new Map<number, Promise<GroupRequest>>();
  readonly #dispatched = new Set<number>();
  #ahead: Promise<void> | undefined;
  #failure: { readonly reason: unknown } | undefined;

  constructor(parts: InFlightParts) {
    this.#parts = parts;
  }

  /**
   * Resolves when the groups that the next step needs are dispatched; continues to dispatch later ones.
   * @throws {PalimpsestError} LIMIT_EXCEEDED if they found no room for `timeoutMs`
   */
  async offer(): Promise<StepOffer> {
    const { schedule, groupsPerStep, timeoutMs } = this.#parts;
    schedule.takeDue();
    const rejected = new Set(schedule.rejected.map(({ index }) => index));
    const wanted = schedule.candidates().filter(({ index }) => !rejected.has(index));
    await this.#dispatch([...schedule.rejected, ...wanted.slice(0, groupsPerStep)], { timeoutMs });
    this.#goAhead();
    if (this.#failure !== undefined) throw this.#failure.reason;
    const offered = schedule.candidates().filter(({ index }) => this.#dispatched.has(index));
    const requests = await Promise.all(offered.map((group) => this.#request(group)));
    const groupIds = requests.map(({ groupId }) => groupId);
    if (!takesWindows(this.#parts)) return { requests, asked: { groupIds } };
    const indexes = offered.map(({ index }) => index);
    const window = { indexes, schedule: schedule.state, ...this.#taking(groupIds, indexes) };
    return { requests, asked: { groupIds, window } };
  }

  /** Returns how many groups of the window the step takes, and which of them it has rejected. */
  #taking(groupIds: readonly string[], indexes: readonly number[]): Pick<StepWindow, "count" | "rejects"> {
    const { schedule, groupsPerStep, maxStaleness, refills = 0 } = this.#parts;
    const gone = new Set(schedule.rejected.map(({ index }) => index));
    const rejected = groupIds.filter((_, at) => gone.has(indexes[at] as number));
    // A synchronous step has dispatched only its own groups, and takes all of them.
    const count = Math.min(groupsPerStep, groupsPerStep + refills - rejected.length);
    return {
      ...(maxStaleness === 0 ? {} : { count: Math.max(0, count) }),
      ...(refills === 0 ? {} : { rejects: { rejected, most: refills, groupsPerStep } }),
    };
  }

  /** Rejects groups that teach the step nothing: the next offer adds others, up to `refills`. */
  async rejected(groupIds: readonly string[]): Promise<void> {
    this.#parts.schedule.reject(await this.#indexesOf(groupIds));
  }

  /** Marks groups that Redis lost: the next offer dispatches them again. */
  async lost(groupIds: readonly string[]): Promise<void> {
    for (const index of await this.#indexesOf(groupIds)) this.#dispatched.delete(index);
  }

  /** Marks groups that are too stale to be trained: the next offer replaces them. */
  async stale(groupIds: readonly string[]): Promise<void> {
    const indexes = await this.#indexesOf(groupIds);
    this.#parts.schedule.drop(indexes);
    this.#forget(indexes);
  }

  /** @param after the schedule after a step with a window; absent: the step took everything that it may take */
  stepDone(after: ScheduleState | undefined): void {
    const { schedule } = this.#parts;
    if (after === undefined) schedule.stepDone(schedule.candidates().map(({ index }) => index));
    else schedule.stepTaken(after);
    const open = new Set(schedule.state.open);
    this.#forget([...this.#requests.keys()].filter((index) => !open.has(index)));
  }

  #forget(indexes: readonly number[]): void {
    for (const index of indexes) {
      this.#requests.delete(index);
      this.#dispatched.delete(index);
    }
  }

  #request(group: DueGroup): Promise<GroupRequest> {
    const { open } = this.#parts;
    const known = this.#requests.get(group.index);
    if (known !== undefined) return known;
    const opened = open(group);
    this.#requests.set(group.index, opened);
    opened.catch(() => this.#requests.delete(group.index));
    return opened;
  }

  async #dispatch(groups: readonly DueGroup[], options: DispatchOptions): Promise<void> {
    const waiting = groups.filter(({ index }) => !this.#dispatched.has(index));
    if (waiting.length === 0) return;
    const { dispatch, signal } = this.#parts;
    const requests = await Promise.all(waiting.map((group) => this.#request(group)));
    await dispatch(requests, { ...options, signal });
    for (const { index } of waiting) if (this.#requests.has(index)) this.#dispatched.add(index);
  }

  /** Dispatches later groups one after another, a step's worth at a time, because groups are sampled in the order of dispatch. */
  #goAhead(): void {
    const { schedule, groupsPerStep, signal } = this.#parts;
    const next = () =>
      schedule.open.filter(({ index }) => !this.#dispatched.has(index)).slice(0, groupsPerStep);
    if (this.#ahead !== undefined || next().length === 0) return;
    const ahead = async () => {
      for (let groups = next(); groups.length > 0 && !signal.aborted; groups = next()) {
        await this.#dispatch(groups, {});
      }
    };
    this.#ahead = ahead()
      .catch((reason: unknown) => {
        this.#failure = { reason };
      })
      .finally(() => {
        this.#ahead = undefined;
      });
  }

  async #indexesOf(groupIds: readonly string[]): Promise<number[]> {
    const known = await Promise.all(
      [...this.#requests].map(async ([index, request]) => [(await request).groupId, index] as const),
    );
    const indexes = new Map(known);
    return groupIds.map((groupId) => {
      const index = indexes.get(groupId);
      if (index !== undefined) return index;
      throw new PalimpsestError("INTERNAL", `group ${groupId} is not in flight; this is a bug in Palimpsest`);
    });
  }
}
