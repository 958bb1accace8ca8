import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { factLanes } from "../../packages/learning/evals/src/microscope/index.js";
import { plantedEpisode } from "../../packages/learning/evals/src/microscope/planted.fixture.js";

export interface PlantedRun {
  readonly steps: number;
  readonly groupsPerStep: number;
  readonly groupSize: number;
  readonly chunks?: number;
}

/** Writes a run's folder with episodes whose losses are known, as a training run leaves it. */
export function writePlantedRun(
  folder: string,
  { steps, groupsPerStep, groupSize, chunks = 8 }: PlantedRun,
): void {
  mkdirSync(join(folder, "traces"), { recursive: true });
  const recipe = { name: "planted", agent: { kind: "memagent" }, train: { steps } };
  const run = { runId: "run-planted", createdAt: new Date(1_790_000_000_000).toISOString(), recipe };
  writeFileSync(join(folder, "run.json"), JSON.stringify(run));
  const metrics: string[] = [];
  for (let step = 1; step <= steps; step++) {
    const lines: string[] = [];
    for (let group = 0; group < groupsPerStep; group++)
      for (let member = 0; member < groupSize; member++) {
        const seed = (step * 1_000 + group) * 100 + member;
        const { trace } = plantedEpisode(seed, chunks);
        const id = `g${step}-${group}`;
        const failed = member === groupSize - 1 && group === 0;
        lines.push(
          JSON.stringify({
            ...trace,
            ...{ origin: "train", trajectoryId: `${id}.${member}`, groupId: id, episodeIndex: member },
            ...{ trainingStep: step, run: "run-planted" },
            ...(failed ? { failure: "rollout: the engine did not answer within 30 s" } : {}),
          }),
        );
      }
    writeFileSync(
      join(folder, "traces", `step-${String(step).padStart(8, "0")}.jsonl`),
      `${lines.join("\n")}\n`,
    );
    metrics.push(
      JSON.stringify({
        ...{ step, steps, rewardMean: step / (step + 5), samplerTokensPerSecond: 900 + step },
        ...{ learnerTokensPerSecond: 4_000, rolloutSeconds: 12, learnerWaitSeconds: 12, updateSeconds: 2 },
        ...{ checkpointSeconds: 0.4, publishSeconds: 0.2, groupsFailed: 0, groupsStale: 0 },
        update: { loss: 1 / step, entropy: 2 - step / steps, gradientNorm: 0.5, policyKl: 0.01 },
      }),
    );
  }
  writeFileSync(join(folder, "metrics.jsonl"), `${metrics.join("\n")}\n`);
}

/** Adds the traces of a run's first and last evaluation: the facts of some questions are lost before, and kept after. */
export function writePlantedEvaluations(folder: string, { steps = 4, questions = 3 } = {}): void {
  const trace = (seed: number) => plantedEpisode(seed, 5).trace;
  const seeds = Array.from({ length: 400 }, (_, seed) => seed);
  const endsAs = (wanted: "kept" | "lost") =>
    seeds.filter((seed) => {
      const lanes = factLanes(trace(seed));
      return lanes.length > 0 && lanes.every(({ end }) => end === wanted);
    });
  for (const [version, wanted] of [
    [0, "lost"],
    [steps, "kept"],
  ] as const) {
    const lines = endsAs(wanted)
      .slice(0, questions)
      .map((seed, question) =>
        JSON.stringify({
          ...trace(seed),
          ...{ origin: "eval", groupId: `evaluation/${question}`, trainingStep: version, run: "run-planted" },
          trajectoryId: `evaluation/${question}/version-${version}`,
          reward: { total: wanted === "kept" ? 1 : 0, components: {} },
        }),
      );
    const name = `evaluation-${String(version).padStart(8, "0")}.jsonl`;
    writeFileSync(join(folder, "traces", name), `${lines.join("\n")}\n`);
  }
}

/**
 * Writes a run with one episode that edits a store, with its tokens as an update saw them, and one episode that was not
 * trained.
 */
export function writeToolRun(folder: string): void {
  mkdirSync(join(folder, "traces"), { recursive: true });
  const { trace } = plantedEpisode(7, 3);
  const ids = Array.from({ length: 40 }, (_, at) => 100 + at);
  const conversation = {
    ...{ kind: "tool", step: 0, promptTokens: 12, sampledTokens: 37, stopReason: "stop", policyVersion: 3 },
    ...{ sampled: "calls", sampledTokenIds: ids, rolloutLogprobs: ids.map((id) => -((id - 100) % 7) / 3) },
    ...{ advantage: 1.25, reward: 0.5, clipped: [3, 4] },
    ratios: ids.map((id, at) => (at >= 37 ? null : 1 + (id - 103) / 50)),
    lossMask: ids.map((_, at) => (at >= 37 ? 0 : 1)),
  };
  const call = (name: string, args: object, result: string) => ({
    ...{ step: 0, name, arguments: JSON.stringify(args), result },
  });
  const edited = {
    ...trace,
    ...{ origin: "train", trajectoryId: "g-tools.0", groupId: "g-tools", episodeIndex: 0, trainingStep: 4 },
    conversations: [conversation],
    memorySteps: [],
    toolCalls: [
      call("search_memory", { query: "tom" }, "Found:\n[m1] (score 0.91) Tom likes figs."),
      call(
        "manage_memory",
        { operation: "update", memory_id: "m1", content: "Tom likes dates." },
        "Updated [m1].",
      ),
      call("manage_memory", { operation: "create", content: "Rosa paints." }, "Created [m2]."),
    ],
  };
  const left = {
    ...trace,
    ...{ origin: "train", trajectoryId: "g-even.0", groupId: "g-even", episodeIndex: 0, trainingStep: 4 },
    discarded: "its group was not trained: ZERO_VARIANCE",
  };
  writeFileSync(
    join(folder, "traces", "step-00000004.jsonl"),
    `${JSON.stringify(edited)}\n${JSON.stringify(left)}\n`,
  );
}
