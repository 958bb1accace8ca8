import type { GroupRequest } from "@palimpsest/trajectories";
import { PalimpsestError } from "@palimpsest/wire";
import { expect, test } from "vitest";
import type { StaleGroups } from "../recipe/async-settings.js";
import { GroupSchedule, type ScheduleSettings } from "./group-schedule.js";
import { GroupsInFlight } from "./groups-in-flight.js";

/** Queues with room for so many groups; those that find none wait until some is made. */
function groups(
  staleGroups: StaleGroups,
  room = Number.POSITIVE_INFINITY,
  more: Partial<ScheduleSettings> = {},
) {
  const settings = { steps: 9, groupsPerStep: 2, maxStaleness: 2, staleGroups, ...more };
  const dispatched: string[] = [];
  const waiting: (() => void)[] = [];
  const stop = new AbortController();
  const failing = new Map<string, PalimpsestError>();
  const state = { room };
  const inFlight = new GroupsInFlight({
    schedule: new GroupSchedule(settings, 0),
    ...settings,
    signal: stop.signal,
    timeoutMs: 1,
    open: async ({ index, minPolicyVersion }): Promise<GroupRequest> => ({
      groupId: `g${index}`,
      task: { id: `t${index}`, question: "?", document: "", answers: [], metadata: {} },
      groupSize: 2,
      agent: "memagent",
      seed: index,
      minPolicyVersion,
      step: 1,
    }),
    dispatch: async (requests) => {
      for (const { groupId } of requests) if (failing.has(groupId)) throw failing.get(groupId);
      while (state.room < requests.length) await new Promise<void>((resolve) => waiting.push(resolve));
      state.room -= requests.length;
      dispatched.push(...requests.map(({ groupId }) => groupId));
    },
  });
  const makeRoom = (more: number) => {
    state.room += more;
    for (const go of waiting.splice(0)) go();
  };
  /** Until everything that can be dispatched is. */
  const quiet = async () => {
    for (let turns = 0; turns < 20; turns++) await new Promise(setImmediate);
  };
  return { inFlight, dispatched, makeRoom, quiet, failing };
}

test("the next step's groups are dispatched before it is offered, later ones behind its back (INFLIGHT-1)", async () => {
  const { inFlight, dispatched, quiet } = groups("wait");
  expect((await inFlight.offer()).asked).toEqual({ groupIds: ["g0", "g1"] });
  await quiet();
  expect(dispatched).toEqual(["g0", "g1", "g2", "g3", "g4", "g5"]);
  inFlight.stepDone(undefined);
  const { asked, requests } = await inFlight.offer();
  expect(asked.groupIds).toEqual(["g2", "g3"]);
  expect(requests.map(({ minPolicyVersion }) => minPolicyVersion)).toEqual([0, 0]);
  await quiet();
  expect(dispatched.slice(6)).toEqual(["g6", "g7"]);
});

test("what Redis lost is dispatched again, under its id (INFLIGHT-1)", async () => {
  const { inFlight, dispatched, quiet } = groups("wait");
  await inFlight.offer();
  await quiet();
  await inFlight.lost(["g1"]);
  expect((await inFlight.offer()).asked.groupIds).toEqual(["g0", "g1"]);
  expect(dispatched.filter((groupId) => groupId === "g1")).toHaveLength(2);
});

test("groups of later steps that find no room hold no step back, and are offered when they found some (INFLIGHT-2)", async () => {
  const { inFlight, dispatched, makeRoom, quiet } = groups("refill", 2);
  expect((await inFlight.offer()).asked).toMatchObject({ groupIds: ["g0", "g1"], window: { count: 2 } });
  await quiet();
  expect(dispatched).toEqual(["g0", "g1"]);
  const { asked } = await inFlight.offer();
  expect(asked.groupIds).toEqual(["g0", "g1"]);
  // Who resumes the run knows of all that are due.
  expect(asked.window?.schedule).toEqual({ next: 6, open: [0, 1, 2, 3, 4, 5] });
  makeRoom(100);
  await quiet();
  expect((await inFlight.offer()).asked.groupIds).toEqual(["g0", "g1", "g2", "g3", "g4", "g5"]);
});

test("each stale group is replaced by the next question, and a step takes any of the window (SCHEDULE-2)", async () => {
  const { inFlight, quiet } = groups("refill");
  await inFlight.offer();
  await quiet();
  await inFlight.stale(["g0", "g2"]);
  await inFlight.offer();
  await quiet();
  expect((await inFlight.offer()).asked.groupIds).toEqual(["g1", "g3", "g4", "g5", "g6", "g7"]);
  inFlight.stepDone({ next: 8, open: [1, 4, 5, 6] });
  await inFlight.offer();
  await quiet();
  expect((await inFlight.offer()).asked.groupIds).toEqual(["g1", "g4", "g5", "g6", "g8", "g9"]);
});

test("a dispatch that fails behind the back of a step ends the run at the next offer", async () => {
  const { inFlight, quiet, failing } = groups("wait");
  failing.set("g2", new PalimpsestError("UNAVAILABLE", "Redis is away"));
  expect((await inFlight.offer()).asked.groupIds).toEqual(["g0", "g1"]);
  await quiet();
  await expect(inFlight.offer()).rejects.toBe(failing.get("g2"));
});

test("a synchronous step is offered its groups, and beside those that teach nothing the next questions, up to a bound (SCHEDULE-5)", async () => {
  const { inFlight, dispatched } = groups("wait", Number.POSITIVE_INFINITY, { maxStaleness: 0, refills: 2 });
  const rejects = { rejected: [] as string[], most: 2, groupsPerStep: 2 };
  expect((await inFlight.offer()).asked).toEqual({
    groupIds: ["g0", "g1"],
    window: { indexes: [0, 1], schedule: { next: 2, open: [0, 1] }, rejects },
  });
  await inFlight.rejected(["g0"]);
  const second = await inFlight.offer();
  expect(second.asked.groupIds).toEqual(["g0", "g1", "g2"]);
  expect(second.asked.window?.rejects?.rejected).toEqual(["g0"]);
  await inFlight.rejected(["g1", "g2"]);
  expect((await inFlight.offer()).asked.groupIds).toEqual(["g0", "g1", "g2", "g3"]);
  // What Redis lost of them is dispatched again, before the step is offered.
  await inFlight.lost(["g1"]);
  await inFlight.offer();
  expect(dispatched).toEqual(["g0", "g1", "g2", "g3", "g1"]);
  inFlight.stepDone({ next: 4, open: [] });
  expect((await inFlight.offer()).asked.groupIds).toEqual(["g4", "g5"]);
});

test("beside a look-ahead, a step that has rejected more than it may have replaced takes fewer groups", async () => {
  const { inFlight, quiet } = groups("refill", Number.POSITIVE_INFINITY, { maxStaleness: 1, refills: 1 });
  await inFlight.offer();
  await quiet();
  await inFlight.rejected(["g0", "g1"]);
  await inFlight.offer();
  await quiet();
  const { asked } = await inFlight.offer();
  expect(asked).toMatchObject({ groupIds: ["g0", "g1", "g2", "g3", "g4"], window: { count: 1 } });
});

test("a step that a driver before this one had asked for, with groups that this one does not know, is gone on from (SCHEDULE-4)", async () => {
  const { inFlight, dispatched } = groups("wait", Number.POSITIVE_INFINITY, { maxStaleness: 0, refills: 2 });
  await inFlight.offer();
  inFlight.stepDone({ next: 4, open: [] });
  expect((await inFlight.offer()).asked.groupIds).toEqual(["g4", "g5"]);
  expect(dispatched).toEqual(["g0", "g1", "g4", "g5"]);
});
