import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { type ResolveOptions, resolveModel } from "@palimpsest/model";
import { pathError } from "@palimpsest/std/input";
import { PalimpsestError } from "@palimpsest/wire";
import { z } from "zod";

const nonEmpty = z.string().min(1);

/** Folder of the included recipes and base models: next to the package's code, or at the root of a checkout. */
export const builtinRecipesDir =
  ["../../recipes", "../../../../../recipes"]
    .map((place) => fileURLToPath(new URL(place, import.meta.url)))
    .find((folder) => existsSync(folder)) ?? "recipes";

const ways = ["path", "name", "hub", "checkpoint"] as const;

/** The source of a run's initial weights, tokenizer and chat template. */
export const modelSourceSchema = z
  .strictObject({
    path: nonEmpty
      .optional()
      .describe(
        "model folder (config.json, safetensors, tokenizer.json), relative to the recipe; or builtin:NAME",
      )
      .meta({ format: "path", builtin: "bases" }),
    name: nonEmpty
      .optional()
      .describe(
        "short name of a model that Palimpsest knows, such as smollm2-135m-instruct; it is downloaded if it is missing",
      ),
    hub: z
      .string()
      .regex(
        /^[\w][\w.-]*\/[\w][\w.-]*$/,
        "must be the id of a model on a hub, such as Qwen/Qwen2.5-0.5B-Instruct",
      )
      .optional()
      .describe(
        "id of a model on a Hugging Face hub (HF_ENDPOINT, HF_TOKEN); it is downloaded if it is missing",
      ),
    revision: nonEmpty.optional().describe("branch, tag or commit of `hub`; absent: main"),
    checkpoint: nonEmpty
      .optional()
      .describe("folder of another run (its newest checkpoint) or of one checkpoint, relative to the recipe")
      .meta({ format: "path" }),
    ignoreConfig: z
      .array(nonEmpty)
      .optional()
      .describe(
        "unknown fields of the model's config.json that do not change what it computes; each other unknown field is refused",
      ),
    shape: nonEmpty
      .optional()
      .describe(
        "folder with the model's config.json, relative to the recipe; or builtin:NAME. `train --dry-run` plans with it if the model is not on this machine",
      )
      .meta({ format: "path", builtin: "shapes" }),
  })
  .check(({ value, issues }) => {
    const given = ways.filter((way) => value[way] !== undefined);
    if (given.length !== 1) {
      const what = given.length === 0 ? "nothing is set" : `${given.join(" and ")} are set`;
      issues.push({
        code: "custom",
        input: value,
        message: `${what}; set exactly one of ${ways.join(", ")}`,
      });
    }
    if (value.revision !== undefined && value.hub === undefined) {
      const message = "revision has no effect without hub; set hub, or leave revision out";
      issues.push({ code: "custom", input: value, path: ["revision"], message });
    }
  });
export type ModelSource = z.infer<typeof modelSourceSchema>;

/** Where models of a hub are cached, and how the hub is reached. */
export type ModelCache = Pick<ResolveOptions, "cacheDir" | "hubCacheDir" | "endpoint" | "token" | "fetch">;
export type ResolveSourceOptions = ModelCache & Pick<ResolveOptions, "signal" | "onProgress">;

/**
 * Returns the folder of a source that is a path, a name or an id of a hub, downloading it into the cache if it is missing.
 * @throws {PalimpsestError} CONFIG_INVALID naming the field
 */
export async function resolveSource(source: ModelSource, options: ResolveSourceOptions): Promise<string> {
  const { path, name, hub, revision } = source;
  if (path !== undefined) {
    if (existsSync(path)) return path;
    throw new PalimpsestError(
      "CONFIG_INVALID",
      `model.path: ${path} does not exist; give a model's folder or file, relative to the recipe`,
      { cause: pathError("ENOENT", path) },
    );
  }
  const field = hub === undefined ? "name" : "hub";
  const wanted = hub === undefined ? (name ?? "") : `${hub}${revision === undefined ? "" : `@${revision}`}`;
  try {
    return await resolveModel(wanted, options);
  } catch (reason) {
    options.signal?.throwIfAborted();
    throw new PalimpsestError("CONFIG_INVALID", `model.${field}: ${messageOf(reason)}`, { cause: reason });
  }
}

function messageOf(reason: unknown): string {
  const text = reason instanceof Error ? reason.message : String(reason);
  return text.replace(/^\[\w+\] /, "");
}
