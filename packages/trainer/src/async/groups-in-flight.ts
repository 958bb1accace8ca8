/**
 * Responsibility: has the groups of a run dispatched as its schedule says, those of the next step first, later ones while the
 *   learner is at work; keeps their questions until they are trained.
 * Not responsible for: which groups are due (group-schedule.ts), training them.
 *
 * Invariants:
 * - INFLIGHT-1 (T1). A step is offered groups that are dispatched. What Redis lost of them is dispatched again under the same id.
 * - INFLIGHT-2. A group of a later step that finds no room on the queues waits without holding the step back.
 */
import type { DispatchOptions, GroupRequest } from "@palimpsest/trajectories";
import { PalimpsestError } from "@palimpsest/wire";
import type { StepGroups } from "../step-protocol.js";
import type { StaleGroups } from "./async-settings.js";
import type { DueGroup, GroupSchedule } from "./group-schedule.js";

export interface InFlightParts {
  readonly schedule: GroupSchedule;
  readonly groupsPerStep: number;
  readonly staleGroups: StaleGroups;
  readonly open: (group: DueGroup) => Promise<GroupRequest>;
  readonly dispatch: (groups: readonly GroupRequest[], options: DispatchOptions) => Promise<unknown>;
  readonly signal: AbortSignal;
  /** How long the groups of the next step may wait for room. */
  readonly timeoutMs: number;
}

/** What the learner is offered for its next step. */
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
   * Resolves when the groups that the next step needs are dispatched; goes on to dispatch later ones.
   * @throws {PalimpsestError} LIMIT_EXCEEDED when they found no room for `timeoutMs`
   */
  async offer(): Promise<StepOffer> {
    const { schedule, groupsPerStep, staleGroups, timeoutMs } = this.#parts;
    schedule.takeDue();
    await this.#dispatch(schedule.candidates().slice(0, groupsPerStep), { timeoutMs });
    this.#goAhead();
    if (this.#failure !== undefined) throw this.#failure.reason;
    const offered = schedule.candidates().filter(({ index }) => this.#dispatched.has(index));
    const requests = await Promise.all(offered.map((group) => this.#request(group)));
    const groupIds = requests.map(({ groupId }) => groupId);
    if (staleGroups === "wait") return { requests, asked: { groupIds } };
    const indexes = offered.map(({ index }) => index);
    const window = { count: groupsPerStep, indexes, schedule: schedule.state };
    return { requests, asked: { groupIds, window } };
  }

  /** Groups that Redis lost: the next offer dispatches them again. */
  async lost(groupIds: readonly string[]): Promise<void> {
    for (const index of await this.#indexesOf(groupIds)) this.#dispatched.delete(index);
  }

  /** Groups that are too stale to be trained: the next offer has others in their place. */
  async stale(groupIds: readonly string[]): Promise<void> {
    const indexes = await this.#indexesOf(groupIds);
    this.#parts.schedule.drop(indexes);
    this.#forget(indexes);
  }

  /** @param consumed groups that the step took, trained and failed ones; absent: all that it may take */
  async stepDone(consumed: readonly string[] | undefined): Promise<void> {
    const { schedule } = this.#parts;
    const indexes = consumed
      ? await this.#indexesOf(consumed)
      : schedule.candidates().map(({ index }) => index);
    schedule.stepDone(indexes);
    this.#forget(indexes);
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

  /** One after the other, a step's worth at a time: what is dispatched first is sampled first. */
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
      throw new PalimpsestError("INTERNAL", `group ${groupId} is not in flight; this is a defect`);
    });
  }
}
