import type { Command } from "commander";
import { z } from "zod";
import { formatBytes } from "../../display/bytes.js";
import { formatCount } from "../../display/count.js";
import { JsonOutput } from "../../display/json-output.js";
import { formatTable } from "../../display/table.js";
import { modelCache } from "../../models/model-cache.js";

const notes = `Memory is that of a process which answers one request of 4,096 tokens on a CPU, with a copy of the weights in int8 or
float32 (--single-weights). Licenses other than Apache-2.0: gated models are given only to accounts that have accepted
the license on the model's page; set HF_TOKEN to a token of that account.`;

const output = new JsonOutput(() =>
  z.strictObject({
    freeBytes: z.number(),
    models: z.array(
      z.strictObject({
        name: z.string(),
        description: z.string(),
        revision: z.string().nullable(),
        gated: z.boolean(),
        parameters: z.number(),
        weightBytes: z.number(),
        cachePer1000TokensBytes: z.number(),
        samplingInt8Bytes: z.number(),
        samplingFloat32Bytes: z.number(),
        fits: z.boolean(),
        folder: z.string().nullable().describe("where it is on this machine"),
      }),
    ),
  }),
);

export function addModelList(model: Command): void {
  model
    .command("list")
    .description("lists the models that have a short name: what they need, and which are on this machine")
    .addOption(output.option())
    .addHelpText("after", `\n${notes}`)
    .action(async ({ json }: { readonly json?: boolean }) => {
      const { findKnownModel, knownModels, memoryNeeds, parameterCount } = await import("@palimpsest/model");
      const places = modelCache();
      const freeBytes = process.availableMemory();
      const models = [];
      for (const [name, known] of Object.entries(knownModels)) {
        const { samplingInt8Bytes, samplingFloat32Bytes, cachePer1000TokensBytes, inMemoryBytes } =
          memoryNeeds(known.config);
        models.push({
          name,
          description: known.description,
          revision: "repo" in known ? known.revision : null,
          gated: "repo" in known && known.gated,
          parameters: parameterCount(known.config),
          weightBytes: inMemoryBytes,
          cachePer1000TokensBytes,
          samplingInt8Bytes,
          samplingFloat32Bytes,
          fits: samplingInt8Bytes <= freeBytes,
          folder: (await findKnownModel(name, places)) ?? null,
        });
      }
      if (json) {
        output.print({ freeBytes, models });
        return;
      }
      const rows = models.map((one) => [
        one.name,
        formatCount(one.parameters),
        formatBytes(one.samplingInt8Bytes),
        formatBytes(one.samplingFloat32Bytes),
        formatBytes(one.cachePer1000TokensBytes),
        one.folder !== null ? "here" : one.gated ? "gated" : "",
        one.fits ? "yes" : "no",
        `${one.description}${one.revision === null ? "" : ` @${one.revision.slice(0, 12)}`}`,
      ]);
      const headings = ["name", "parameters", "int8", "float32", "cache/1000", "state", "fits", "model"];
      process.stdout.write(`${formatTable(headings, rows)}\n${formatBytes(freeBytes)} of memory are free\n`);
    });
}
