import { existsSync } from "node:fs";
import { isAbsolute, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { type ResolveOptions, resolveModel } from "@palimpsest/model";
import { PalimpsestError } from "@palimpsest/wire";
import { z } from "zod";

const builtinPrefix = "builtin:";

/** Folder of the included recipes and base models: next to the package's code, or at the root of a checkout. */
export const builtinRecipesDir =
  ["../recipes", "../../../recipes"]
    .map((place) => fileURLToPath(new URL(place, import.meta.url)))
    .find((folder) => existsSync(folder)) ?? "recipes";

const ways = ["path", "name", "hub", "checkpoint"] as const;

/** The source of a run's initial weights, tokenizer and chat template. */
export const modelSourceSchema = z
  .strictObject({
    path: z
      .string()
      .min(1)
      .optional()
      .describe(
        "model folder (config.json, safetensors, tokenizer.json), relative to the recipe; or builtin:NAME",
      ),
    name: z
      .string()
      .min(1)
      .optional()
      .describe(
        "a model that has a short name here, such as smollm2-135m-instruct; downloaded if it is missing",
      ),
    hub: z
      .string()
      .regex(/^[\w][\w.-]*\/[\w][\w.-]*$/, "an id of a hub, such as Qwen/Qwen2.5-0.5B-Instruct")
      .optional()
      .describe("id on a Hugging Face hub (HF_ENDPOINT, HF_TOKEN); downloaded if it is missing"),
    revision: z.string().min(1).optional().describe("branch, tag or commit of `hub`; absent: main"),
    checkpoint: z
      .string()
      .min(1)
      .optional()
      .describe("folder of another run (its newest checkpoint) or of one checkpoint, relative to the recipe"),
    shape: z
      .string()
      .min(1)
      .optional()
      .describe(
        "folder with the model's config.json, relative to the recipe; or builtin:NAME. `train --dry-run` plans with it if the model is not on this machine",
      ),
  })
  .check(({ value, issues }) => {
    const given = ways.filter((way) => value[way] !== undefined);
    if (given.length !== 1) {
      const what = given.length === 0 ? "nothing is given" : `${given.join(" and ")} are given`;
      issues.push({ code: "custom", input: value, message: `${what}; give one of ${ways.join(", ")}` });
    }
    if (value.revision !== undefined && value.hub === undefined) {
      const message = "revision belongs to hub; leave it out or give hub";
      issues.push({ code: "custom", input: value, path: ["revision"], message });
    }
  });
export type ModelSource = z.infer<typeof modelSourceSchema>;

/** With absolute paths, builtin ones too. */
export function absoluteSource(source: ModelSource, baseDir: string): ModelSource {
  const { path, checkpoint, shape } = source;
  return {
    ...source,
    ...(path === undefined ? {} : { path: absolutePath(path, baseDir, "bases") }),
    ...(checkpoint === undefined ? {} : { checkpoint: resolve(baseDir, checkpoint) }),
    ...(shape === undefined ? {} : { shape: absolutePath(shape, baseDir, "shapes") }),
  };
}

function absolutePath(path: string, baseDir: string, builtinFolder: string): string {
  if (path.startsWith(builtinPrefix))
    return resolve(builtinRecipesDir, builtinFolder, path.slice(builtinPrefix.length));
  return isAbsolute(path) ? path : resolve(baseDir, path);
}

/** The source in a form that means the same in any folder and on any machine with this installation. */
export function portableSource(source: ModelSource, baseDir: string): ModelSource {
  const { path, shape } = source;
  return {
    ...absoluteSource(source, baseDir),
    ...(path?.startsWith(builtinPrefix) ? { path } : {}),
    ...(shape?.startsWith(builtinPrefix) ? { shape } : {}),
  };
}

export type ModelCache = Pick<ResolveOptions, "cacheDir" | "endpoint" | "token">;
export type ResolveSourceOptions = ModelCache & Pick<ResolveOptions, "signal" | "onProgress">;

/**
 * Returns the folder of a source that is a path, a name or an id of a hub, downloading it into the cache if it is missing.
 * @throws {PalimpsestError} CONFIG_INVALID naming the field
 */
export async function resolveSource(source: ModelSource, options: ResolveSourceOptions): Promise<string> {
  const { path, name, hub, revision } = source;
  if (path !== undefined) return path;
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
