import { join } from "node:path";
import { type Command, InvalidArgumentError, Option } from "commander";
import { refuseOwnModel, type SaveFlags, saveOptions, withSaveOptions } from "../../input/save-options.js";
import { modelCache } from "../../models/model-cache.js";
import { modelArgument, withIgnoreConfig } from "../../models/model-input.js";
import { exportedOutput } from "../../models/written-model.js";

interface ExportFlags extends SaveFlags {
  readonly tokenizer?: string;
  readonly ignoreConfig?: readonly string[];
  readonly best?: boolean;
  readonly step?: number;
  readonly all?: boolean;
  readonly adapters?: boolean;
  readonly addAdapters?: string;
}

export function addModelExport(model: Command): void {
  withSaveOptions(
    withIgnoreConfig(model.command("export"))
      .description(
        "writes the trained model of a run as a model folder that transformers loads, with adapters merged, or only its adapters",
      )
      .argument(
        "<from>",
        `folder of a run (its newest checkpoint) or of one checkpoint, or a model: ${modelArgument}`,
      )
      .addOption(
        new Option("--best", "for a run: the checkpoint with the best evaluation").conflicts(["step", "all"]),
      )
      .addOption(
        new Option("--step <n>", "for a run: the checkpoint after this step")
          .argParser(stepNumber)
          .conflicts(["best", "all"]),
      )
      .addOption(
        new Option("--all", "for a run: every checkpoint, each in a folder step-N of --out").conflicts([
          "best",
          "step",
        ]),
      )
      .addOption(
        new Option(
          "--adapters",
          "for a run that trains adapters: writes only the adapters, in PEFT's format",
        ).conflicts(["addAdapters", "tokenizer", "maxShardGb"]),
      )
      .addOption(
        new Option(
          "--add-adapters <folder>",
          "for a model: merges the adapters of this folder, PEFT's or of --adapters, into it",
        ).conflicts(["best", "step", "all"]),
      )
      .option(
        "--tokenizer <folder>",
        "model folder with the tokenizer; default: that of the run's base model",
      ),
    exportedOutput.option(),
  ).action(async (from: string, options: ExportFlags) => {
    for (const read of [from, options.addAdapters ?? from]) refuseOwnModel(read, options);
    const { holdsRunModel, readRunAdapters, readRunModel } = await import("@palimpsest/trainer");
    const { readModelInput } = await import("../../models/model-input.js");
    const { loadAdapters, mergeLora, parameterCount, saveAdapters, saveModel } = await import(
      "@palimpsest/model"
    );
    const { tokenizer, addAdapters, dtype, ignoreConfig } = options;
    const written: Parameters<typeof exportedOutput.print>[0][number][] = [];
    for (const { source, out, about } of await wanted(from, options)) {
      if (options.adapters) {
        const { model: config, ...trained } = await readRunAdapters(source);
        await saveAdapters(out, config, trained, dtype);
        const count = Object.values(trained.adapters).reduce((sum, { length }) => sum + length, 0);
        written.push({ folder: out, parameters: count, dtype, adapters: true });
        if (!options.json)
          process.stdout.write(`${out}: adapters of ${count} parameters as ${dtype}${about}\n`);
        continue;
      }
      const given = holdsRunModel(source)
        ? await readRunModel(source, {
            ...modelCache(),
            ...(tokenizer === undefined ? {} : { tokenizerFrom: tokenizer }),
          })
        : await readModelInput(source, ignoreConfig === undefined ? {} : { ignoreConfig });
      const added = addAdapters === undefined ? undefined : await loadAdapters(addAdapters, given.config);
      const exported =
        added === undefined
          ? given
          : {
              ...given,
              parameters: mergeLora(given.config, given.parameters, added.adapters, added.lora, {
                inPlace: true,
              }),
            };
      await saveModel(out, exported, saveOptions(options));
      const parameters = parameterCount(exported.config);
      written.push({ folder: out, parameters, dtype, adapters: false });
      if (!options.json) process.stdout.write(`${out}: ${parameters} parameters as ${dtype}${about}\n`);
    }
    if (options.json) exportedOutput.print(written);
  });
}

interface Export {
  readonly source: string;
  readonly out: string;
  readonly about: string;
}

/** Returns the source and the destination of every export that the flags request. */
async function wanted(from: string, { out, best, step, all }: ExportFlags): Promise<readonly Export[]> {
  if (!best && !all && step === undefined) return [{ source: from, out, about: "" }];
  const { checkpointsOfRun } = await import("@palimpsest/trainer");
  const choice = best ? "best" : step === undefined ? "all" : { step };
  const checkpoints = await checkpointsOfRun(from, choice);
  return checkpoints.map(({ folder, policyVersion, metric }) => ({
    source: folder,
    out: all ? join(out, `step-${policyVersion}`) : out,
    about: `, step ${policyVersion}${metric === null ? "" : `, rated ${metric.toFixed(4)}`}`,
  }));
}

function stepNumber(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError("give the number of a step, such as 100");
  return Number(text);
}
