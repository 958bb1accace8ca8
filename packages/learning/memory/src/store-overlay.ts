import { searchText } from "./record-text.js";
import type { MemoryRecord, StoreDiff } from "./records/index.js";
import type { StoreBase } from "./store-base.js";
import { wordCounts } from "./text/words.js";

/** A record that is new or replaces one of the base. */
export interface ChangedRecord {
  readonly record: MemoryRecord;
  /** Position within the store; below the base's size it is the position in the base. */
  readonly place: number;
  readonly counts: ReadonlyMap<string, number>;
  /** Number of words in the record. */
  readonly length: number;
  readonly vector: Int16Array;
}

/** The changes of one namespace over its base, with the statistics of the whole that ranking needs. */
export class StoreOverlay {
  readonly #base: StoreBase;
  /** Changes by id, the latest last. */
  readonly #changes = new Map<string, ChangedRecord>();
  readonly #idAt = new Map<number, string>();
  /** Positions in the base whose records are deleted or replaced. */
  readonly #hidden = new Set<number>();
  /** What the changes add to the base's document frequencies, by word. */
  readonly #frequencies = new Map<string, number>();
  #totalWords: number;
  #nextPlace: number;

  constructor(base: StoreBase) {
    this.#base = base;
    this.#totalWords = base.words.totalWords;
    this.#nextPlace = base.size;
  }

  get size(): number {
    return this.#base.size - this.#hidden.size + this.#changes.size;
  }

  get totalWords(): number {
    return this.#totalWords;
  }

  /** Returns the number of records that contain the word. */
  documentFrequency(term: string): number {
    return this.#base.words.documentFrequency(term) + (this.#frequencies.get(term) ?? 0);
  }

  hides(place: number): boolean {
    return this.#hidden.has(place);
  }

  get(id: string): MemoryRecord | undefined {
    const changed = this.#changes.get(id);
    if (changed !== undefined) return changed.record;
    const place = this.#base.indexOf(id);
    return place === undefined || this.#hidden.has(place) ? undefined : this.#base.records[place];
  }

  /** Returns the record at a position; undefined when it was deleted. */
  at(place: number): MemoryRecord | undefined {
    const id = this.#idAt.get(place);
    if (id !== undefined) return this.#changes.get(id)?.record;
    return this.#hidden.has(place) ? undefined : this.#base.records[place];
  }

  vectorOf(id: string): Int16Array | undefined {
    const changed = this.#changes.get(id);
    if (changed !== undefined) return changed.vector;
    const place = this.#base.indexOf(id);
    return place === undefined || this.#hidden.has(place) ? undefined : this.#base.vectors.row(place);
  }

  changes(): Iterable<ChangedRecord> {
    return this.#changes.values();
  }

  changedIds(): string[] {
    return [...this.#changes.keys()].reverse();
  }

  *records(): Generator<MemoryRecord> {
    for (let place = 0; place < this.#nextPlace; place++) {
      const record = this.at(place);
      if (record !== undefined) yield record;
    }
  }

  /** Adds a new record, or replaces the one with its id. */
  put(record: MemoryRecord, vector: Int16Array): void {
    const place = this.#placeOf(record.id);
    this.remove(record.id);
    const { counts, length } = wordCounts(searchText(record));
    this.#count(counts.keys(), 1);
    this.#totalWords += length;
    this.#changes.set(record.id, { record, place, counts, length, vector });
    this.#idAt.set(place, record.id);
  }

  /** Removes a record. Unknown ids are ignored. */
  remove(id: string): void {
    const changed = this.#changes.get(id);
    if (changed !== undefined) {
      this.#count(changed.counts.keys(), -1);
      this.#totalWords -= changed.length;
      this.#changes.delete(id);
      this.#idAt.delete(changed.place);
      return;
    }
    const place = this.#base.indexOf(id);
    if (place === undefined || this.#hidden.has(place)) return;
    const { counts, length } = wordCounts(searchText(this.#base.records[place] as MemoryRecord));
    this.#count(counts.keys(), -1);
    this.#totalWords -= length;
    this.#hidden.add(place);
  }

  diff(): StoreDiff {
    const changed = [...this.#changes.values()].sort((a, b) => a.place - b.place);
    const { size } = this.#base;
    const deleted = [...this.#hidden].filter((place) => !this.#idAt.has(place)).sort((a, b) => a - b);
    return {
      created: changed.filter(({ place }) => place >= size).map(({ record }) => record),
      updated: changed.filter(({ place }) => place < size).map(({ record }) => record),
      deleted: deleted.map((place) => (this.#base.records[place] as MemoryRecord).id),
    };
  }

  #placeOf(id: string): number {
    return this.#changes.get(id)?.place ?? this.#base.indexOf(id) ?? this.#nextPlace++;
  }

  #count(terms: Iterable<string>, by: number): void {
    for (const term of terms) {
      const count = (this.#frequencies.get(term) ?? 0) + by;
      if (count === 0) this.#frequencies.delete(term);
      else this.#frequencies.set(term, count);
    }
  }
}
