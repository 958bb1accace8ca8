import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { plantedEpisode } from "../../packages/evals/src/microscope/planted.fixture.js";

export interface PlantedRun {
  readonly steps: number;
  readonly groupsPerStep: number;
  readonly groupSize: number;
  readonly chunks?: number;
}

/** A run's folder with episodes whose losses are known, as a training run leaves it. */
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
