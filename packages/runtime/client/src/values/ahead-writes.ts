/**
 * Responsibility: files of the node that this program has reserved before values need them, so that a value of a size that
 * was stored before is written without asking.
 * Not responsible for: writing them (value-writes.ts), or their room (the node may give it to others at any time).
 *
 * Invariants:
 * - AHEAD-1. A file is used for one value at most, under the id for which it was reserved.
 * - AHEAD-2. Files are reserved only for sizes that were stored more than once, up to the bytes that the node allows, and
 *   are given up when they were not used within `keepMs`.
 */
import type { Clock } from "@palimpsest/std";
import { OldestFirstMap } from "@palimpsest/wire";

/** Writing a larger value takes much longer than asking for its file. */
const maxSizeBytes = 4 * 1024 * 1024;
const maxSizes = 8;
const maxFiles = 32;
/** The node keeps them for twice as long, unless others need the room. */
const keepMs = 5_000;
/** After the node had no file, it is not asked for that long. */
const restMs = 50;

export interface AheadFile {
  readonly objectId: string;
  readonly path: string;
}

interface Size {
  readonly ready: (AheadFile & { readonly sinceMs: number })[];
  /** Orders without an answer. */
  readonly ordered: Promise<AheadFile | undefined>[];
  wanted: number;
  notBeforeMs: number;
}

export interface AheadWritesDeps {
  /** The most bytes that are reserved at a time. */
  readonly maxBytes: number;
  readonly clock: Clock;
  /** Returns undefined if the node has none to give. */
  readonly reserve: (sizeBytes: number) => Promise<AheadFile | undefined>;
  readonly abandon: (objectId: string) => void;
}

export class AheadWrites {
  readonly #deps: AheadWritesDeps;
  /** The sizes that were stored, the longest ago first. */
  readonly #sizes = new OldestFirstMap<number, Size>();
  #bytes = 0;

  constructor(deps: AheadWritesDeps) {
    this.#deps = deps;
  }

  /** Returns a file for a value of that size; undefined if there is none. */
  take(sizeBytes: number): Promise<AheadFile | undefined> | AheadFile | undefined {
    const size = this.#sizes.get(sizeBytes);
    if (size === undefined) return undefined;
    this.#giveUpOld(sizeBytes, size);
    const ready = size.ready.shift();
    if (ready !== undefined) {
      this.#bytes -= sizeBytes;
      return ready;
    }
    size.wanted = Math.min(maxFiles, size.wanted * 2);
    return size.ordered.shift();
  }

  /** Must be called when a value of that size was written. */
  stored(sizeBytes: number): void {
    if (sizeBytes > Math.min(maxSizeBytes, this.#deps.maxBytes)) return;
    // A program that has gone over to other sizes would keep the bytes of the former ones.
    for (const [other, unused] of this.#sizes) this.#giveUpOld(other, unused);
    const known = this.#sizes.get(sizeBytes);
    const size = known ?? { ready: [], ordered: [], wanted: 2, notBeforeMs: 0 };
    this.#sizes.delete(sizeBytes);
    this.#sizes.set(sizeBytes, size);
    if (known !== undefined) this.#order(sizeBytes, size);
    const { oldest } = this.#sizes;
    const unused = oldest === undefined ? undefined : this.#sizes.get(oldest);
    if (this.#sizes.size <= maxSizes || oldest === undefined || unused === undefined) return;
    this.#giveUpOld(oldest, unused, Number.NEGATIVE_INFINITY);
    this.#sizes.delete(oldest);
  }

  #order(sizeBytes: number, size: Size): void {
    const { clock, maxBytes, reserve } = this.#deps;
    if (clock.monotonicMs() < size.notBeforeMs) return;
    while (size.ready.length + size.ordered.length < size.wanted && this.#bytes + sizeBytes <= maxBytes) {
      this.#bytes += sizeBytes;
      const ordered = reserve(sizeBytes).catch(() => undefined);
      size.ordered.push(ordered);
      void ordered.then((file) => {
        if (file === undefined) size.notBeforeMs = clock.monotonicMs() + restMs;
        const at = size.ordered.indexOf(ordered);
        if (at >= 0) size.ordered.splice(at, 1);
        const isKnown = this.#sizes.get(sizeBytes) === size;
        if (at >= 0 && file !== undefined && isKnown) {
          size.ready.push({ ...file, sinceMs: clock.monotonicMs() });
          return;
        }
        this.#bytes -= sizeBytes;
        if (at >= 0 && file !== undefined) this.#deps.abandon(file.objectId);
      });
    }
  }

  #giveUpOld(sizeBytes: number, { ready }: Size, ms = keepMs): void {
    const beforeMs = this.#deps.clock.monotonicMs() - ms;
    const young = ready.findIndex(({ sinceMs }) => sinceMs >= beforeMs);
    for (const { objectId } of ready.splice(0, young < 0 ? ready.length : young)) {
      this.#bytes -= sizeBytes;
      this.#deps.abandon(objectId);
    }
  }
}
