import { shownValue } from "@palimpsest/std/input";
import { z } from "zod";
import { queryTerms } from "./bm25-index.js";
import { type Embedder, embedAll } from "./embedder.js";
import { MemoryError } from "./error.js";
import { recordChangeSchema, recordDraftSchema, storeDiffSchema } from "./record-schema.js";
import { searchText } from "./record-text.js";
import { type MemoryRecord, type MemoryType, memoryTypes, type StoreDiff } from "./records/index.js";
import { callback, refuseUnfit } from "./refuse-unfit.js";
import { filterTest, type SearchFilter } from "./search-filter.js";
import { StoreBase } from "./store-base.js";
import { StoreOverlay } from "./store-overlay.js";
import { TopK } from "./top-k.js";
import { cosine } from "./unit-vector.js";

/** The fields that a new record brings. The store adds the id and the times. */
export interface RecordDraft {
  readonly content: string;
  /** Default "episodic". */
  readonly memoryType?: MemoryType;
  readonly speaker?: string;
  readonly session?: string;
  readonly dialogueTime?: string;
  readonly source?: string;
  readonly provenance?: readonly string[];
  readonly metadata?: MemoryRecord["metadata"];
}

/** Fields that replace a record's. The others stay. */
export type RecordChange = Partial<RecordDraft>;

export interface SearchOptions extends SearchFilter {
  /** Maximum number of records. Default 5. */
  readonly topK?: number;
  /** Minimum score, from 0 to 1. Default 0: everything that has anything in common with the query. */
  readonly threshold?: number;
  /** Weight of the cosine in the score; the words have the rest. Default: the store's. */
  readonly denseWeight?: number;
}

export interface SearchHit {
  readonly record: MemoryRecord;
  /** From 0 to 1: `denseWeight` · cosine + (1 − `denseWeight`) · the fraction of the query's weight that BM25 finds. */
  readonly score: number;
}

export interface StoreOptions {
  /** Milliseconds since 1970, for `createdAt` and `updatedAt`. Default: this machine's clock. */
  readonly now?: () => number;
  /** New ids are this prefix and a number. Default "memory_". */
  readonly idPrefix?: string;
  /** Weight of the vectors in a search's score when the search does not set it. Default 0.2. */
  readonly denseWeight?: number;
}

const basePart = z.custom<object>((value) => value instanceof StoreBase, {
  error: "must be a StoreBase, as StoreBase.of() makes it",
});

const storeOptionsSchema = z.strictObject({
  now: callback.optional(),
  idPrefix: z.string().optional(),
  denseWeight: z.number().min(0).max(1).optional(),
});

/** BM25's largest factor of a word's weight, k1 + 1, which keeps the words' part of the score below 1. */
const largestWordFactor = 2.2;

/**
 * Responsibility: one namespace of records that can be searched and changed, which is its own changes over a base that
 * it shares with others.
 * Not responsible for: creating the base (StoreBases), or keeping it beyond the process (snapshot files).
 * - MEMORYSTORE-1. No change of one namespace is visible in another, or in the base.
 * - MEMORYSTORE-2. Search is exact: its scores are those of a single collection of exactly the records in the namespace.
 * - MEMORYSTORE-3. The same calls in the same order give the same records and ids; times come from the injected clock.
 * - MEMORYSTORE-4. A call that fails or is aborted changes nothing; merges and splits happen as a whole or not at all.
 * - MEMORYSTORE-5. Records are in the order of the base, and then of their creation; an update keeps a record's position.
 */
export class MemoryStore {
  readonly base: StoreBase;
  readonly #overlay: StoreOverlay;
  readonly #now: () => number;
  readonly #idPrefix: string;
  readonly #denseWeight: number;
  #nextId: number;

  constructor(base: StoreBase, options: StoreOptions = {}) {
    refuseUnfit(basePart, base, "the base of a MemoryStore");
    refuseUnfit(storeOptionsSchema, options, "options of a MemoryStore");
    this.base = base;
    this.#overlay = new StoreOverlay(base);
    this.#now = options.now ?? Date.now;
    this.#idPrefix = options.idPrefix ?? "memory_";
    this.#denseWeight = options.denseWeight ?? 0.2;
    this.#nextId = base.size + 1;
  }

  /** Creates a namespace over a base of its own. */
  static async of(
    records: readonly MemoryRecord[],
    embedder: Embedder,
    options: StoreOptions & { readonly signal?: AbortSignal } = {},
  ): Promise<MemoryStore> {
    return new MemoryStore(await StoreBase.of(records, embedder, options.signal), options);
  }

  get size(): number {
    return this.#overlay.size;
  }

  get(id: string): MemoryRecord | undefined {
    return this.#overlay.get(id);
  }

  /** Yields all records in order. */
  records(): Iterable<MemoryRecord> {
    return this.#overlay.records();
  }

  /** Returns the unit vector of a record's text, as 16-bit fixed point. */
  vectorOf(id: string): Int16Array | undefined {
    return this.#overlay.vectorOf(id);
  }

  /** Returns the ids of records that were created or changed here, the latest first. */
  changedIds(): string[] {
    return this.#overlay.changedIds();
  }

  /** Returns the unit vectors of texts that are in no record. */
  async embed(texts: readonly string[], signal?: AbortSignal): Promise<Int16Array[]> {
    return await embedAll(this.base.embedder, texts, signal);
  }

  /** @throws {MemoryError} BAD_INPUT, EMBEDDER_FAILED */
  async create(draft: RecordDraft, signal?: AbortSignal): Promise<MemoryRecord> {
    refuseUnfit(recordDraftSchema, draft, "draft");
    const [record] = await this.replace([], [draft], signal);
    return record as MemoryRecord;
  }

  /** @throws {MemoryError} NOT_FOUND, BAD_INPUT, EMBEDDER_FAILED */
  async update(id: string, change: RecordChange, signal?: AbortSignal): Promise<MemoryRecord> {
    refuseUnfit(z.string(), id, "id");
    refuseUnfit(recordChangeSchema, change, "change");
    const read = () => {
      const old = this.get(id);
      if (old === undefined) throw unknownId(id);
      return { ...old, ...change, updatedAt: this.#time() };
    };
    checkContent(read().content);
    const [vector] = await this.embed([searchText(read())], signal);
    // It is read again, because another caller may have changed or deleted it meanwhile.
    const record = read();
    this.#overlay.put(record, vector as Int16Array);
    return record;
  }

  /** @throws {MemoryError} NOT_FOUND */
  delete(id: string): MemoryRecord {
    const record = this.get(id);
    if (record === undefined) throw unknownId(id);
    this.#overlay.remove(id);
    return record;
  }

  /**
   * Removes records and adds new ones, in one step.
   * @throws {MemoryError} NOT_FOUND, BAD_INPUT, EMBEDDER_FAILED
   */
  async replace(
    ids: readonly string[],
    drafts: readonly RecordDraft[],
    signal?: AbortSignal,
  ): Promise<MemoryRecord[]> {
    refuseUnfit(z.array(z.string()), ids, "ids");
    refuseUnfit(z.array(recordDraftSchema), drafts, "drafts");
    const check = () => {
      const gone = ids.find((id) => this.get(id) === undefined);
      if (gone !== undefined) throw unknownId(gone);
    };
    check();
    for (const { content } of drafts) checkContent(content);
    const made = drafts.map(({ memoryType = "episodic", provenance = [], metadata = {}, ...draft }) => ({
      memoryType,
      provenance,
      metadata,
      ...draft,
    }));
    const vectors = await this.embed(
      made.map((draft) => searchText({ ...draft, id: "" })),
      signal,
    );
    check();
    for (const id of ids) this.#overlay.remove(id);
    return made.map((draft, i) => {
      const record: MemoryRecord = { id: this.#freshId(), ...draft, createdAt: this.#time() };
      this.#overlay.put(record, vectors[i] as Int16Array);
      return record;
    });
  }

  /**
   * Returns the records that are most similar to the query, by words and by vectors. The best come first, ties in their
   * order.
   * @throws {MemoryError} BAD_INPUT, EMBEDDER_FAILED
   */
  async search(query: string, options: SearchOptions = {}, signal?: AbortSignal): Promise<SearchHit[]> {
    refuseUnfit(z.string(), query, "query");
    refuseUnfit(searchOptionsSchema, options, "search options");
    const { topK = 5, threshold = 0, denseWeight = this.#denseWeight } = options;
    const passes = filterTest(options);
    const [vector] = await this.embed([query], signal);
    const overlay = this.#overlay;
    const terms = queryTerms(query, (term) => overlay.documentFrequency(term), overlay.size);
    const whole = terms.reduce((sum, { weight }) => sum + weight, 0) * largestWordFactor;
    const wordWeight = whole === 0 ? 0 : (1 - denseWeight) / whole;
    const weighted = terms.map(({ term, weight }) => ({ term, weight: weight * wordWeight }));
    const scores = new Float64Array(this.base.size);
    this.base.words.scoreInto(scores, weighted, overlay);
    this.base.vectors.addCosines(scores, vector as Int16Array, denseWeight);
    const best = new TopK(topK);
    const consider = (score: number, place: number, record: () => MemoryRecord) => {
      if (score > 0 && score >= threshold && best.admits(score, place) && passes(record()))
        best.offer(score, place);
    };
    for (let i = 0; i < scores.length; i++) {
      const score = scores[i] as number;
      if (score > 0 && !overlay.hides(i)) consider(score, i, () => this.base.records[i] as MemoryRecord);
    }
    for (const { record, place, counts, length, vector: own } of overlay.changes()) {
      const words = this.base.words.scoreOf(counts, length, weighted, overlay);
      const dense = denseWeight * Math.max(0, cosine(own, vector as Int16Array));
      consider(words + dense, place, () => record);
    }
    return best
      .hits()
      .map(({ index, score }) => ({ record: overlay.at(index) as MemoryRecord, score: Math.min(score, 1) }));
  }

  /** Returns how this namespace differs from its base. */
  diff(): StoreDiff {
    return this.#overlay.diff();
  }

  /** Returns all records as they are now. Later changes do not affect it. */
  snapshot(): readonly MemoryRecord[] {
    return [...this.records()];
  }

  /**
   * Applies the changes of a diff, with its ids and times.
   * @throws {MemoryError} NOT_FOUND, DUPLICATE_ID, EMBEDDER_FAILED
   */
  async apply(diff: StoreDiff, signal?: AbortSignal): Promise<void> {
    refuseUnfit(storeDiffSchema, diff, "diff");
    const put = [...diff.updated, ...diff.created];
    const vectors = await this.embed(put.map(searchText), signal);
    for (const id of [...diff.deleted, ...diff.updated.map((record) => record.id)])
      if (this.get(id) === undefined) throw unknownId(id);
    for (const { id } of diff.created) {
      if (this.get(id) === undefined) continue;
      throw new MemoryError(
        "DUPLICATE_ID",
        `diff.created: the store already contains a record "${id}"; apply a diff to the base from which it was made`,
      );
    }
    for (const id of diff.deleted) this.#overlay.remove(id);
    put.forEach((record, i) => {
      this.#overlay.put(record, vectors[i] as Int16Array);
    });
  }

  #freshId(): string {
    for (;;) {
      const id = `${this.#idPrefix}${this.#nextId++}`;
      if (this.base.indexOf(id) === undefined && this.get(id) === undefined) return id;
    }
  }

  #time(): string {
    return new Date(this.#now()).toISOString();
  }
}

const share = z.number().min(0).max(1).optional();
const searchOptionsSchema = z.strictObject({
  topK: z.int().min(1).optional(),
  threshold: share,
  denseWeight: share,
  memoryType: z.enum(memoryTypes).optional(),
  speaker: z.string().optional(),
  session: z.string().optional(),
  // Their form is checked with the filter.
  after: z.string().optional(),
  before: z.string().optional(),
}) satisfies z.ZodType<{ [Name in keyof SearchOptions]: SearchOptions[Name] | undefined }>;

const unknownId = (id: string) => new MemoryError("NOT_FOUND", `no memory has the id ${shownValue(id)}`);

function checkContent(content: string): void {
  if (content.trim() === "")
    throw new MemoryError("BAD_INPUT", "content: is empty; a memory needs some text");
}
