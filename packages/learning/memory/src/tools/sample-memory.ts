import { z } from "zod";
import type { MemoryStore } from "../memory-store.js";
import { type MemoryRecord, memoryTypes } from "../records/index.js";
import { cosine } from "../unit-vector.js";
import { countOf, recordLine, recordLines } from "./record-lines.js";
import { memoryTool } from "./tool.js";

const schema = z.strictObject({
  k: z.int().min(1).max(50).describe("how many memories to return"),
  strategy: z
    .enum(["random", "diverse", "recent"])
    .default("random")
    .describe("random; diverse: as unlike each other as can be; recent: the latest first"),
  memory_type: z.enum(memoryTypes).optional().describe("only memories of this type"),
});

export const sampleMemory = memoryTool({
  name: "sample_memory",
  description: "Shows some of the memories, without a query: a look at what there is.",
  schema,
  async run({ k, strategy, memory_type: type }, { store, random, style, mostBytes }) {
    const records = store.snapshot().filter(({ memoryType }) => type === undefined || memoryType === type);
    if (records.length === 0) {
      if (style === "compact") return "none";
      return store.size === 0
        ? "The memory is empty."
        : `No memory is ${type}; there are ${store.size} others.`;
    }
    const strategies = {
      random: () => atRandom(records, k, random),
      diverse: () => farthestPoints(records, k, store, random),
      recent: () => latest(records, k, store),
    };
    const chosen = strategies[strategy]();
    return recordLines(
      `${chosen.length} of ${countOf(store.size)} (${strategy}):`,
      chosen.map((record) => recordLine(record, style)),
      { style, mostBytes },
    );
  },
});

/** Samples without replacement, by the first k steps of a Fisher–Yates shuffle. */
function atRandom(records: readonly MemoryRecord[], k: number, random: () => number): MemoryRecord[] {
  const left = [...records];
  for (let i = 0; i < Math.min(k, left.length); i++) {
    const other = i + Math.floor(random() * (left.length - i));
    const [a, b] = [left[i] as MemoryRecord, left[other] as MemoryRecord];
    left[i] = b;
    left[other] = a;
  }
  return left.slice(0, k);
}

/**
 * Farthest-point sampling (Gonzalez, 1985) by cosine: each next record is the one least similar to its nearest chosen
 * record.
 */
function farthestPoints(
  records: readonly MemoryRecord[],
  k: number,
  store: MemoryStore,
  random: () => number,
): MemoryRecord[] {
  const vectors = records.map(({ id }) => store.vectorOf(id) as Int16Array);
  const nearest = new Float64Array(records.length).fill(-2);
  const chosen: MemoryRecord[] = [];
  let next = Math.floor(random() * records.length);
  while (chosen.length < Math.min(k, records.length)) {
    chosen.push(records[next] as MemoryRecord);
    const vector = vectors[next] as Int16Array;
    nearest[next] = Number.POSITIVE_INFINITY;
    let best = next;
    for (let i = 0; i < vectors.length; i++) {
      const known = nearest[i] as number;
      if (known === Number.POSITIVE_INFINITY) continue;
      nearest[i] = Math.max(known, cosine(vectors[i] as Int16Array, vector));
      if ((nearest[i] as number) < (nearest[best] as number)) best = i;
    }
    next = best;
  }
  return chosen;
}

/**
 * Sorts records changed here first, the latest first; then by when they were said, the latest first; then from the end
 * of the store.
 */
function latest(records: readonly MemoryRecord[], k: number, store: MemoryStore): MemoryRecord[] {
  const changed = new Map(store.changedIds().map((id, i) => [id, i]));
  const order = new Map(records.map(({ id }, i) => [id, i]));
  const rank = ({ id }: MemoryRecord) => changed.get(id) ?? Number.POSITIVE_INFINITY;
  return [...records]
    .sort((a, b) => {
      const [first, second] = [rank(a), rank(b)];
      if (first !== second) return first - second;
      const [said, other] = [a.dialogueTime ?? "", b.dialogueTime ?? ""];
      if (said !== other) return said < other ? 1 : -1;
      return (order.get(b.id) ?? 0) - (order.get(a.id) ?? 0);
    })
    .slice(0, k);
}
