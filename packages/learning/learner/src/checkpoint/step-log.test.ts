import { mkdir, readdir, readFile, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { loadBackend } from "@palimpsest/jit";
import { durableFiles } from "@palimpsest/std/files";
import { beforeEach, expect, it } from "vitest";
import { testFolder } from "../../../../../test/support/temporary-folder.js";
import { createLearner } from "../learner/create-learner.js";
import { randomGroups, tinyConfig, tinyModel, tinyParameters } from "../learner/learner.fixture.js";
import type { Learner } from "../learner/learner.js";
import { type Checkpoint, latestCheckpoint, readCheckpoint } from "./checkpoint.js";
import { longestChain } from "./step-chain.js";
import { writeStepDump } from "./step-dumps.js";
import { appendStep, dropSteps, loggedDump, stepsAfter } from "./step-log.js";

let root = "";
beforeEach(() => {
  root = testFolder();
});

const extra = { consumedGroupIds: [], dataCursor: null };

/** Two optimizer steps an update, with moments, random numbers and a KL coefficient that all go on. */
async function aLearner(checkpoint?: Checkpoint): Promise<Learner> {
  return createLearner({
    backend: await loadBackend(),
    config: tinyConfig({
      preset: "memagent",
      kl: { coefficient: 0.05, adaptive: { target: 0.01, horizon: 100 } },
      miniBatches: 2,
      referenceRefreshUpdates: 3,
    }),
    model: tinyModel,
    parameters: tinyParameters(),
    // Nothing to compile: what is compared does not depend on how it runs.
    mode: "eager",
    objectives: ["policy"],
    ...(checkpoint === undefined ? {} : { checkpoint }),
  });
}

it("a checkpoint and the steps after it are the learner that wrote them, bit for bit; the reference is on disk once", async () => {
  const [checkpoints, log] = [join(root, "checkpoints"), join(root, "log")];
  const learner = await aLearner();
  const folder = await learner.saveCheckpoint(checkpoints, extra);
  const start = { policyVersion: 0, weightsHash: learner.weightsHash() };
  for (let step = 1; step <= 2; step++) {
    const given = { policyVersion: learner.policyVersion, shuffleRewards: true, groups: randomGroups(step) };
    const parentHash = learner.weightsHash();
    const dump = await writeStepDump(join(root, "dumps"), step, given, { keepLast: 1 });
    await learner.update(given.groups, { shuffleRewards: true });
    const weightsHash = learner.weightsHash();
    const made = { policyVersion: step, parentHash, weightsHash, consumedGroupIds: [], dataCursor: null };
    await appendStep(log, made, dump);
  }
  const again = await aLearner(await readCheckpoint(folder));
  for (const record of await stepsAfter(log, start)) {
    const { groups, shuffleRewards } = await loggedDump(log, record);
    await again.update(groups, { shuffleRewards });
    expect(again.weightsHash()).toBe(record.weightsHash);
  }
  expect(again.policyVersion).toBe(2);
  expect(again.checkpoint(extra)).toEqual(learner.checkpoint(extra));

  // From the learner that wrote the first one, and from the one that read it.
  await learner.saveCheckpoint(checkpoints, extra, { keepLast: 3 });
  const newest = await again.saveCheckpoint(checkpoints, extra, { keepLast: 3 });
  const inodes = await Promise.all(
    (await readdir(checkpoints)).map(
      async (name) => (await stat(join(checkpoints, name, "reference.bin"))).ino,
    ),
  );
  expect(inodes.length).toBeGreaterThan(1);
  expect(new Set(inodes).size).toBe(1);
  expect((await readFile(join(newest, "state.bin"))).length).toBe(
    3 * (await readFile(join(newest, "reference.bin"))).length,
  );
  // One alone, as when it is copied elsewhere, is whole.
  await rm(folder, { recursive: true });
  expect((await readCheckpoint(newest)).tensors).toEqual(learner.checkpoint(extra).tensors);

  // Another reference is another file.
  await again.update(randomGroups(3));
  await again.saveCheckpoint(checkpoints, extra, { keepLast: 1 });
  const last = (await latestCheckpoint(checkpoints)) ?? "";
  expect((await stat(join(last, "reference.bin"))).ino).not.toBe(inodes[0]);
  expect((await readCheckpoint(last)).tensors).toEqual(again.checkpoint(extra).tensors);
  await dropSteps(log, 2);
  expect(await readdir(log)).toEqual([]);
  learner.close();
  again.close();
});

it("of two learners' steps those are gone on with that lead furthest from the checkpoint, then the newer ones (STEPLOG-2)", () => {
  const link = (policyVersion: number, parentHash: string, weightsHash: string, writtenAtMs = 0) => ({
    policyVersion,
    parentHash,
    weightsHash,
    writtenAtMs,
  });
  const chainOf = (...records: ReturnType<typeof link>[]) =>
    longestChain(records, { policyVersion: 4, weightsHash: "a" }).map(({ weightsHash }) => weightsHash);
  const [mine, its, itsNext] = [link(5, "a", "mine", 2), link(5, "a", "its", 1), link(6, "its", "next", 1)];
  expect(chainOf(mine, its)).toEqual(["mine"]);
  expect(chainOf(itsNext, mine, its)).toEqual(["its", "next"]);
  expect(chainOf(itsNext, mine)).toEqual(["mine"]);
  expect(chainOf(link(5, "b", "elsewhere"), link(6, "a", "later"))).toEqual([]);
});

it("of steps with two records each the chain is found at once, however many they are", () => {
  const doubled = (count: number) =>
    Array.from({ length: 2 * count }, (_, at) => {
      const policyVersion = 1 + Math.floor(at / 2);
      const [parentHash, weightsHash] = [`w${policyVersion - 1}`, `w${policyVersion}`];
      return { policyVersion, parentHash, weightsHash, writtenAtMs: at };
    });
  const chain = longestChain(doubled(1_000), { policyVersion: 0, weightsHash: "w0" });
  expect(chain.map(({ policyVersion }) => policyVersion)).toEqual(
    Array.from({ length: 1_000 }, (_, at) => at + 1),
  );
  expect(chain.at(-1)?.writtenAtMs).toBe(1_999);
});

it("a step whose dump cannot be stored has no record (STEPLOG-1)", async () => {
  const log = join(root, "log");
  const given = { policyVersion: 0, shuffleRewards: false, groups: randomGroups(1) };
  const dump = await writeStepDump(join(root, "dumps"), 1, given, { keepLast: 1 });
  const step = {
    policyVersion: 1,
    parentHash: "a",
    weightsHash: "b",
    consumedGroupIds: ["g"],
    dataCursor: null,
  };
  await expect(appendStep(log, step, { ...dump, file: join(root, "absent") })).rejects.toThrow("absent");
  expect(await readdir(log)).toEqual([]);
});

it("a step that is appended again changes nothing; another learner's has a record of its own (STEPLOG-2)", async () => {
  const log = join(root, "log");
  const given = { policyVersion: 0, shuffleRewards: false, groups: randomGroups(1) };
  const dump = await writeStepDump(join(root, "dumps"), 1, given, { keepLast: 1 });
  const step = {
    policyVersion: 1,
    parentHash: "a",
    weightsHash: "b",
    consumedGroupIds: ["g"],
    dataCursor: { x: 1 },
  };
  await appendStep(log, step, dump);
  const names = await readdir(log);
  const [written] = await stepsAfter(log, { policyVersion: 0, weightsHash: "a" });
  while (Date.now() <= (written?.writtenAtMs ?? 0)) await new Promise(setImmediate);
  await appendStep(log, step, dump);
  expect(await readdir(log)).toEqual(names);
  await appendStep(log, { ...step, weightsHash: "c" }, dump);
  expect(await readdir(log)).toHaveLength(names.length + 1);
});

it("a checkpoint that is completed while a later step is written leaves what is half written; its own remains go (STEPLOG-1)", async () => {
  const log = join(root, "log");
  const given = { policyVersion: 0, shuffleRewards: false, groups: randomGroups(1) };
  const dump = await writeStepDump(join(root, "dumps"), 3, given, { keepLast: 1 });
  const step = {
    policyVersion: 3,
    parentHash: "a",
    weightsHash: "b",
    consumedGroupIds: ["g"],
    dataCursor: null,
  };
  const remains = "step-00000002-0123456789abcdef.json.part";
  await mkdir(log);
  await durableFiles.write(join(log, remains), Buffer.from("{"));
  const rename = async (from: string, to: string) => {
    await dropSteps(log, 2);
    await durableFiles.rename(from, to);
  };
  await appendStep(log, step, dump, { ...durableFiles, rename });
  expect(
    (await stepsAfter(log, { policyVersion: 2, weightsHash: "a" })).map(({ policyVersion }) => policyVersion),
  ).toEqual([3]);
  expect(await readdir(log)).not.toContain(remains);
});
