import { z } from "zod";
import { type Embedder, embedAll } from "./embedder.js";
import { count, embedderPart, refuseUnfit, texts as textList } from "./refuse-unfit.js";
import { type Hit, TopK } from "./top-k.js";
import { paddedDimensions } from "./unit-vector.js";
import { VectorTable } from "./vector-table.js";

/** Exact search by cosine over a fixed list of texts. */
export class DenseIndex {
  readonly #embedder: Embedder;
  readonly #table: VectorTable;

  private constructor(embedder: Embedder, table: VectorTable) {
    this.#embedder = embedder;
    this.#table = table;
  }

  /** Embeds the texts and indexes them. @throws {MemoryError} BAD_INPUT, EMBEDDER_FAILED */
  static async of(texts: readonly string[], embedder: Embedder, signal?: AbortSignal): Promise<DenseIndex> {
    refuseUnfit(textList, texts, "texts of DenseIndex.of()");
    refuseUnfit(embedderPart, embedder, "embedder of DenseIndex.of()");
    const vectors = await embedAll(embedder, texts, signal);
    return new DenseIndex(embedder, new VectorTable(vectors, paddedDimensions(embedder.dimensions)));
  }

  get size(): number {
    return this.#table.size;
  }

  /**
   * Returns the best hits first. Texts with a cosine of 0 or less are left out.
   * @throws {MemoryError} BAD_INPUT, EMBEDDER_FAILED
   */
  async search(query: string, topK: number, signal?: AbortSignal): Promise<Hit[]> {
    refuseUnfit(z.string(), query, "query");
    refuseUnfit(count, topK, "topK");
    const [vector] = await embedAll(this.#embedder, [query], signal);
    const scores = new Float64Array(this.size);
    if (vector !== undefined) this.#table.addCosines(scores, vector, 1);
    const best = new TopK(topK);
    for (let i = 0; i < scores.length; i++) {
      const score = scores[i] ?? 0;
      if (score > 0) best.offer(score, i);
    }
    return best.hits();
  }
}
