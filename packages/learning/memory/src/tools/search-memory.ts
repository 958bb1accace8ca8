import { z } from "zod";
import { memoryTypes } from "../records/index.js";
import { isTime } from "../search-filter.js";
import { countOf, recordLine, recordLines } from "./record-lines.js";
import { memoryTool } from "./tool.js";

const time = z.string().refine(isTime, "write it as 2023-05-08 or 2023-05-08T13:56");

const schema = z.strictObject({
  query: z.string().trim().min(1).describe("what to look for, in words"),
  top_k: z.int().min(1).max(50).default(5).describe("most memories to return"),
  memory_type: z.enum(memoryTypes).optional().describe("only memories of this type"),
  speaker: z.string().min(1).optional().describe("only what this person said"),
  session: z.string().min(1).optional().describe("only this session, such as session_3"),
  after: time.optional().describe("only said then or later, such as 2023-05-08"),
  before: time.optional().describe("only said then or earlier, such as 2023-05-08"),
  threshold: z.number().min(0).max(1).optional().describe("least score, 0 to 1"),
});

export const searchMemory = memoryTool({
  name: "search_memory",
  description:
    "Searches the memories by words and meaning. Returns ids, scores, dates and texts, the best first.",
  schema,
  async run({ query, top_k: topK, memory_type: memoryType, ...filter }, { store, style, signal, mostBytes }) {
    const given = Object.entries({ memoryType, ...filter }).filter(([, value]) => value !== undefined);
    const hits = await store.search(query, { topK, ...Object.fromEntries(given) }, signal);
    if (hits.length > 0) {
      return recordLines(
        `Found ${hits.length} of ${countOf(store.size)}:`,
        hits.map(({ record, score }) => recordLine(record, style, score)),
        { style, mostBytes },
      );
    }
    if (style === "compact") return "none";
    if (store.size === 0) return "The memory is empty.";
    return `No memory matches; there ${store.size === 1 ? "is" : "are"} ${countOf(store.size)}. Try other words or fewer filters.`;
  },
});
