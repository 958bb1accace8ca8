import { parseInput } from "@palimpsest/std/input";
import { z } from "zod";
import { type EngineConfigInput, engineConfigSchema, parseConfig } from "./config.js";
import { EngineError } from "./error.js";
import { HttpClient, type RetryClock } from "./http-client.js";

const replySchema = z.object({
  data: z.array(z.object({ index: z.int().min(0).optional(), embedding: z.array(z.number()) })),
});

const path = "/embeddings";

/** Vectors of texts from a server that speaks OpenAI's protocol (/embeddings): an `Embedder` for memory stores. */
export class EndpointEmbedder {
  readonly name: string;
  readonly dimensions: number;
  readonly #client: HttpClient;
  readonly #model: string;
  readonly #batch: number;

  /**
   * @param options.dimensions numbers in the model's vectors
   * @param options.batch texts per request. Default 64
   * @param options.clock a clock for tests
   * @throws {EngineError} CONFIG_INVALID
   */
  constructor(
    config: EngineConfigInput & { readonly model: string },
    options: { readonly dimensions: number; readonly batch?: number; readonly clock?: RetryClock },
  ) {
    const parsed = parseConfig(engineConfigSchema, config);
    this.#client = new HttpClient(parsed, "api", options.clock);
    this.#model = config.model;
    this.#batch = options.batch ?? 64;
    this.dimensions = options.dimensions;
    this.name = `${config.model} at ${parsed.url}`;
  }

  /**
   * @returns one vector of `dimensions` numbers per text, in order
   * @throws {EngineError}; the signal's reason
   */
  async embed(texts: readonly string[], signal?: AbortSignal): Promise<number[][]> {
    const parts: Promise<number[][]>[] = [];
    for (let start = 0; start < texts.length; start += this.#batch)
      parts.push(this.#embedPart(texts.slice(start, start + this.#batch), signal));
    return (await Promise.all(parts)).flat();
  }

  /** Waiting and running requests reject with CLOSED. A second close does nothing. */
  async close(): Promise<void> {
    await this.#client.close();
  }

  /** The same as close(), for `await using`. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #embedPart(texts: readonly string[], signal: AbortSignal | undefined): Promise<number[][]> {
    // Servers refuse an empty text; a space carries as little meaning.
    const input = texts.map((text) => (text.trim() === "" ? " " : text));
    const body = { model: this.#model, input, encoding_format: "float" };
    return await this.#client.ask(path, body, { signal }, (value) => this.#read(value, texts.length));
  }

  #read(value: unknown, count: number): number[][] {
    const refuse = (what: string) =>
      new EngineError(
        "BAD_REPLY",
        `${this.#client.shown(path)}: ${what}; check that ${this.#model} is an embedding model`,
      );
    const reply = parseInput(replySchema, value, refuse);
    const vectors: number[][] = [];
    for (const [at, { index = at, embedding }] of reply.data.entries()) {
      if (embedding.length !== this.dimensions) {
        throw refuse(
          `a vector has ${embedding.length} numbers, but the setting dimensions is ${this.dimensions}`,
        );
      }
      vectors[index] = embedding;
    }
    const given = Object.keys(vectors).length;
    if (given !== count || vectors.length !== count)
      throw refuse(`${given} vectors arrived for ${count} texts`);
    return vectors;
  }
}
