import { MemoryError } from "./error.js";
import { unitVector } from "./unit-vector.js";

/**
 * Converts texts to vectors, which are compared by cosine, so that their length has no meaning. It is safe to call
 * concurrently.
 */
export interface Embedder {
  /** Identifies model and settings. Vectors of embedders with different names are never compared. */
  readonly name: string;
  readonly dimensions: number;
  /** Returns one vector of `dimensions` numbers per text, in order. */
  embed(texts: readonly string[], signal?: AbortSignal): Promise<readonly ArrayLike<number>[]>;
}

/**
 * Returns the unit vectors of many texts, which it embeds in batches.
 * @throws {MemoryError} EMBEDDER_FAILED when the embedder's answer has the wrong shape
 */
export async function embedAll(
  embedder: Embedder,
  texts: readonly string[],
  signal?: AbortSignal,
  batch = 256,
): Promise<Int16Array[]> {
  const vectors: Int16Array[] = [];
  for (let start = 0; start < texts.length; start += batch) {
    signal?.throwIfAborted();
    const part = texts.slice(start, start + batch);
    const embedded = await embedder.embed(part, signal);
    const odd = embedded.find((vector) => vector.length !== embedder.dimensions);
    if (embedded.length !== part.length || odd !== undefined) {
      throw new MemoryError(
        "EMBEDDER_FAILED",
        `embedder ${embedder.name}: returned ${embedded.length} vectors${odd ? ` with one of ${odd.length} numbers` : ""} for ${part.length} texts of ${embedder.dimensions} numbers; fix the embedder`,
      );
    }
    for (const vector of embedded) vectors.push(unitVector(vector));
  }
  return vectors;
}
