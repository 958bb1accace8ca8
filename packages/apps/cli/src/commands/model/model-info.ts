import type { Command } from "commander";
import { formatBytes } from "../../display/bytes.js";
import { formatCount } from "../../display/count.js";
import { formatTable } from "../../display/table.js";
import { modelArgument, withIgnoreConfig } from "../../models/model-input.js";

interface InfoOptions {
  readonly json?: boolean;
  readonly tensors?: boolean;
  readonly hash?: boolean;
  readonly ignoreConfig?: readonly string[];
}

export function addModelInfo(model: Command): void {
  withIgnoreConfig(model.command("info"))
    .description("describes a model and its memory needs, from its headers")
    .argument("<model>", modelArgument)
    .option("--tensors", "also lists every tensor: name, dtype, shape, bytes")
    .option("--hash", "also prints the hash of the weights, which reads them all")
    .option("--json", "as JSON")
    .action(async (name: string, options: InfoOptions) => {
      const { inspectModelInput, readModelInput } = await import("../../models/model-input.js");
      const { hashWeights, memoryNeeds, parameterCount } = await import("@palimpsest/model");
      const { path, format, config, tensors, weightFiles, tokenizer } = await inspectModelInput(
        name,
        options,
      );
      const weightBytes = [...tensors.values()].reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
      const memory = memoryNeeds(config);
      const facts = {
        path,
        format,
        ...config,
        parameters: parameterCount(config),
        dtypes: [...new Set([...tensors.values()].map(({ dtype }) => dtype))].join(", "),
        weightFiles: weightFiles.length,
        weightBytes,
        ...memory,
        tokenizer: tokenizer?.vocabSize ?? null,
        endToken: tokenizer?.endToken ?? null,
        chatTemplate: tokenizer?.configJson["chat_template"] !== undefined,
        ...(options.hash
          ? { weightsHash: hashWeights((await readModelInput(name, options)).parameters) }
          : {}),
      };
      const listed = [...tensors].map(([tensor, { dtype, shape, sizeBytes }]) => ({
        name: tensor,
        dtype,
        shape,
        sizeBytes,
      }));
      if (options.json) {
        const json = options.tensors ? { ...facts, tensors: listed } : facts;
        process.stdout.write(`${JSON.stringify(json, null, 2)}\n`);
        return;
      }
      const rows = Object.entries(facts).map(([field, value]) => [field, shown(field, value)]);
      process.stdout.write(`${formatTable(["field", "value"], rows)}\n`);
      if (options.tensors) {
        const table = listed.map((entry) => [
          entry.name,
          entry.dtype,
          `[${entry.shape.join(", ")}]`,
          formatBytes(entry.sizeBytes),
        ]);
        process.stdout.write(`\n${formatTable(["tensor", "dtype", "shape", "bytes"], table)}\n`);
      }
    });
}

function shown(field: string, value: unknown): string {
  if (typeof value === "number" && field.endsWith("Bytes")) return formatBytes(value);
  if (typeof value === "number" && field === "parameters") return `${formatCount(value)} (${value})`;
  return typeof value === "object" && value !== null ? JSON.stringify(value) : String(value);
}
