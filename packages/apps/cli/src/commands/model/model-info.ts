import type { Command } from "commander";
import { z } from "zod";
import { formatBytes } from "../../display/bytes.js";
import { formatCount } from "../../display/count.js";
import { JsonOutput } from "../../display/json-output.js";
import { formatTable } from "../../display/table.js";
import { modelArgument, withIgnoreConfig } from "../../models/model-input.js";

interface InfoOptions {
  readonly json?: boolean;
  readonly tensors?: boolean;
  readonly hash?: boolean;
  readonly ignoreConfig?: readonly string[];
}

const output = new JsonOutput(() =>
  z
    .object({
      path: z.string(),
      format: z.string(),
      parameters: z.number(),
      dtypes: z.string(),
      weightFiles: z.int(),
      weightBytes: z.number(),
      inMemoryBytes: z.number(),
      cachePer1000TokensBytes: z.number(),
      samplingInt8Bytes: z.number(),
      samplingFloat32Bytes: z.number(),
      fullUpdateBytes: z.number(),
      fullUpdateWithReferenceBytes: z.number(),
      tokenizer: z.int().nullable().describe("size of its vocabulary"),
      endToken: z.string().nullable(),
      chatTemplate: z.boolean(),
      weightsHash: z.string().optional(),
      tensors: z
        .array(
          z.strictObject({
            name: z.string(),
            dtype: z.string(),
            shape: z.array(z.int()),
            sizeBytes: z.number(),
          }),
        )
        .optional(),
    })
    .describe("and the settings of its architecture"),
);

export function addModelInfo(model: Command): void {
  withIgnoreConfig(model.command("info"))
    .description("describes a model and its memory needs, from its headers")
    .argument("<model>", modelArgument)
    .option("--tensors", "also lists every tensor: name, dtype, shape, bytes")
    .option("--hash", "also prints the hash of the weights, which reads them all")
    .addOption(output.option())
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
        output.print(options.tensors ? { ...facts, tensors: listed } : facts);
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
