import { createHash } from "node:crypto";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type Checkpoint,
  type CheckpointExtra,
  type DurableFiles,
  durableFiles,
  type WrittenDump,
  writeCheckpoint,
  writeStepDump,
} from "@palimpsest/learner";
import type { Group } from "@palimpsest/trajectories";
import { systemClock } from "@palimpsest/wire";
import { afterEach, beforeEach, expect, test } from "vitest";
import { checkpointDirOf, dumpDirOf } from "./learner-actor.js";
import { findSaved, LearnerSaves, type SaveSettings, savedVersion, stepLogOf } from "./learner-saves.js";
import { StepProtocol } from "./step-protocol.js";

let root = "";
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "palimpsest-saves-"));
});
afterEach(async () => {
  await rm(root, { recursive: true, force: true });
});

const steps = 5;
const everySteps = 3;
const { signal } = new AbortController();

class Crash extends Error {}

/** A process that dies at its n-th point; what it does afterwards does not happen. */
class Life {
  readonly #diesAt: number;
  points = 0;

  constructor(diesAt = Infinity) {
    this.#diesAt = diesAt;
  }

  point(): void {
    if (this.points >= this.#diesAt) throw new Crash("planned");
    this.points++;
  }

  /** The product's own writing, with a point before each part of it; a write that dies leaves half of its bytes. */
  get files(): DurableFiles {
    const before =
      <Given extends unknown[]>(work: (...given: Given) => Promise<void>) =>
      async (...given: Given) => {
        this.point();
        await work(...given);
      };
    return {
      write: async (path, bytes) => {
        try {
          this.point();
        } catch (reason) {
          await writeFile(path, bytes.subarray(0, bytes.length / 2));
          throw reason;
        }
        await durableFiles.write(path, bytes);
      },
      link: before(durableFiles.link),
      rename: before(durableFiles.rename),
      syncFolder: before(durableFiles.syncFolder),
      remove: before(durableFiles.remove),
    };
  }
}

/** A learner whose weights are a hash of all that they saw, in order. */
class HashingLearner {
  policyVersion: number;
  #weights: Buffer;
  readonly #life: Life;
  /** Added to what it sees: another machine's rounding. */
  readonly #rounding: string;

  constructor(life: Life, checkpoint?: Checkpoint, rounding = "") {
    this.#life = life;
    this.#rounding = rounding;
    this.policyVersion = checkpoint?.policyVersion ?? 0;
    this.#weights = Buffer.from(checkpoint?.tensors["weights/a"] ?? new Float32Array(32));
  }

  weightsHash(): string {
    return this.#weights.toString("hex");
  }

  async update(groups: readonly Group[], { shuffleRewards }: { readonly shuffleRewards: boolean }) {
    const seen = `${groups.map(({ groupId }) => groupId)} ${shuffleRewards}${this.#rounding}`;
    this.#weights = createHash("sha256").update(this.#weights).update(seen).digest();
    this.policyVersion++;
  }

  async saveCheckpoint(folder: string, extra: CheckpointExtra, options: { readonly keepLast: number }) {
    this.#life.point();
    const { policyVersion } = this;
    const tensors = { "weights/a": Float32Array.from(this.#weights) };
    const parts = { policyVersion, step: policyVersion, random: [], config: {}, model: {}, tensors, extra };
    const written = await writeCheckpoint(folder, parts, options);
    this.#life.point();
    return written;
  }
}

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
        release: () => undefined,
      },
      groupsPerStep: 2,
      savedVersion: () => savedVersion(checkpointDir),
      policyVersion: () => learner.policyVersion,
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
  for (let step = protocol.lastDone + 1; step <= steps; step++)
    await protocol.run({ step, groupIds: [`g${step}-0`, `g${step}-1`] });
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

test("a CPU that repeats a step with other weights ends the run; a GPU's go into a new checkpoint (SAVES-3)", async () => {
  const ledger = await twoStepsInTheLog();
  await expect(live(ledger, new Life(), { rounding: "!" })).rejects.toThrow(
    /CONFIG_INVALID.*step 1, repeated from the log, makes weights/,
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
  await expect(findSaved(checkpointDirOf(root))).rejects.toThrow(/CHECKPOINT_CORRUPT.*its name says/);
});
