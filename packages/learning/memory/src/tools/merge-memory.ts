import { z } from "zod";
import { MemoryError } from "../error.js";
import type { RecordDraft } from "../memory-store.js";
import { searchText } from "../record-text.js";
import type { MemoryRecord } from "../records/index.js";
import { indented, shownId } from "./record-lines.js";
import { sentences, sharedWords } from "./sentences.js";
import { sourcesOf } from "./sources-of.js";
import { memoryTool } from "./tool.js";

const schema = z.strictObject({
  memory_ids: z.array(z.string().min(1)).min(2).max(5).describe("ids of the memories to merge, 2 to 5"),
  strategy: z
    .enum(["summarize", "concatenate", "extract_common"])
    .describe("summarize: what they say, once; concatenate: one after another; extract_common: what all say"),
  content: z
    .string()
    .trim()
    .min(1)
    .optional()
    .describe("your own text of the merged memory; without it the strategy takes sentences of the old ones"),
});

export const mergeMemory = memoryTool({
  name: "merge_memory",
  description: "Makes one memory of several; the old ones go, the new one says which they were.",
  schema,
  async run({ memory_ids: named, strategy, content }, { store, style, signal }) {
    const ids = named.map((id) => shownId(store, id));
    if (new Set(ids).size < ids.length)
      throw new MemoryError("BAD_INPUT", "memory_ids: names a memory twice; name each once");
    const merged = ids.map((id) => {
      const record = store.get(id);
      if (record === undefined) throw new MemoryError("NOT_FOUND", `no memory has the id "${id}"`);
      return record;
    });
    const text = content ?? texts[strategy](merged.map(searchText));
    const [record] = await store.replace(ids, [mergedDraft(merged, text, sourcesOf(store, ids))], signal);
    const { id } = record as MemoryRecord;
    const shown = indented(text);
    return style === "compact" ? `${id} ${shown}` : `Merged ${ids.join(", ")} into [${id}] ${shown}`;
  },
});

const texts = {
  concatenate: (contents: readonly string[]) => contents.join(" "),
  /** Keeps every sentence except those whose words an earlier one contains already. */
  summarize(contents: readonly string[]) {
    const kept: string[] = [];
    for (const sentence of contents.flatMap(sentences)) {
      if (!kept.some((earlier) => sharedWords(sentence, earlier) >= 0.8)) kept.push(sentence);
    }
    return kept.join(" ");
  },
  /** Keeps the sentences of the first memory of which half of the words are in one sentence of each of the others. */
  extract_common([first = "", ...others]: readonly string[]) {
    const common = sentences(first).filter((sentence) =>
      others.every((other) => sentences(other).some((theirs) => sharedWords(sentence, theirs) >= 0.5)),
    );
    if (common.length > 0) return common.join(" ");
    throw new MemoryError(
      "BAD_INPUT",
      "strategy: the memories have no sentence in common; give content, or use summarize or concatenate",
    );
  },
};

/**
 * Keeps fields on which all agree; of different times the latest is the record's, and the earliest is kept beside it.
 */
function mergedDraft(
  merged: readonly MemoryRecord[],
  content: string,
  provenance: readonly string[],
): RecordDraft {
  const speakers = distinct(merged.map(({ speaker }) => speaker));
  const sessions = distinct(merged.map(({ session }) => session));
  const types = distinct(merged.map(({ memoryType }) => memoryType));
  const times = distinct(merged.map(({ dialogueTime }) => dialogueTime)).sort();
  const latest = times.at(-1);
  const metadata = new Map<string, string | number | boolean>();
  const disputed = new Set<string>();
  for (const [key, value] of merged.flatMap((record) => Object.entries(record.metadata))) {
    if (metadata.has(key) && metadata.get(key) !== value) disputed.add(key);
    metadata.set(key, value);
  }
  for (const key of disputed) metadata.delete(key);
  if (speakers.length > 1) metadata.set("speakers", speakers.join(", "));
  if (sessions.length > 1) metadata.set("sessions", sessions.join(", "));
  if (times.length > 1) metadata.set("earliestTime", times[0] as string);
  return {
    content,
    memoryType: types.length === 1 ? (types[0] as MemoryRecord["memoryType"]) : "semantic",
    source: "agent",
    provenance,
    metadata: Object.fromEntries(metadata),
    ...(speakers.length === 1 ? { speaker: speakers[0] as string } : {}),
    ...(sessions.length === 1 ? { session: sessions[0] as string } : {}),
    ...(latest === undefined ? {} : { dialogueTime: latest }),
  };
}

function distinct<T>(values: readonly (T | undefined)[]): T[] {
  return [...new Set(values.filter((value) => value !== undefined))];
}
