import { Bm25Index } from "@palimpsest/memory";
import { z } from "zod";
import { defineTool, type Tool } from "./define-tool.js";
import { AgentError } from "./error.js";

/**
 * A tool that searches texts by their words (BM25), the best first.
 * @param options.texts what is searched, a passage each; indexed at the first search
 * @param options.name default "search"
 * @param options.description what the model is told of it
 * @param options.topK passages of a search that asks for no number, 1 to 50. Default 3
 * @throws {AgentError} BAD_CONFIG where there are no texts
 */
export function searchTool(options: {
  readonly texts: readonly string[];
  readonly name?: string;
  readonly description?: string;
  readonly topK?: number;
}): Tool {
  const { texts, name = "search", topK = 3 } = options;
  const { description = "Searches the texts by their words. Returns passages, the best first." } = options;
  if (texts.length === 0)
    throw new AgentError("BAD_CONFIG", `tool ${name}: texts: there are none; give it what it is to search`);
  if (!Number.isInteger(topK) || topK < 1 || topK > 50)
    throw new AgentError("BAD_CONFIG", `tool ${name}: topK is ${topK}; use a whole number from 1 to 50`);
  let index: Bm25Index | undefined;
  return defineTool({
    name,
    description,
    parameters: z.strictObject({
      query: z.string().trim().min(1).describe("what to look for, in words"),
      top_k: z.int().min(1).max(50).default(topK).describe("most passages to return"),
    }),
    run({ query, top_k }) {
      index ??= Bm25Index.of(texts);
      const found = index.search(query, top_k);
      if (found.length === 0) return `Nothing holds any of these words: ${query}`;
      return found.map((hit, place) => `[${place + 1}] ${texts[hit.index]?.trim()}`).join("\n");
    },
  });
}
