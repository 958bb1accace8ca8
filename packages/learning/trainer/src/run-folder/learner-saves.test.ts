import { readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type WrittenDump, writeStepDump } from "@palimpsest/learner";
import { beforeEach, expect, test, vi } from "vitest";
import { testFolder } from "../../../../../test/support/temporary-folder.js";
import { StepProtocol } from "../actors/step-protocol.js";
import { Crash, HashingLearner, Life } from "./hashing-learner.fixture.js";
import { findSaved, LearnerSaves, savedVersion, stepLogOf } from "./learner-saves.js";
import { checkpointDirOf, dumpDirOf } from "./run-paths.js";

let root = "";
beforeEach(() => {
  root = testFolder();
});

const steps = 5;
const everySteps = 3;
const { signal } = new AbortController();

/** What outlives a learner. */
class Ledger {
  readonly trained = new Set<string>();
  /** Hashes that were published, by version. */
  readonly published = new Map<number, Set<string>>();

  publish(version: number, hash: string): void {
    this.published.set(version, (this.published.get(version) ?? new Set()).add(hash));
  }
}

/** A learner from its start to the run's end or its death. */
async function live(
  ledger: Ledger,
  life: Life,
  { gpu = false, rounding = "" } = {},
): Promise<{ readonly weightsHash: string; readonly repeated: readonly number[] }> {
  const checkpointDir = checkpointDirOf(root);
  const run = await findSaved(checkpointDir);
  for (const groupId of run?.consumedGroupIds ?? []) ledger.trained.add(groupId);
  const learner = new HashingLearner(life, run?.checkpoint, rounding);
  const settings = { checkpointDir, everySteps, steps, keepLast: 1, files: life.files };
  const saves = new LearnerSaves(learner, settings, run?.folder ?? "");
  const repeated: number[] = [];
  if (run) await saves.repeat(run, { gpu, signal, onStep: (step) => repeated.push(step) });
  else
    await saves.saveCheckpoint({
      weightsHash: learner.weightsHash(),
      consumedGroupIds: [],
      dataCursor: { step: 0 },
    });
  let weightsHash = learner.weightsHash();
  ledger.publish(learner.policyVersion, weightsHash);
  const last = learner.policyVersion === 0 ? undefined : { step: learner.policyVersion };
  const protocol = new StepProtocol(
    {
      ledger: {
        states: async (ids) => ids.map((id) => (ledger.trained.has(id) ? "trained" : "outstanding")),
        undispatched: async () => [],
      },
      groups: {
        nextGroups: async ({ groupIds = [] }) => ({
          groups: groupIds.map((groupId) => ({ groupId, taskId: "t", groupSize: 2, members: [] })),
          dropped: [],
          failures: [],
        }),
        acknowledge: async (ids) => {
          for (const id of ids) {
            life.point();
            ledger.trained.add(id);
          }
        },
        reject: async () => undefined,
        release: () => undefined,
      },
      groupsPerStep: 2,
      savedVersion: () => savedVersion(checkpointDir),
      policyVersion: () => learner.policyVersion,
      teaches: () => true,
      train: async ({ step }, { groups }): Promise<{ step: number; dump: WrittenDump }> => {
        life.point();
        const given = { policyVersion: learner.policyVersion, shuffleRewards: false, groups };
        const dump = await writeStepDump(dumpDirOf(checkpointDir), step, given, { keepLast: 1 });
        life.point();
        await learner.update(groups, given);
        return { step, dump };
      },
      save: async ({ step, dump }, consumedGroupIds) => {
        const parentHash = weightsHash;
        const of = { step, parentHash, weightsHash: learner.weightsHash(), consumedGroupIds, dump };
        await saves.save({ ...of, dataCursor: { step } });
        weightsHash = learner.weightsHash();
        return { step };
      },
      announce: async ({ step }) => {
        life.point();
        ledger.publish(step, weightsHash);
      },
      report: (saved) => saved,
    },
    { last, consumedGroupIds: run?.consumedGroupIds ?? [] },
  );
  try {
    for (let step = protocol.lastDone + 1; step <= steps; step++)
      await protocol.run({ step, groupIds: [`g${step}-0`, `g${step}-1`] });
  } finally {
    // What is written beside ends before the next life begins.
    await learner.writing;
  }
  return { weightsHash, repeated };
}

const dies = async (ledger: Ledger, at: number, how = {}) =>
  await live(ledger, new Life(at), how).then(
    () => false,
    (reason: unknown) => {
      if (!(reason instanceof Crash)) throw reason;
      return true;
    },
  );

async function afresh(): Promise<Ledger> {
  await rm(root, { recursive: true, force: true });
  return new Ledger();
}

test("killed at any point, and again while it goes on, a run ends with the weights of an undisturbed one (SAVES-1, SAVES-2)", async () => {
  const undisturbed = new Ledger();
  const life = new Life();
  const { weightsHash } = await live(undisturbed, life);
  expect(life.points).toBeGreaterThan(40);
  for (let at = 0; at < life.points; at++) {
    const ledger = await afresh();
    expect(await dies(ledger, at)).toBe(true);
    await dies(ledger, (at * 7) % 19);
    const end = await live(ledger, new Life());
    expect(end.weightsHash, `killed at point ${at}`).toBe(weightsHash);
    expect([...ledger.trained].sort()).toEqual([...undisturbed.trained].sort());
    for (const [version, hashes] of ledger.published) {
      expect([...hashes], `version ${version}, killed at point ${at}`).toEqual([
        ...(undisturbed.published.get(version) ?? []),
      ]);
    }
  }
});

/** Dies when step 2 is in the log, two steps after the checkpoint. */
async function twoStepsInTheLog(): Promise<Ledger> {
  for (let at = 10; ; at++) {
    const ledger = await afresh();
    await dies(ledger, at);
    if ((await savedVersion(checkpointDirOf(root))) === 2) return ledger;
  }
}

test("the log holds the steps after the checkpoint, and is empty after the next one (SAVES-2)", async () => {
  const ledger = await twoStepsInTheLog();
  const log = stepLogOf(checkpointDirOf(root));
  expect((await readdir(log)).filter((name) => name.endsWith(".json"))).toHaveLength(2);
  const { repeated } = await live(ledger, new Life());
  expect(repeated).toEqual([1, 2]);
  expect(await readdir(log)).toEqual([]);
  expect(await readdir(checkpointDirOf(root))).toEqual(["policy-00000005"]);
});

test("a CPU that repeats a step with other weights ends the run; a GPU's go into a new checkpoint (SAVES-3)", async () => {
  const ledger = await twoStepsInTheLog();
  await expect(live(ledger, new Life(), { rounding: "!" })).rejects.toThrow(
    /CONFIG_INVALID.*step 1, replayed from the log, gave weights/,
  );
  // The new checkpoint's two points, and one of the step after it.
  expect(await dies(ledger, 3, { gpu: true, rounding: "!" })).toBe(true);
  expect(await readdir(checkpointDirOf(root))).toEqual(["policy-00000002"]);
  expect((await live(ledger, new Life())).repeated).toEqual([]);
});

test("a logged step whose file was changed is refused, by name (STEPLOG-3)", async () => {
  await twoStepsInTheLog();
  const log = stepLogOf(checkpointDirOf(root));
  const dump = (await readdir(log)).find((name) => name.endsWith(".pb")) ?? "";
  await writeFile(join(log, dump), "other");
  await expect(live(new Ledger(), new Life())).rejects.toThrow(/CHECKPOINT_CORRUPT.*\.pb has 5 bytes/);
  const record = (await readdir(log)).find((name) => name.endsWith(".json")) ?? "";
  await writeFile(join(log, record), "{}");
  await expect(findSaved(checkpointDirOf(root))).rejects.toThrow(/CHECKPOINT_CORRUPT.*the hash in its name/);
});

test("a checkpoint is written beside later steps, one at a time, and one that failed is made up for (SAVES-5)", async () => {
  const checkpointDir = checkpointDirOf(root);
  const learner = new HashingLearner(new Life());
  const writing: { readonly version: number; readonly end: (failure?: Error) => void }[] = [];
  const late: unknown[] = [];
  const slow = {
    get policyVersion() {
      return learner.policyVersion;
    },
    weightsHash: () => learner.weightsHash(),
    update: learner.update.bind(learner),
    saveCheckpoint: async (...given: Parameters<typeof learner.saveCheckpoint>) => {
      const version = learner.policyVersion;
      const folder = await learner.saveCheckpoint(...given);
      await new Promise<void>((end, fail) => {
        writing.push({ version, end: (failure) => (failure === undefined ? end() : fail(failure)) });
      });
      return folder;
    },
  };
  const onLate = (reason: unknown) => void late.push(reason);
  const saves = new LearnerSaves(slow, { checkpointDir, everySteps: 2, steps: 7, keepLast: 1, onLate }, "");
  const save = async (step: number) => {
    const given = { policyVersion: learner.policyVersion, shuffleRewards: false, groups: [] };
    const dump = await writeStepDump(dumpDirOf(checkpointDir), step, given, { keepLast: 1 });
    const parentHash = learner.weightsHash();
    await learner.update([], given);
    const of = { step, parentHash, weightsHash: learner.weightsHash(), consumedGroupIds: [`g${step}`], dump };
    await saves.save({ ...of, dataCursor: { step } });
    return step;
  };
  const logged = async () =>
    (await readdir(stepLogOf(checkpointDir))).filter((name) => name.endsWith(".json")).length;
  /** Ends the write of that version, once it has begun. */
  const end = async (version: number, failure?: Error) => {
    await vi.waitFor(() => expect(writing.at(-1)?.version).toBe(version));
    writing.at(-1)?.end(failure);
  };

  for (const step of [1, 2, 3]) await save(step);
  expect([await logged(), saves.checkpoint]).toEqual([3, ""]);
  const fourth = save(4);
  await vi.waitFor(async () => expect(await logged()).toBe(4));
  const full = new Error("no space left");
  await end(2, full);
  // The fourth step waits for its checkpoint, because the one before has failed.
  await vi.waitFor(() => expect(writing).toHaveLength(2));
  expect([late, await logged()]).toEqual([[full], 4]);
  await end(4);
  expect(await fourth).toBe(4);
  expect([await logged(), saves.checkpoint]).toEqual([0, join(checkpointDir, "policy-00000004")]);

  for (const step of [5, 6]) await save(step);
  const last = save(7);
  await end(6);
  await end(7);
  expect(await last).toBe(7);
  expect([await logged(), await readdir(checkpointDir)]).toEqual([0, ["policy-00000007"]]);
});
