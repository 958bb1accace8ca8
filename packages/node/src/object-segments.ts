/**
 * Responsibility: files of values that were freed, kept for a while to be written again: their pages are there, and writing
 *   to them is three times as fast as to a new file (5 GB/s against 1.6 on two cores).
 * Not responsible for: who writes them (object-store.ts).
 *
 * Invariants:
 * - SEGMENT-1. A file is renamed before it is handed out: a reader that finds it under its old name after it has read has
 *   read none of the new bytes.
 * - SEGMENT-2. A file that nobody took for `keepMs` is removed.
 */
import type { Clock } from "@palimpsest/wire";
import type { ObjectFiles } from "./object-files.js";

const leastBytes = 64 * 1024;
const keepMs = 30_000;
const maxFiles = 256;
/** A file of another size is cut off or grows. */
const maxRatio = 2;

interface Segment {
  readonly path: string;
  readonly sizeBytes: number;
  /** False: the file could not be had. */
  readonly ready: Promise<boolean>;
  readonly forget: () => void;
}

/** A file that left the pool. */
export interface TakenSegment {
  readonly path: string;
  readonly sizeBytes: number;
  readonly ready: Promise<boolean>;
}

export class ObjectSegments {
  readonly #files: ObjectFiles;
  readonly #clock: Clock;
  readonly #segments = new Set<Segment>();
  #bytes = 0;
  /** Removed from the pool and perhaps still on the disk. */
  readonly #removals = new Set<Promise<void>>();

  constructor(files: ObjectFiles, clock: Clock) {
    this.#files = files;
    this.#clock = clock;
  }

  /** What lies in them, part of the store's bound. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Takes the file of an object that was removed, instead of removing it; false: it is not worth it. */
  keep(objectId: string, sizeBytes: number): boolean {
    if (sizeBytes < leastBytes || this.#segments.size >= maxFiles) return false;
    this.#bytes += sizeBytes;
    const { path, renamed } = this.#files.removeFor(objectId);
    const forget = this.#clock.after(keepMs, () => this.#remove(segment));
    const segment: Segment = { path, sizeBytes, ready: renamed, forget };
    this.#segments.add(segment);
    return true;
  }

  /** The file that fits best, unless none is of about that size. It leaves the pool. */
  take(sizeBytes: number): TakenSegment | undefined {
    let best: Segment | undefined;
    for (const segment of this.#segments) {
      if (segment.sizeBytes > sizeBytes * maxRatio || sizeBytes > segment.sizeBytes * maxRatio) continue;
      const distance = Math.abs(segment.sizeBytes - sizeBytes);
      if (best === undefined || distance < Math.abs(best.sizeBytes - sizeBytes)) best = segment;
    }
    if (best !== undefined) this.#drop(best);
    return best;
  }

  /** Makes room. */
  shrink(missingBytes: number): void {
    let left = missingBytes;
    for (const segment of this.#segments) {
      if (left <= 0) return;
      left -= segment.sizeBytes;
      this.#remove(segment);
    }
  }

  /** Settles when what was removed is off the disk. */
  async settled(): Promise<void> {
    await Promise.all(this.#removals);
  }

  #drop(segment: Segment): void {
    segment.forget();
    this.#segments.delete(segment);
    this.#bytes -= segment.sizeBytes;
  }

  #remove(segment: Segment): void {
    this.#drop(segment);
    const removal = segment.ready
      .then(() => this.#files.discard(segment.path))
      .catch(() => undefined)
      .finally(() => this.#removals.delete(removal));
    this.#removals.add(removal);
  }

  close(): void {
    for (const segment of this.#segments) segment.forget();
    this.#segments.clear();
  }
}
