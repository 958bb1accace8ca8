import type { GroupBatch } from "@palimpsest/trajectories";
import { PalimpsestError } from "@palimpsest/wire";
import { expect, test } from "vitest";
import { StepProtocol } from "./step-protocol.js";

const away = new PalimpsestError("UNAVAILABLE", "Redis is away", { retryable: true });
type Part = "train" | "save" | "acknowledge" | "reject" | "announce";

/** A learner whose parts are written down as they are used; each of `failing` rejects once. */
function aLearner(...failing: Part[]) {
  const log: string[] = [];
  const delivered = new Set<string>();
  /** Groups that the ledger does not know. */
  const unknown = new Set<string>();
  /** Groups that another learner has trained, and the step that it has saved. */
  const elsewhere = { trained: new Set<string>(), saved: 0 };
  /** Groups that are complete and too stale; looking at one closes it. */
  const stale = new Set<string>();
  const failed = new Set<string>();
  /** Groups of which an episode failed, so that they are too small; looking at one closes it. */
  const small = new Set<string>();
  /** Groups that teach nothing. */
  const flat = new Set<string>();
  let version = 0;
  const part = (name: Part, of: string) => {
    log.push(`${name} ${of}`);
    const at = failing.indexOf(name);
    if (at === -1) return;
    failing.splice(at, 1);
    throw away;
  };
  const protocol = new StepProtocol(
    {
      ledger: {
        states: async (groupIds) =>
          groupIds.map((groupId) =>
            unknown.has(groupId)
              ? undefined
              : elsewhere.trained.has(groupId)
                ? ("trained" as const)
                : failed.has(groupId)
                  ? ("failed" as const)
                  : ("outstanding" as const),
          ),
        undispatched: async (groupIds) => groupIds.filter((groupId) => unknown.has(groupId)),
      },
      groups: {
        nextGroups: async ({ groupIds = [], count }): Promise<GroupBatch> => {
          // As GroupConsumer: what is delivered is not delivered again before it is released.
          const ready = groupIds.filter((groupId) => !delivered.has(groupId)).slice(0, count);
          const groups = ready
            .filter((groupId) => !stale.has(groupId) && !small.has(groupId))
            .map((groupId) => ({ groupId, taskId: "", groupSize: 1, members: [] }));
          const why = (groupId: string) => (stale.has(groupId) ? "STALE_POLICY" : "BELOW_MIN_GROUP_SIZE");
          const dropped = ready
            .filter((groupId) => stale.has(groupId) || small.has(groupId))
            .map((groupId) => ({ groupId, taskId: "", step: 1, reason: why(groupId) }) as const);
          const failures = ready
            .filter((groupId) => small.has(groupId))
            .map((groupId) => ({
              trajectoryId: `${groupId}-e0`,
              groupId,
              stage: "reward" as const,
              message: `${groupId}-e0 failed`,
            }));
          for (const groupId of small) if (ready.includes(groupId)) failed.add(groupId);
          for (const { groupId } of dropped) failed.add(groupId);
          for (const { groupId } of groups) delivered.add(groupId);
          return { groups, dropped, failures };
        },
        acknowledge: async (groupIds) => part("acknowledge", groupIds.join()),
        reject: async (groupIds) => {
          if (groupIds.length > 0) part("reject", groupIds.join());
        },
        release: (groupIds) => {
          for (const groupId of groupIds) delivered.delete(groupId);
        },
      },
      groupsPerStep: 1,
      savedVersion: async () => Math.max(version, elsewhere.saved),
      policyVersion: () => version,
      teaches: ({ groupId }) => !flat.has(groupId),
      train: async ({ step }, { groups, rejected }) => {
        part("train", String(step));
        if (rejected.length > 0) log.push(`trained ${groups.map(({ groupId }) => groupId).join()}`);
        version = step;
        return step;
      },
      save: async (step, consumedGroupIds, rejectedGroupIds) => {
        part("save", [...consumedGroupIds, ...rejectedGroupIds.map((id) => `no ${id}`)].join());
        return step;
      },
      announce: async (step) => part("announce", String(step)),
      report: (step) => ({ step }),
    },
    { last: undefined, consumedGroupIds: [] },
  );
  const lastDone = () => protocol.lastDone;
  const run = (step: number) => protocol.run({ step, groupIds: [`g${step}`] });
  const runWindow = (step: number, groupIds: readonly string[]) => {
    const indexes = groupIds.map((_, index) => index);
    const schedule = { next: indexes.length, open: indexes };
    return protocol.run({ step, groupIds, window: { count: 2, indexes, schedule } });
  };
  /** A synchronous step of two groups, which may have as many others for those that teach nothing. */
  const runRefilled = (step: number, groupIds: readonly string[], rejected: readonly string[] = []) => {
    const indexes = groupIds.map((_, index) => index);
    const schedule = { next: indexes.length, open: indexes };
    const rejects = { rejected, most: 2, groupsPerStep: 2 };
    return protocol.run({ step, groupIds, window: { indexes, schedule, rejects } });
  };
  return { log, run, runWindow, runRefilled, lastDone, unknown, elsewhere, stale, failed, small, flat };
}

const whole = ["train 1", "save g1", "acknowledge g1", "announce 1"];

test("a step is trained, saved, acknowledged and announced in this order, and once (STEP-1, STEP-2)", async () => {
  const { log, run } = aLearner();
  expect(await run(1)).toMatchObject({ result: { step: 1 }, batch: { groups: [{ groupId: "g1" }] } });
  expect(await run(1)).toEqual({ result: { step: 1 }, batch: undefined });
  expect(log).toEqual(whole);
});

test.each([
  ["save", ["train 1", "save g1", "save g1", "acknowledge g1", "announce 1"]],
  ["acknowledge", ["train 1", "save g1", "acknowledge g1", "acknowledge g1", "announce 1"]],
  ["announce", [...whole.slice(0, 3), "announce 1", "acknowledge g1", "announce 1"]],
] as const)(
  "a step that failed to %s is gone on with when it is asked for again (STEP-4, ANNOUNCE-1)",
  async (failing, told) => {
    const { log, run } = aLearner(failing);
    await expect(run(1)).rejects.toBe(away);
    expect(await run(1)).toMatchObject({ result: { step: 1 }, batch: { groups: [{ groupId: "g1" }] } });
    expect([...log].sort()).toEqual([...told].sort());
    expect(log.filter((line) => line.startsWith("train"))).toHaveLength(1);
  },
);

test("nothing is trained upon a step that was not saved, whoever asks for the next one (STEP-4)", async () => {
  const { log, run } = aLearner("save");
  await expect(run(1)).rejects.toBe(away);
  expect(await run(2)).toMatchObject({ result: { step: 2 } });
  expect(log).toEqual([
    "train 1",
    "save g1",
    ...whole.slice(1),
    "train 2",
    "save g1,g2",
    "acknowledge g2",
    "announce 2",
  ]);
});

test("a step counts as done when it is saved, acknowledged and announced (STEP-4)", async () => {
  const { run, lastDone } = aLearner("announce");
  await expect(run(1)).rejects.toBe(away);
  expect(lastDone()).toBe(0);
  await run(1);
  expect(lastDone()).toBe(1);
});

test("a step whose training failed can be taken again with the same groups", async () => {
  const { log, run } = aLearner("train");
  await expect(run(1)).rejects.toBe(away);
  expect(await run(1)).toMatchObject({ result: { step: 1 } });
  expect(log).toEqual(["train 1", ...whole]);
});

test("a step with a group that the ledger does not know is handed back, and nothing of it is trained (STEP-3)", async () => {
  const { log, run, unknown } = aLearner();
  unknown.add("g1");
  expect(await run(1)).toEqual({ undispatched: ["g1"] });
  expect(log).toEqual([]);
  unknown.clear();
  expect(await run(1)).toMatchObject({ result: { step: 1 } });
});

test("a step that another learner has done is not trained again: this one has to begin anew (STEP-5)", async () => {
  const { log, run, elsewhere } = aLearner();
  elsewhere.trained.add("g1");
  elsewhere.saved = 1;
  const behind = { code: "STALE_POLICY", retryable: true };
  await expect(run(1)).rejects.toMatchObject(behind);
  await expect(run(2)).rejects.toMatchObject(behind);
  expect(log).toEqual([]);
});

test("a step that was done, and whose checkpoint is gone, ends the run with what is to be done (STEP-5)", async () => {
  const { log, run, elsewhere } = aLearner();
  elsewhere.trained.add("g1");
  await expect(run(1)).rejects.toThrow(
    /CONFIG_INVALID.*group g1 of step 1 is already trained.*ends with step 0.*restore it/,
  );
  expect(log).toEqual([]);
});

test("a step out of order is refused", async () => {
  const { run } = aLearner();
  await expect(run(2)).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
});

test("a step with a window trains so many of its groups, and hands back those that are too stale (STEP-6)", async () => {
  const { log, runWindow, stale } = aLearner();
  stale.add("g1");
  expect(await runWindow(1, ["g1", "g2", "g3"])).toEqual({ undispatched: [], stale: ["g1"] });
  // Asked again with it, as by a driver that died before it read the answer: the ledger knows that it is closed.
  expect(await runWindow(1, ["g1", "g2", "g3"])).toEqual({ undispatched: [], stale: ["g1"] });
  expect(log).toEqual([]);
  expect(await runWindow(1, ["g2", "g3", "g4"])).toMatchObject({
    result: { step: 1 },
    batch: { groups: [{ groupId: "g2" }, { groupId: "g3" }] },
  });
  expect(await runWindow(2, ["g4", "g5"])).toMatchObject({
    batch: { groups: [{ groupId: "g4" }, { groupId: "g5" }] },
  });
});

test("groups that teach nothing are handed back, stay complete, and are closed after the step is saved (STEP-7)", async () => {
  const { log, runRefilled, flat } = aLearner();
  flat.add("g1").add("g3");
  expect(await runRefilled(1, ["g1", "g2"])).toEqual({ undispatched: [], rejected: ["g1"] });
  // As by a driver that died before it read the answer.
  expect(await runRefilled(1, ["g1", "g2"])).toEqual({ undispatched: [], rejected: ["g1"] });
  const second = await runRefilled(1, ["g1", "g2", "g3"], ["g1"]);
  expect(second).toEqual({ undispatched: [], rejected: ["g3"] });
  expect(log).toEqual([]);
  expect(await runRefilled(1, ["g1", "g2", "g3", "g4"], ["g1", "g3"])).toMatchObject({
    batch: {
      groups: [{ groupId: "g2" }, { groupId: "g4" }],
      rejected: [{ groupId: "g1" }, { groupId: "g3" }],
    },
  });
  expect(log).toEqual([
    "train 1",
    "trained g2,g4",
    "save g2,g4,no g1,no g3",
    "acknowledge g2,g4",
    "reject g1,g3",
    "announce 1",
  ]);
});

test("a step that may have no more trains what teaches; where nothing does, what it would train without refills", async () => {
  const some = aLearner();
  for (const groupId of ["g1", "g2", "g3"]) some.flat.add(groupId);
  expect(await some.runRefilled(1, ["g1", "g2"])).toMatchObject({ rejected: ["g1", "g2"] });
  expect(await some.runRefilled(1, ["g1", "g2", "g3", "g4"], ["g1", "g2"])).toMatchObject({
    batch: { groups: [{ groupId: "g4" }], rejected: [{}, {}, { groupId: "g3" }] },
  });
  const none = aLearner();
  for (const groupId of ["g1", "g2", "g3", "g4"]) none.flat.add(groupId);
  expect(await none.runRefilled(1, ["g1", "g2", "g3", "g4"], ["g1", "g2"])).toMatchObject({
    batch: {
      groups: [{ groupId: "g1" }, { groupId: "g2" }],
      rejected: [{ groupId: "g3" }, { groupId: "g4" }],
    },
  });
});

test.each(["save", "acknowledge", "reject", "announce"] as const)(
  "a step with rejected groups that failed to %s is gone on with (STEP-4, STEP-7)",
  async (failing) => {
    const { log, runRefilled, flat } = aLearner(failing);
    flat.add("g1");
    await runRefilled(1, ["g1", "g2"]);
    await expect(runRefilled(1, ["g1", "g2", "g3"], ["g1"])).rejects.toBe(away);
    expect(await runRefilled(1, ["g1", "g2", "g3"], ["g1"])).toMatchObject({ result: { step: 1 } });
    expect(log.filter((line) => line === "train 1")).toHaveLength(1);
    expect(log.slice(-3)).toEqual(["acknowledge g2,g3", "reject g1", "announce 1"]);
  },
);

test("after a training that failed, rejected groups are found again", async () => {
  const { runRefilled, flat } = aLearner("train");
  flat.add("g1");
  await runRefilled(1, ["g1", "g2"]);
  await expect(runRefilled(1, ["g1", "g2", "g3"], ["g1"])).rejects.toBe(away);
  expect(await runRefilled(1, ["g1", "g2", "g3"], ["g1"])).toMatchObject({
    batch: { rejected: [{ groupId: "g1" }] },
  });
});

test("groups that failed before others were handed back are told of when the step is done (STEP-7)", async () => {
  const { runRefilled, flat, small } = aLearner();
  flat.add("g1").add("g5");
  small.add("g2");
  expect(await runRefilled(1, ["g1", "g2", "g3"])).toMatchObject({ rejected: ["g1"] });
  const told = { dropped: [{ groupId: "g2" }], failures: [{ message: "g2-e0 failed" }] };
  const done = await runRefilled(1, ["g1", "g2", "g3", "g4"], ["g1"]);
  expect(done).toMatchObject({ batch: { groups: [{ groupId: "g3" }, { groupId: "g4" }], ...told } });
  // Of the step before, nothing is said again.
  expect(await runRefilled(2, ["g5", "g6"])).toMatchObject({ rejected: ["g5"] });
  const next = await runRefilled(2, ["g5", "g6", "g7"], ["g5"]);
  expect(next).toMatchObject({ batch: { dropped: [], failures: [] } });
});
