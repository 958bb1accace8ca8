/**
 * Responsibility: which objects' files programs have mapped. The system is asked with three calls per file, which take
 * about 35 µs, so few are asked about at a time and answers are used again for a while.
 * Not responsible for: files whose objects have left memory (object-segments.ts).
 */
import type { Clock } from "@palimpsest/std";
import type { TableEntry } from "../object-table.js";
import type { ObjectFiles } from "./object-files.js";
import { leastKeptBytes, maxProbes, probedMs } from "./object-segments.js";
import { TurnBudget } from "./turn-budget.js";

/** How long an answer is used again for each file that was to be probed, so that a node spends little time on that. */
const knownMsPerFile = 0.5;
const mostKnownMs = 5_000;

interface Probed {
  readonly untilMs: number;
  readonly isMapped: boolean;
}

export class MappedObjects {
  readonly #files: ObjectFiles;
  readonly #clock: Clock;
  readonly #probed = new WeakMap<TableEntry, Probed>();
  readonly #probes = new TurnBudget(maxProbes);

  constructor(files: ObjectFiles, clock: Clock) {
    this.#files = files;
    this.#clock = clock;
  }

  /** Returns undefined if that is not known and no more files may be probed now. */
  isMapped(entry: TableEntry): boolean | undefined {
    if (!this.#canBeMapped(entry)) return false;
    if (this.#isKnown(entry)) return this.#probed.get(entry)?.isMapped;
    if (this.#probes.isSpent) return undefined;
    this.#probes.take();
    return this.#probe(entry, probedMs);
  }

  #probe(entry: TableEntry, knownMs: number): boolean {
    const isMapped = !this.#files.isUnmapped(entry.path);
    this.#probed.set(entry, { untilMs: this.#clock.monotonicMs() + knownMs, isMapped });
    return isMapped;
  }

  /** Probes those that are not known, while other work goes on. Resolves to false if there were none. */
  async probe(objects: Iterable<TableEntry>): Promise<boolean> {
    const all = [...objects].filter((entry) => this.#canBeMapped(entry));
    const unknown = all.filter((entry) => !this.#isKnown(entry));
    const knownMs = Math.min(Math.max(probedMs, knownMsPerFile * all.length), mostKnownMs);
    for (const entry of unknown) {
      await this.#probes.taken();
      // It may have left memory meanwhile.
      if (entry.isResident) this.#probe(entry, knownMs);
    }
    return unknown.length > 0;
  }

  /** Returns how many bytes of these are of objects that were mapped when they were probed last. */
  bytesOf(objects: Iterable<TableEntry>): number {
    let bytes = 0;
    for (const entry of objects)
      if (entry.isResident && this.#probed.get(entry)?.isMapped) bytes += entry.sizeBytes;
    return bytes;
  }

  #canBeMapped({ path, sizeBytes }: TableEntry): boolean {
    return this.#files.isMappable && path !== "" && sizeBytes >= leastKeptBytes;
  }

  #isKnown(entry: TableEntry): boolean {
    const untilMs = this.#probed.get(entry)?.untilMs ?? Number.NEGATIVE_INFINITY;
    return this.#clock.monotonicMs() < untilMs;
  }
}
