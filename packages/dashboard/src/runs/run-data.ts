/** What is told of runs: the same answers for the server's routes and for files that are exported. */
import { open } from "node:fs/promises";
import { PalimpsestError } from "@palimpsest/wire";
import type { Episodes, Metrics, runsSchema } from "../api/runs.js";
import { EpisodeIndex } from "./episode-index.js";
import { RunFolders } from "./run-folders.js";
import { RunMetrics } from "./run-metrics.js";
import { maxLineBytes } from "./scan-file.js";
import { Scanner } from "./scanner.js";

/** Runs whose rows, and whose curves, are kept; the one that was asked for the longest ago goes. */
const maxKept = 8;

export class RunData {
  readonly #folders: RunFolders;
  readonly #scanner = new Scanner();
  readonly #indexes = new Map<string, EpisodeIndex>();
  readonly #curves = new Map<string, RunMetrics>();

  constructor(roots: readonly string[]) {
    this.#folders = new RunFolders(roots);
  }

  async runs(): Promise<ReturnType<typeof runsSchema.parse>> {
    return { rows: [...(await this.#folders.rows())], folders: [...this.#folders.roots] };
  }

  async metrics(id: string): Promise<Metrics> {
    const folder = await this.#folder(id);
    return await keptOf(this.#curves, folder, () => new RunMetrics(folder)).read();
  }

  async episodes(id: string, from: number, limit: number): Promise<Episodes> {
    return await (await this.#index(id)).page(from, limit);
  }

  /** The trace's own line, JSON. @throws {PalimpsestError} NOT_FOUND */
  async episode(id: string, at: number, generation?: number): Promise<Buffer> {
    const found = await (await this.#index(id)).place(at);
    if (found === undefined || (generation !== undefined && generation !== found.generation))
      throw new PalimpsestError(
        "NOT_FOUND",
        `run ${id} has no episode ${at} any more: traces of old steps are removed`,
      );
    const { path, offsetBytes, sizeBytes } = found.place;
    if (sizeBytes > maxLineBytes)
      throw new PalimpsestError("LIMIT_EXCEEDED", `episode ${at} has ${sizeBytes} bytes`);
    const file = await open(path, "r");
    try {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(sizeBytes), 0, sizeBytes, offsetBytes);
      return buffer.subarray(0, bytesRead);
    } finally {
      await file.close();
    }
  }

  /** Resolves when all traces of a run have been read. */
  async complete(id: string): Promise<void> {
    await (await this.#index(id)).complete();
  }

  async close(): Promise<void> {
    await this.#scanner.close();
  }

  async #folder(id: string): Promise<string> {
    const folder = (await this.#folders.folders()).get(id);
    if (folder !== undefined) return folder;
    throw new PalimpsestError("NOT_FOUND", `there is no run ${id} in ${this.#folders.roots.join(", ")}`);
  }

  async #index(id: string): Promise<EpisodeIndex> {
    const folder = await this.#folder(id);
    return keptOf(this.#indexes, folder, () => new EpisodeIndex(folder, this.#scanner));
  }
}

/** The one of a folder, which becomes the newest; the oldest goes. */
function keptOf<One>(kept: Map<string, One>, folder: string, make: () => One): One {
  const one = kept.get(folder) ?? make();
  kept.delete(folder);
  kept.set(folder, one);
  for (const oldest of kept.keys()) {
    if (kept.size <= maxKept) break;
    kept.delete(oldest);
  }
  return one;
}
