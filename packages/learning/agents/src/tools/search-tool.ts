import { Bm25Index } from "@palimpsest/memory";
import { z } from "zod";
import { checkArgument } from "../agent-parts.js";
import { defineTool, type Tool } from "../define-tool.js";

const optionsSchema = z.strictObject({
  texts: z.array(z.string()).min(1),
  name: z.string().optional(),
  description: z.string().optional(),
  topK: z.int().min(1).max(50).optional(),
});

/**
 * Returns a tool that searches texts by their words (BM25) and lists the best first.
 * @param options.texts the passages to search; they are indexed at the first search
 * @param options.name the tool's name; default "search"
 * @param options.description the tool's description for the model
 * @param options.topK how many passages a search returns if its call does not say, 1 to 50. Default 3
 * @throws {AgentError} BAD_CONFIG if there are no texts, or topK is out of range
 */
export function searchTool(options: {
  readonly texts: readonly string[];
  readonly name?: string;
  readonly description?: string;
  readonly topK?: number;
}): Tool {
  checkArgument(optionsSchema, options, "searchTool()");
  const { texts, name = "search", topK = 3 } = options;
  const { description = "Searches the texts by their words. Returns passages, the best first." } = options;
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
      if (found.length === 0) return `No text contains any of these words: ${query}`;
      return found.map((hit, place) => `[${place + 1}] ${texts[hit.index]?.trim()}`).join("\n");
    },
  });
}
