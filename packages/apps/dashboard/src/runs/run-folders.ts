/** Finds the runs below some folders. A run's folder has a run.json, a folder `traces`, or trace files. */

import { type Dirent, existsSync } from "node:fs";
import { open, readdir, readFile, stat } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { reasonText } from "@palimpsest/std/input";
import * as z from "zod";
import type { RunRow } from "../api/runs.js";

/** Only the newest runs are listed. */
const maxRuns = 500;
const maxTraceFiles = 10_000;
/** Maximum bytes of a run.json, which contains the complete recipe. */
const maxRunFileBytes = 4 * 1024 * 1024;
/** Number of bytes at the end of metrics.jsonl that are searched for its last line, which has a few KiB. */
const tailBytes = 64 * 1024;
const freshMs = 500;

const runFileSchema = z.object({
  runId: z.string(),
  createdAt: z.string(),
  recipe: z.looseObject({
    name: z.string().optional(),
    agent: z.looseObject({ kind: z.string().optional() }).optional(),
    train: z.looseObject({ steps: z.number().optional() }).optional(),
  }),
});
const lastLineSchema = z.object({ step: z.number(), rewardMean: z.number().optional() });

export interface TraceFileFact {
  readonly path: string;
  readonly sizeBytes: number;
  readonly mtimeMs: number;
  /** The inode number, which differs when the file has been replaced. */
  readonly inode: number;
}

export class RunFolders {
  readonly #roots: readonly string[];
  #looking: Promise<readonly RunRow[]> | undefined;
  #freshUntilMs = 0;

  constructor(roots: readonly string[]) {
    this.#roots = roots.map((root) => resolve(root));
  }

  get roots(): readonly string[] {
    return this.#roots;
  }

  /** Returns the folders of runs by the ids that addresses contain. No other folder is ever read. */
  async folders(): Promise<Map<string, string>> {
    const found = new Map<string, string>();
    for (const root of this.#roots) {
      if (await isRun(root)) {
        add(found, root);
        continue;
      }
      const entries = await readdir(root, { withFileTypes: true }).catch((): Dirent[] => []);
      const names = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
      // Names of runs end with their time, so that of runs of one recipe the newest come first.
      for (const name of names.sort().reverse()) {
        if (found.size >= maxRuns) break;
        if (await isRun(join(root, name))) add(found, join(root, name));
      }
    }
    return found;
  }

  /** Returns recent rows. They are cached, so that any number of readers together use at most a tenth of one thread. */
  async rows(): Promise<readonly RunRow[]> {
    if (this.#looking !== undefined && performance.now() < this.#freshUntilMs) return await this.#looking;
    const beganAt = performance.now();
    // Callers that come before this read has finished wait for its rows.
    this.#freshUntilMs = Number.POSITIVE_INFINITY;
    this.#looking = this.#look().finally(() => {
      const now = performance.now();
      this.#freshUntilMs = now + Math.max(freshMs, 9 * (now - beganAt));
    });
    return await this.#looking;
  }

  async #look(): Promise<RunRow[]> {
    const folders = [...(await this.folders())];
    const rows = await Promise.all(folders.map(([id, folder]) => rowOf(id, folder)));
    return rows.sort((a, b) => b.createdAtMs - a.createdAtMs);
  }
}

/** Returns the trace files of a run in the order of their steps. */
export async function traceFilesOf(folder: string): Promise<TraceFileFact[]> {
  const files: TraceFileFact[] = [];
  for (const place of [join(folder, "traces"), folder]) {
    const names = await readdir(place).catch((): string[] => []);
    const traces = names.filter((name) => name.endsWith(".jsonl") && !notTraces.has(name)).sort();
    for (const name of traces.slice(-maxTraceFiles)) {
      const path = join(place, name);
      const facts = await stat(path).catch(() => undefined);
      if (facts?.isFile())
        files.push({ path, sizeBytes: facts.size, mtimeMs: facts.mtimeMs, inode: facts.ino });
    }
  }
  return files;
}

const notTraces = new Set(["metrics.jsonl", "predictions.jsonl"]);

async function isRun(folder: string): Promise<boolean> {
  if (existsSync(join(folder, "run.json")) || existsSync(join(folder, "traces"))) return true;
  const names = await readdir(folder).catch((): string[] => []);
  return names.some((name) => name.endsWith(".jsonl"));
}

function add(found: Map<string, string>, folder: string): void {
  const name = basename(folder);
  let id = name;
  for (let more = 2; found.has(id); more++) id = `${name}~${more}`;
  found.set(id, folder);
}

async function rowOf(id: string, folder: string): Promise<RunRow> {
  const traces = await traceFilesOf(folder);
  const counted = {
    traceFiles: traces.length,
    traceBytes: traces.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
  };
  const last = await lastLine(join(folder, "metrics.jsonl"));
  const progress = {
    lastStep: last?.step ?? 0,
    ...(last?.rewardMean === undefined ? {} : { lastReward: last.rewardMean }),
  };
  const plain = { id, name: id, agent: "", runId: "", steps: 0, ...progress, ...counted };
  const file = join(folder, "run.json");
  const facts = await stat(file).catch(() => undefined);
  if (facts === undefined) {
    const createdAtMs = traces.at(-1)?.mtimeMs ?? 0;
    return { ...plain, createdAtMs, problem: "" };
  }
  try {
    // Opening a pipe would keep a thread of the server until somebody writes into it.
    if (!facts.isFile()) throw new Error("is not a regular file");
    if (facts.size > maxRunFileBytes) throw new Error(`has ${facts.size} bytes`);
    const { runId, createdAt, recipe } = runFileSchema.parse(JSON.parse(await readFile(file, "utf8")));
    return {
      ...plain,
      runId,
      name: recipe.name ?? id,
      agent: recipe.agent?.kind ?? "",
      steps: recipe.train?.steps ?? 0,
      createdAtMs: Date.parse(createdAt) || facts.mtimeMs,
      problem: "",
    };
  } catch (reason) {
    return {
      ...plain,
      createdAtMs: facts.mtimeMs,
      problem: `run.json cannot be read: ${reasonText(reason)}`,
    };
  }
}

/** Returns the last complete line; undefined when there is none. */
async function lastLine(path: string): Promise<z.infer<typeof lastLineSchema> | undefined> {
  const facts = await stat(path).catch(() => undefined);
  const file = facts?.isFile() ? await open(path, "r").catch(() => undefined) : undefined;
  if (file === undefined) return undefined;
  try {
    const { size } = await file.stat();
    const length = Math.min(size, tailBytes);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, size - length);
    const lines = buffer.subarray(0, bytesRead).toString("utf8").split("\n");
    // The last piece is empty, or a line that is being written.
    const parsed = lastLineSchema.safeParse(JSON.parse(lines.at(-2) ?? "null"));
    return parsed.data;
  } catch {
    return undefined;
  } finally {
    await file.close();
  }
}
