import type { ReplayedStep } from "@palimpsest/trainer";
import type { Command } from "commander";
import { formatTable } from "../../display/table.js";
import { existingFolder } from "../../input/existing-path.js";
import { parseWhole } from "../../input/key-values.js";
import { modelCache } from "../../models/model-cache.js";
import { replayOutput } from "../../training/run-output.js";

interface ReplayOptions {
  readonly run: string;
  readonly step: number;
  readonly json?: boolean;
}

export function addTrainReplay(train: Command): void {
  train
    .command("replay")
    .description(
      "repeats one step of a run from its checkpoint and its groups, without sampling; in this process",
    )
    .requiredOption("--run <folder>", "the run's folder")
    .requiredOption("--step <n>", "the step, counted from 1", parseWhole)
    .addOption(replayOutput.option("prints metrics and differences as JSON"))
    .action(async (_own: ReplayOptions, command: Command) => {
      // `train` has a --json, too, and takes it wherever it stands.
      const { run, step, json } = command.optsWithGlobals<ReplayOptions>();
      existingFolder(run, `--run ${run}`, "give the folder of a run");
      const { replayRunStep } = await import("@palimpsest/trainer");
      const replayed = await replayRunStep({ runDir: run, step, models: modelCache() });
      if (json) replayOutput.print(replayed);
      else process.stdout.write(replayText(replayed));
      if (!isSame(replayed)) process.exitCode = 1;
    });
}

function isSame({ weightsHash, recordedHash, differences }: ReplayedStep): boolean {
  return (recordedHash === undefined || recordedHash === weightsHash) && differences.length === 0;
}

function replayText(replayed: ReplayedStep): string {
  const { step, metrics, weightsHash, recordedHash, differences } = replayed;
  const verdict =
    recordedHash === undefined
      ? "the run recorded no metrics to compare with"
      : isSame(replayed)
        ? "identical to the run, with the weights equal bit for bit"
        : recordedHash === weightsHash
          ? "the weights are equal bit for bit, but metrics differ"
          : `NOT identical: the run's weights have the hash ${recordedHash}`;
  const rows = (["loss", "gradientNorm", "rewardMean", "klK3", "entropy", "ratioMax"] as const).map(
    (name) => [name, String(metrics[name])],
  );
  const other = differences.map(({ name, recorded, replayed: now }) => [
    name,
    JSON.stringify(recorded),
    JSON.stringify(now),
  ]);
  return [
    `step ${step}: ${verdict}`,
    `weights ${weightsHash}`,
    "",
    formatTable(["metric", "replayed"], rows),
    ...(other.length === 0 ? [] : ["", formatTable(["differs", "recorded", "replayed"], other)]),
    "",
  ].join("\n");
}
