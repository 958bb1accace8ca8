import { writeFileSync } from "node:fs";
import { type Recipe, trainInProcess } from "@palimpsest/trainer";
import { sampledNote } from "../display/train-display.js";
import { modelCache } from "../models/model-cache.js";
import { trainOutput } from "./run-output.js";

interface InProcessFlags {
  readonly json?: boolean;
  readonly report?: string;
  readonly shuffleRewards?: boolean;
}

/** Runs a recipe in this process and writes one line per step. */
export async function runInProcess(
  recipe: Recipe,
  { report, json = false, shuffleRewards = false }: InProcessFlags,
  signal: AbortSignal,
): Promise<void> {
  const talk = json ? process.stderr : process.stdout;
  const steps: { readonly step: number; readonly rewardMean: number; readonly weightsHash: string }[] = [];
  const { weightsHash } = await trainInProcess({
    recipe,
    models: modelCache(),
    shuffleRewards,
    signal,
    onNotice: (text) => process.stderr.write(`${text}\n`),
    onStep: ({ step, update, failures, rejected, rolloutSeconds, weightsHash }) => {
      const { rewardMean } = update;
      steps.push({ step, rewardMean, weightsHash });
      const parts = Object.entries(update.rewardComponents).map(
        ([name, { mean }]) => `${name} ${mean.toFixed(3)}`,
      );
      const seconds = `rollout ${rolloutSeconds.toFixed(1)} s, update ${(update.durationMs / 1000).toFixed(1)} s`;
      const failed = failures.length === 0 ? [] : [`${failures.length} episodes failed: ${failures[0]}`];
      const facts = [
        `reward ${rewardMean.toFixed(3)}${sampledNote(rejected ? { rejected } : {})}`,
        ...parts,
        seconds,
        ...failed,
      ].join("  ");
      talk.write(`step ${String(step).padStart(4)}/${recipe.train.steps}  ${facts}\n`);
    },
  });
  if (json) trainOutput.print({ weightsHash, steps });
  else process.stdout.write(`weights ${weightsHash}\n`);
  process.stderr.write(
    "nothing of this run is kept; a model to ask is left by `palimpsest dev -- palimpsest train RECIPE --run-dir FOLDER`\n",
  );
  if (report) writeFileSync(report, `${JSON.stringify({ weightsHash, steps }, null, 2)}\n`);
}
