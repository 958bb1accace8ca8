import { existsSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { type DurableFiles, durableFiles, LineFile, makeFolder, replaceFile } from "@palimpsest/std/files";
import { newId, PalimpsestError } from "@palimpsest/wire";
import { z } from "zod";
import type { BuiltModule } from "../modules/build-module.js";
import { keptModule, keptRecipe } from "../modules/recipe-modules.js";
import { parseConfig } from "../recipe/config-error.js";
import { type DataFile, dataFileSchema, dataFilesOf } from "../recipe/data-files.js";
import type { Recipe } from "../recipe/recipe-schema.js";
import { type DiskFullOptions, whenDiskHasSpace } from "./disk-full.js";

const runFileSchema = z.strictObject({
  runId: z.string().min(1),
  createdAt: z.string(),
  shuffleRewards: z.boolean(),
  recipe: z.json(),
  /** The user's code with which the run was started; its bundles are in the folder `modules`. */
  modules: z.array(z.strictObject({ field: z.string(), file: z.string(), sha256: z.string() })).default([]),
  /** The files of its questions; absent for a run that was started before they were recorded. */
  data: z.array(dataFileSchema).default([]),
});

/** The folder of one run: its recipe, checkpoints, metrics and report. */
export interface RunFolder {
  readonly path: string;
  readonly runId: string;
  /** Start time of the run. */
  readonly startedAtMs: number;
  /** True if an earlier driver started the run. */
  readonly resumed: boolean;
  /** Appends a line, which is on disk when the promise resolves; nothing of it is left if the disk is full. */
  appendMetrics(line: object): Promise<void>;
  /** Step of the last line; 0 if there is none. */
  lastMetricsStep(): number;
  /**
   * Returns what `make` gives, and keeps it in `file` for drivers that resume the run. `make` is called only if the
   * file does not exist and the result can still be made (`possible`). If the disk is full, the result waits for space
   * and is not made again.
   */
  once<T extends object>(
    file: string,
    possible: boolean,
    make: () => Promise<T | undefined>,
  ): Promise<T | undefined>;
}

export interface RunFolderOptions {
  /** How to wait for disk space; default: silently, for as long as necessary. */
  readonly waiting?: DiskFullOptions;
  readonly files?: DurableFiles;
}

const two = (value: number) => String(value).padStart(2, "0");

/** `quickstart-20260131-142530`: names the recipe and sorts by time. */
export function runFolderName(name: string, now: Date): string {
  const day = `${now.getFullYear()}${two(now.getMonth() + 1)}${two(now.getDate())}`;
  return `${name}-${day}-${two(now.getHours())}${two(now.getMinutes())}${two(now.getSeconds())}`;
}

/**
 * Opens the folder at `path`: creates a run, or resumes the existing one, which may get more steps than it had.
 * @param built the modules of the recipe, kept with a new run
 * @throws {PalimpsestError} CONFIG_INVALID if the folder belongs to another recipe, or if a module or a file of
 *   questions has changed since
 */
export async function openRunFolder(
  path: string,
  recipe: Recipe,
  shuffleRewards: boolean,
  built: readonly BuiltModule[] = [],
  { waiting = { onWait: () => undefined }, files = durableFiles }: RunFolderOptions = {},
): Promise<RunFolder> {
  const folder = resolve(path);
  const file = join(folder, "run.json");
  const resolved = JSON.parse(JSON.stringify(keptRecipe(recipe, built))) as z.infer<
    ReturnType<typeof z.json>
  >;
  const once: RunFolder["once"] = async <T extends object>(
    name: string,
    possible: boolean,
    make: () => Promise<T | undefined>,
  ) => {
    const kept = join(folder, name);
    // Only this function writes the file, atomically.
    if (existsSync(kept)) return JSON.parse(readFileSync(kept, "utf8")) as T;
    const made = possible ? await make() : undefined;
    if (made) await whenDiskHasSpace(() => writeWhole(kept, made, files), waiting);
    return made;
  };
  const metrics = join(folder, "metrics.jsonl");
  const kept = (file: LineFile) => ({
    appendMetrics: (line: object) => file.append(line),
    lastMetricsStep: () => lastStepIn(metrics),
    once,
  });
  if (existsSync(file)) {
    const saved = parseConfig(runFileSchema, JSON.parse(readFileSync(file, "utf8")), file);
    refuseChanged(folder, saved.modules, built);
    const extended = withLarger(saved.recipe, resolved);
    const difference =
      recipeDifference(extended, resolved) ??
      recipeDifference({ shuffleRewards: saved.shuffleRewards }, { shuffleRewards });
    if (difference !== undefined) {
      throw new PalimpsestError(
        "CONFIG_INVALID",
        `${folder} contains a run of another recipe: ${difference}; give another folder with --run-dir, or the run's recipe, in which only ${extendable.join(" and ")} may be larger`,
      );
    }
    refuseOtherData(folder, saved.data, await dataFilesOf(recipe, waiting.signal));
    if (recipeDifference(saved.recipe, extended) !== undefined)
      await writeWhole(file, { ...saved, recipe: extended }, files);
    const startedAtMs = Date.parse(saved.createdAt);
    return {
      path: folder,
      runId: saved.runId,
      startedAtMs,
      resumed: true,
      ...kept(await LineFile.open(metrics)),
    };
  }
  const data = await dataFilesOf(recipe, waiting.signal);
  makeFolder(folder);
  const runId = newId("run");
  const now = new Date();
  const modules = built.map(({ field, file: name, bundle }) => ({
    field,
    file: name,
    sha256: bundle.sha256,
  }));
  for (const { bundle } of built) {
    makeFolder(join(folder, "modules"));
    await files.write(join(folder, keptModule(bundle.sha256)), bundle.bytes);
  }
  const content = { runId, createdAt: now.toISOString(), shuffleRewards, recipe: resolved, modules, data };
  await writeWhole(file, content, files);
  return {
    path: folder,
    runId,
    startedAtMs: now.getTime(),
    resumed: false,
    ...kept(await LineFile.open(metrics)),
  };
}

/** A run is resumed only with the code with which it was started. */
function refuseChanged(
  folder: string,
  saved: z.infer<typeof runFileSchema>["modules"],
  built: readonly BuiltModule[],
): void {
  for (const { field, file, bundle } of built) {
    const before = saved.find((one) => one.field === field);
    if (before === undefined || before.sha256 === bundle.sha256) continue;
    throw new PalimpsestError(
      "CONFIG_INVALID",
      `${field}.module: ${file} has changed since the run in ${folder} was begun (then ${before.sha256.slice(0, 12)}…, now ${bundle.sha256.slice(0, 12)}…); restore the old module, or begin another run with another --run-dir`,
    );
  }
}

/** A run is resumed only with the questions with which it was started. */
function refuseOtherData(folder: string, saved: readonly DataFile[], present: readonly DataFile[]): void {
  for (const { field, path, sizeBytes, sha256 } of present) {
    const before = saved.find((one) => one.field === field);
    if (before === undefined || before.sha256 === sha256) continue;
    throw new PalimpsestError(
      "CONFIG_INVALID",
      `${field}: ${path} has changed since the run in ${folder} was begun (then ${before.sizeBytes} bytes, ${before.sha256.slice(0, 12)}…, now ${sizeBytes} bytes, ${sha256.slice(0, 12)}…); restore the old file, or begin another run with another --run-dir`,
    );
  }
}

/** Writes the file atomically; it is on disk when the promise resolves. */
async function writeWhole(path: string, content: object, files: DurableFiles): Promise<void> {
  makeFolder(dirname(path));
  await replaceFile(path, `${JSON.stringify(content, null, 2)}\n`, files);
}

/** Returns the step of the last line; 0 if there is none. */
function lastStepIn(path: string): number {
  const [line] = existsSync(path) ? readFileSync(path, "utf8").trimEnd().split("\n").slice(-1) : [];
  return line ? z.object({ step: z.int() }).parse(JSON.parse(line)).step : 0;
}

const longestShown = 60;

/** Settings of a run that may be raised when it is opened again: nothing of the steps before depends on them. */
const extendable = ["train.steps", "learner.schedule.totalSteps"] as const;

/** Returns the saved recipe with those numbers of the present one that make the run longer. */
function withLarger<T>(there: T, here: unknown): T {
  return extendable.reduce((recipe, path) => {
    const keys = path.split(".");
    const [before, now] = [valueAt(there, keys), valueAt(here, keys)];
    const isLarger = typeof before === "number" && typeof now === "number" && now > before;
    return isLarger ? withValue(recipe, keys, now) : recipe;
  }, there);
}

function valueAt(json: unknown, keys: readonly string[]): unknown {
  return keys.reduce<unknown>((at, key) => (isObject(at) ? at[key] : undefined), json);
}

function withValue<T>(json: T, [key, ...rest]: readonly string[], value: unknown): T {
  if (key === undefined || !isObject(json)) return json;
  return { ...json, [key]: rest.length === 0 ? value : withValue(json[key], rest, value) };
}

/** Describes the first field in which two recipes, as plain JSON, differ: its path and both values. Undefined if they are the same. */
function recipeDifference(there: unknown, here: unknown, path = ""): string | undefined {
  if (isObject(there) && isObject(here)) {
    for (const key of new Set([...Object.keys(there), ...Object.keys(here)])) {
      const found = recipeDifference(there[key], here[key], path === "" ? key : `${path}.${key}`);
      if (found !== undefined) return found;
    }
    return undefined;
  }
  if (JSON.stringify(there) === JSON.stringify(here)) return undefined;
  return `${path} is ${shown(there)} there and ${shown(here)} here`;
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? "absent";
  return text.length <= longestShown ? text : `${text.slice(0, longestShown)}…`;
}
