/** The answers about runs, which are the same for the server's routes and for exported files. */
import { open } from "node:fs/promises";
import { PalimpsestError } from "@palimpsest/wire";
import type { Episodes, Metrics, runsSchema } from "../api/runs.js";
import { EpisodeIndex } from "./episode-index.js";
import { RunFolders } from "./run-folders.js";
import { RunMetrics } from "./run-metrics.js";
import { maxLineBytes } from "./scan-file.js";
import { Scanner } from "./scanner.js";

/** Number of runs whose rows and curves are cached; the least recently requested one is dropped. */
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

  /** @param from number of lines that the reader has of that generation */
  async metrics(id: string, from = 0, generation?: number): Promise<Metrics> {
    const folder = await this.#folder(id);
    return await keptOf(this.#curves, folder, () => new RunMetrics(folder)).read(from, generation);
  }

  async episodes(id: string, from: number, limit: number): Promise<Episodes> {
    return await (await this.#index(id)).page(from, limit);
  }

  /** Returns the trace's own line as JSON. @throws {PalimpsestError} NOT_FOUND */
  async episode(id: string, at: number, generation?: number): Promise<Buffer> {
    const found = await (await this.#index(id)).place(at);
    if (found === undefined || (generation !== undefined && generation !== found.generation))
      throw new PalimpsestError(
        "NOT_FOUND",
        `run ${id} no longer has episode ${at}: the traces of old steps are removed`,
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

/** Returns the cached entry of a folder, which becomes the most recent; the oldest is dropped. */
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
