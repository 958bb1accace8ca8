import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { CheckReferenceOptions, Measure } from "@palimpsest/checks";
import { type Command, Option } from "commander";
import { z } from "zod";
import { JsonOutput } from "../../display/json-output.js";
import { measureSchema } from "../../display/measure-schema.js";
import { formatTable } from "../../display/table.js";
import { existingPath } from "../../input/existing-path.js";
import { stopSignal } from "../../input/signals.js";
import { modelArgument, withIgnoreConfig } from "../../models/model-input.js";

const backends = ["auto", "tensorflow", "wasm", "cpu"] as const;
const modes = ["auto", "eager", "graph", "xla"] as const;

interface CheckOptions {
  readonly reference: string;
  readonly model?: string;
  readonly ignoreConfig?: readonly string[];
  readonly backend: (typeof backends)[number];
  readonly mode: (typeof modes)[number];
  readonly json?: boolean;
}

const output = new JsonOutput(() =>
  z.strictObject({
    passed: z.boolean(),
    backend: z.string(),
    mode: z.enum(modes),
    measures: z.array(measureSchema),
  }),
);

export function addModelCheck(model: Command): void {
  withIgnoreConfig(model.command("check"))
    .description("recomputes a reference's numbers on this machine and prints the differences")
    .requiredOption(
      "--reference <folder>",
      "with reference.json, and for numbers (not texts) reference.safetensors",
    )
    .option("--model <model>", `${modelArgument}; default: the model in the reference's folder`)
    .addOption(new Option("--backend <name>", "backend that computes").choices(backends).default("auto"))
    .addOption(new Option("--mode <name>", "mode in which functions run").choices(modes).default("auto"))
    .addOption(output.option())
    .addHelpText("after", "\nThe exit code is 1 if a measure misses its limit.")
    .action(async (options: CheckOptions) => {
      const { reference } = options;
      const found = existingPath(reference, `--reference ${reference}`, "give the folder of a reference");
      const { loadBackend } = await import("@palimpsest/jit");
      const { passes } = await import("@palimpsest/checks");
      const backend = await loadBackend({ prefer: options.backend });
      const settings = { backend, mode: options.mode, signal: stopSignal() };
      const measures = await measured(options, found.isFile(), settings);
      const passed = measures.every(passes);
      const judged = measures.map((measure) => ({ ...measure, passed: passes(measure) }));
      if (options.json) {
        output.print({ passed, backend: backend.name, mode: options.mode, measures: judged });
      } else {
        const rows = judged.map((each) => [
          each.passed ? "ok" : "MISSED",
          each.name,
          shown(each.value),
          `${each.goal === "atMost" ? "≤" : "≥"} ${shown(each.bar)}`,
          each.where ?? "",
        ]);
        process.stdout.write(`${formatTable(["", "measure", "value", "limit", "worst at"], rows)}\n`);
        process.stdout.write(`\n${verdict(judged)} (${backend.name}, mode ${options.mode})\n`);
      }
      if (!passed) process.exitCode = 1;
    });
}

/** Compares a model with a reference. One of texts has the field `cases`; any other reference has numbers. */
async function measured(
  options: CheckOptions,
  isFile: boolean,
  settings: CheckReferenceOptions,
): Promise<readonly Measure[]> {
  const { checkReference, checkTexts, readReferenceNumbers, readReferenceTexts } = await import(
    "@palimpsest/checks"
  );
  const { readModelInput } = await import("../../models/model-input.js");
  const path = isFile ? options.reference : join(options.reference, "reference.json");
  const folder = isFile ? join(options.reference, "..") : options.reference;
  const source = options.model ?? folder;
  if (await holdsTexts(path)) {
    const cases = await readReferenceTexts(path);
    return await checkTexts(await readModelInput(source, options), cases, settings);
  }
  const reference = await readReferenceNumbers(folder);
  return await checkReference(await readModelInput(source, options), reference, settings);
}

async function holdsTexts(path: string): Promise<boolean> {
  try {
    const json: unknown = JSON.parse(await readFile(path, "utf8"));
    return typeof json === "object" && json !== null && "cases" in json;
  } catch {
    // The file is read again afterwards, which reports its errors.
    return false;
  }
}

function verdict(measures: readonly { readonly passed: boolean }[]): string {
  const missed = measures.filter(({ passed }) => !passed).length;
  return missed === 0
    ? `all ${measures.length} measures are within their limits`
    : `${missed} of ${measures.length} measures missed their limits`;
}

function shown(value: number): string {
  if (Number.isInteger(value)) return String(value);
  return Math.abs(value) > 0.9 && Math.abs(value) < 1 ? value.toFixed(9) : value.toExponential(1);
}
