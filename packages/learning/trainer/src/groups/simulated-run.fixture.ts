import { entry } from "@palimpsest/jit";
import { GroupSchedule, type ScheduleSettings } from "./group-schedule.js";

export interface SimulatedRun extends ScheduleSettings {
  /** Number of groups that are sampled concurrently. */
  readonly slots: number;
  readonly updateSeconds: number;
  /** Length of the next group, seconds. */
  readonly drawSeconds: () => number;
  /** Whether the next group teaches. Default: every group does. */
  readonly drawTeaches?: () => boolean;
}

/** What a learner observed in a run with simulated time. */
export interface SimulatedResult {
  readonly seconds: number;
  readonly trained: number;
  readonly dropped: number;
  readonly stalenessMax: number;
  readonly inFlightMax: number;
  /** Groups that were not trained or dropped exactly once. */
  readonly unaccounted: number;
  /** Number of times that the learner waited with fewer groups in flight than staleness allows. */
  readonly idleWithRoom: number;
  readonly waitSeconds: number;
  /** Largest number of groups that one step took and did not train. */
  readonly rejectedMax: number;
}

interface Running {
  readonly index: number;
  readonly begun: number;
  readonly endsAt: number;
}

/**
 * Simulates a run on the real schedule: groups are sampled in the order in which they are due and start under the version that
 * the learner has published, and newer versions come while they run; the learner follows step-protocol.ts.
 */
export function simulateRun(run: SimulatedRun): SimulatedResult {
  const { groupsPerStep, maxStaleness, staleGroups, steps, refills = 0, drawTeaches } = run;
  const flat = new Set<number>();
  let rejectedMax = 0;
  const schedule = new GroupSchedule(run, 0);
  const waiting: number[] = [];
  let firstWaiting = 0;
  const running: Running[] = [];
  /** The version under which each complete group was started, by the group's index. */
  const complete = new Map<number, number>();
  const ends = new Map<number, number>();
  let now = 0;
  let dropped = 0;
  let stalenessMax = 0;
  let inFlightMax = 0;
  let idleWithRoom = 0;
  let waitSeconds = 0;
  const begin = () => {
    for (const { index } of schedule.takeDue()) waiting.push(index);
    inFlightMax = Math.max(inFlightMax, schedule.state.open.length);
  };
  const fill = () => {
    while (running.length < run.slots && firstWaiting < waiting.length) {
      const index = waiting[firstWaiting++] as number;
      running.push({ index, begun: schedule.version, endsAt: now + run.drawSeconds() });
    }
    if (firstWaiting > 4096) {
      waiting.splice(0, firstWaiting);
      firstWaiting = 0;
    }
  };
  /** Advances time to the end of the next group, or to the given moment. */
  const advance = (untilSeconds: number): boolean => {
    fill();
    let at = -1;
    for (let i = 0; i < running.length; i++) {
      if (at === -1 || entry(running, i).endsAt < entry(running, at).endsAt) at = i;
    }
    const first = running[at];
    if (first === undefined || first.endsAt > untilSeconds) {
      now = untilSeconds;
      return false;
    }
    now = first.endsAt;
    complete.set(first.index, first.begun);
    if (drawTeaches?.() === false) flat.add(first.index);
    running[at] = running.at(-1) as Running;
    running.pop();
    return true;
  };
  const end = (index: number) => ends.set(index, (ends.get(index) ?? 0) + 1);
  const take = (): number[] => {
    for (;;) {
      begin();
      const rejected = schedule.rejected.map(({ index }) => index);
      const wanted = Math.max(0, Math.min(groupsPerStep, groupsPerStep + refills - rejected.length));
      const ready = schedule
        .candidates()
        .filter(({ index }) => complete.has(index) && !rejected.includes(index));
      const offered = ready.slice(0, wanted).map(({ index }) => index);
      if (offered.length === wanted) {
        const stale = offered.filter(
          (index) => schedule.version - (complete.get(index) as number) > maxStaleness,
        );
        const teachNothing = refills > 0 ? offered.filter((index) => flat.has(index)) : [];
        if (stale.length === 0 && teachNothing.length > 0 && rejected.length < refills) {
          schedule.reject(teachNothing);
          continue;
        }
        if (stale.length === 0 || staleGroups === "wait") {
          rejectedMax = Math.max(rejectedMax, rejected.length + teachNothing.length);
          return [...rejected, ...offered];
        }
        schedule.drop(stale);
        for (const index of stale) end(index);
        dropped += stale.length;
        continue;
      }
      const replaced = Math.min(rejected.length, refills);
      const allowed = Math.min(maxStaleness + 1, steps - schedule.version) * groupsPerStep + replaced;
      if (schedule.state.open.length < allowed) idleWithRoom++;
      const before = now;
      if (!advance(Number.POSITIVE_INFINITY))
        throw new Error(`step ${schedule.version + 1} waits for nothing`);
      waitSeconds += now - before;
    }
  };
  while (schedule.version < steps) {
    const taken = take();
    for (const index of taken) {
      stalenessMax = Math.max(stalenessMax, schedule.version - (complete.get(index) as number));
      complete.delete(index);
      end(index);
    }
    const doneAt = now + run.updateSeconds;
    while (advance(doneAt));
    schedule.stepDone(taken);
  }
  const { next, open } = schedule.state;
  let unaccounted = open.length;
  for (let index = 0; index < next; index++) if (ends.get(index) !== 1) unaccounted++;
  const trained = steps * groupsPerStep;
  return {
    seconds: now,
    trained,
    dropped,
    stalenessMax,
    inFlightMax,
    unaccounted,
    idleWithRoom,
    waitSeconds,
    rejectedMax,
  };
}
