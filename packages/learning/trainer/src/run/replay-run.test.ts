import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { loadBackend } from "@palimpsest/jit";
import { createLearner, writeStepDump } from "@palimpsest/learner";
import { initParameters } from "@palimpsest/model";
import { smallConfig } from "@palimpsest/model/testing";
import { type Group, plainSampling } from "@palimpsest/trajectories";
import { beforeAll, expect, test } from "vitest";
import { fileFolder } from "../../../../../test/support/temporary-folder.js";
import { checkpointDirOf, dumpDirOf } from "../run-folder/run-paths.js";
import { replayRunStep } from "./replay-run.js";

const runDir = fileFolder();

const models = { cacheDir: join(runDir, "models") };
const model = smallConfig({ layers: 1, maxPositions: 32 });

function groupOf(seed: number): Group {
  return {
    groupId: `g${seed}`,
    taskId: "t",
    groupSize: 4,
    members: [0, 1, 2, 3].map((episodeIndex) => ({
      trajectory: {
        trajectoryId: `g${seed}-${episodeIndex}`,
        groupId: `g${seed}`,
        taskId: "t",
        episodeIndex,
        agent: "memagent",
        policyVersionMin: seed,
        policyVersionMax: seed,
        weightsHash: "",
        conversations: [
          {
            kind: "final",
            step: 0,
            promptTokenIds: [1, 2 + seed],
            sampledTokenIds: [3 + episodeIndex, 9],
            rolloutLogprobs: [-2.5, -2.75],
            sampling: plainSampling,
            stopReason: "stop",
            policyVersion: seed,
          },
        ],
        answer: "",
        memorySteps: [],
        startedAtMs: 0,
        endedAtMs: 0,
        actorId: "a",
        droppedDocumentTokens: 0,
      },
      score: { reward: episodeIndex === seed ? 1 : 0, components: {} },
    })),
  };
}

/** What a run of two steps leaves behind. */
beforeAll(async () => {
  const checkpoints = checkpointDirOf(runDir);
  const learner = createLearner({
    backend: await loadBackend({ threads: 1 }),
    model,
    parameters: initParameters(model, 1),
    objectives: ["policy"],
    config: { buckets: [{ rows: 4, length: 8 }] },
  });
  mkdirSync(runDir, { recursive: true });
  writeFileSync(join(runDir, "run.json"), JSON.stringify({ runId: "run-1", recipe: { learnerThreads: 1 } }));
  const extra = { consumedGroupIds: [], dataCursor: null };
  await learner.saveCheckpoint(checkpoints, extra);
  for (let step = 1; step <= 2; step++) {
    const groups = [groupOf(step - 1)];
    const dump = { policyVersion: learner.policyVersion, shuffleRewards: false, groups };
    await writeStepDump(dumpDirOf(checkpoints), step, dump, { keepLast: 2 });
    const update = await learner.update(groups);
    await learner.saveCheckpoint(checkpoints, extra);
    const line = { step, weightsHash: learner.weightsHash(), update };
    appendFileSync(join(runDir, "metrics.jsonl"), `${JSON.stringify(line)}\n`);
  }
  appendFileSync(join(runDir, "metrics.jsonl"), '{"step": 3, "upd');
  learner.close();
});

test("a step is repeated with the run's weights and metrics, from what the run left on disk", async () => {
  const replayed = await replayRunStep({ runDir, step: 2, models });
  expect(replayed.recordedHash).toBeDefined();
  expect(replayed.weightsHash).toBe(replayed.recordedHash);
  expect(replayed.differences).toEqual([]);
  expect(replayed.metrics).toMatchObject({ policyVersion: 2, trajectories: 4 });
});

test("a step whose record says something else is told, name by name", async () => {
  const other = { step: 2, weightsHash: "other", update: { ...{ loss: 7, durationMs: 1 } } };
  appendFileSync(join(runDir, "metrics.jsonl"), `\n${JSON.stringify(other)}\n`);
  const replayed = await replayRunStep({ runDir, step: 2, models });
  expect(replayed.recordedHash).toBe("other");
  expect(replayed.differences).toEqual([{ name: "loss", recorded: 7, replayed: replayed.metrics.loss }]);
});

test("what is not there any more is named with the setting that keeps it", async () => {
  await expect(replayRunStep({ runDir, step: 3, models })).rejects.toThrow(
    /step 3 has no dump.*keepStepDumps/,
  );
  await expect(replayRunStep({ runDir, step: 9, models })).rejects.toThrow(
    /policy version 8.*keepCheckpoints/,
  );
  await expect(replayRunStep({ runDir, step: 1, models })).rejects.toThrow(/policy version 0/);
});
