import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { writeStepDump } from "@palimpsest/learner";
import { systemClock } from "@palimpsest/std";
import { beforeEach, expect, test } from "vitest";
import { testFolder } from "../../../../../test/support/temporary-folder.js";
import { Crash, HashingLearner, Life } from "./hashing-learner.fixture.js";
import { findSaved, LearnerSaves, type SaveSettings, savedVersion } from "./learner-saves.js";
import { checkpointDirOf, dumpDirOf } from "./run-paths.js";

let root = "";
beforeEach(() => {
  root = testFolder();
});

const { signal } = new AbortController();

/** The learner's own run of `count` steps, with a checkpoint every `everySteps`. */
async function ran(count: number, settings: SaveSettings): Promise<HashingLearner> {
  const learner = new HashingLearner(new Life());
  const saves = new LearnerSaves(learner, settings, "");
  const at = () => ({ weightsHash: learner.weightsHash(), consumedGroupIds: [`g${learner.policyVersion}`] });
  await saves.saveCheckpoint({ ...at(), dataCursor: {} });
  for (let step = 1; step <= count; step++) {
    const groups = [{ groupId: `g${step}`, taskId: "t", groupSize: 2, members: [] }];
    const given = { policyVersion: step - 1, shuffleRewards: false, groups };
    const dump = await writeStepDump(dumpDirOf(settings.checkpointDir), step, given, { keepLast: 1 });
    const parentHash = learner.weightsHash();
    await learner.update(groups, given);
    await saves.save({ ...at(), step, parentHash, dataCursor: { step }, dump });
  }
  return learner;
}

/** Each update takes so long, and what takes longer than a start may take is ended. */
const [updateMs, startMs] = [40_000, 170_000];

test.each([
  ["a CPU", ""],
  ["a GPU that rounds otherwise", "!"],
])(
  "a learner on %s that is ended while it repeats comes further with every start (SAVES-4)",
  async (_, rounding) => {
    const settings = { checkpointDir: checkpointDirOf(root), everySteps: 10, steps: 100, keepLast: 2 };
    const undisturbed = await ran(9, settings);
    const reached: number[] = [];
    while (reached.at(-1) !== 9 && reached.length < 9) {
      const run = await findSaved(settings.checkpointDir);
      if (run === undefined) throw new Error("nothing is saved");
      expect(run.consumedGroupIds).toEqual(["g9"]);
      const learner = new HashingLearner(new Life(), run.checkpoint, rounding);
      let nowMs = 0;
      const update: HashingLearner["update"] = async (...given) => {
        nowMs += updateMs;
        if (nowMs > startMs) throw new Crash("it was not ready in time");
        await HashingLearner.prototype.update.apply(learner, given);
      };
      const saves = new LearnerSaves(Object.assign(learner, { update }), settings, run.folder);
      const clock = { ...systemClock, monotonicMs: () => nowMs };
      const repeated = saves.repeat(run, { gpu: rounding !== "", signal, clock });
      await repeated.catch((reason: unknown) => {
        if (!(reason instanceof Crash)) throw reason;
      });
      reached.push(learner.policyVersion);
      if (learner.policyVersion === 9)
        expect(learner.weightsHash() === undisturbed.weightsHash()).toBe(rounding === "");
    }
    expect(reached).toEqual([4, 8, 9]);
    expect(await savedVersion(settings.checkpointDir)).toBe(9);
  },
);

test("a run goes on from an older checkpoint that is kept, when the newest is gone (SAVES-2)", async () => {
  const settings = { checkpointDir: checkpointDirOf(root), everySteps: 3, steps: 100, keepLast: 2 };
  const weightsHash = (await ran(8, settings)).weightsHash();
  expect(await readdir(settings.checkpointDir)).toEqual(["policy-00000003", "policy-00000006"]);
  await rm(join(settings.checkpointDir, "policy-00000006"), { recursive: true });
  const run = await findSaved(settings.checkpointDir);
  expect(run?.steps.map(({ policyVersion }) => policyVersion)).toEqual([4, 5, 6, 7, 8]);
  const learner = new HashingLearner(new Life(), run?.checkpoint);
  if (run) await new LearnerSaves(learner, settings, run.folder).repeat(run, { gpu: false, signal });
  expect(learner.weightsHash()).toBe(weightsHash);
});
