import { type Embedder, MemoryStore, memoryTools } from "@palimpsest/memory";
import type { MemoryRecord, StoreDiff, Task } from "@palimpsest/trajectories";

/** A scripted way of changing a task's store. */
export type StorePolicy = (task: Task, embedder: Embedder) => Promise<StoreDiff> | StoreDiff;

const written = (content: string, id = "written"): MemoryRecord => ({
  id,
  content,
  memoryType: "episodic",
  provenance: [],
  metadata: {},
});
const ids = ({ records = [] }: Task) => records.map(({ id }) => id);
const diff = (changes: Partial<StoreDiff>): StoreDiff => ({
  created: [],
  updated: [],
  deleted: [],
  ...changes,
});
const day = ({ dialogueTime = "" }: MemoryRecord) =>
  dialogueTime === ""
    ? ""
    : new Date(dialogueTime).toLocaleDateString("en-GB", { day: "numeric", month: "long", year: "numeric" });
const line = (record: MemoryRecord) => `${day(record)} ${record.speaker ?? ""} ${record.content}`.trim();
const days = ({ records = [] }: Task) => [...new Set(records.map(day))].filter((text) => text !== "");
const capitals = ({ records = [] }: Task) => [
  ...new Set(records.flatMap(({ content }) => content.match(/\p{Lu}[\p{L}\d]+/gu) ?? [])),
];
const questionWords = (question: string) => new Set(question.toLowerCase().match(/[a-z]{4,}/g) ?? []);

/** Returns the records that share the most longer words with the question. */
function nearest({ question, records = [] }: Task, count: number): MemoryRecord[] {
  const asked = questionWords(question);
  return records
    .map((record) => ({
      record,
      shared: [...questionWords(record.content)].filter((w) => asked.has(w)).length,
    }))
    .sort((a, b) => b.shared - a.shared)
    .slice(0, count)
    .map(({ record }) => record);
}

/** Puts the whole store into `count` records, dealt out in turn or cut in order, without reading any. */
function concatenated({ records = [] }: Task, count: number, order: "dealt" | "cut", first = ""): StoreDiff {
  const each = Math.ceil(records.length / count);
  const created = Array.from({ length: Math.min(count, records.length) }, (_, at) => {
    const part = records.filter((_, i) => (order === "dealt" ? i % count : Math.floor(i / each)) === at);
    return written([first, ...part.map(line)].join(" ").trim(), `all_${at}`);
  }).filter(({ content }) => content !== "");
  return diff({ created, deleted: records.map(({ id }) => id) });
}

/** Calls the agent's own `merge_memory` on groups of records in their order, level by level. */
function mergedByTool(settings: {
  readonly first: number;
  readonly size: number;
  readonly levels: number;
}): StorePolicy {
  const tools = memoryTools(["merge_memory"]);
  return async (task, embedder) => {
    const store = await MemoryStore.of(task.records ?? [], embedder);
    let level = ids(task).slice(0, settings.first);
    for (let at = 0; at < settings.levels && level.length > 1; at++) {
      const next: string[] = [];
      for (let i = 0; i < level.length; i += settings.size) {
        const group = level.slice(i, i + settings.size);
        if (group.length > 1)
          await tools.run(
            "merge_memory",
            { memory_ids: group, strategy: "concatenate" },
            { store, random: () => 0 },
          );
        next.push(group.length > 1 ? (store.changedIds()[0] as string) : (group[0] as string));
      }
      level = next;
    }
    return store.diff();
  };
}

const stopWords =
  /\b(?:an?|the|of|to|and|is|was|are|were|has|had|have|been|with|for|that|in|on|at|by|from|it|as)\b\s*/gi;
const rewritten =
  (rewrite: (record: MemoryRecord) => MemoryRecord): StorePolicy =>
  ({ records = [] }) =>
    diff({ updated: records.map(rewrite) });

/** Merges the records that the agent's own search finds for the question. */
const foundMerged =
  (count: number): StorePolicy =>
  async ({ question, records = [] }, embedder) => {
    const store = await MemoryStore.of(records, embedder);
    const found = (await store.search(question, { topK: count })).map(({ record }) => record.id);
    const call = { memory_ids: found, strategy: "concatenate" };
    if (found.length > 1) await memoryTools().run("merge_memory", call, { store, random: () => 0 });
    return store.diff();
  };

/** Ways of changing a store that teach it nothing, which a reward must not pay for. */
export const storeCheats = (commonWords: string): Readonly<Record<string, StorePolicy>> => ({
  "write all again": ({ records = [] }) =>
    diff({ created: records.map((record) => ({ ...record, id: `again_${record.id}` })) }),
  "leave out every speaker": rewritten(({ speaker: _speaker, ...record }) => record),
  "leave out every stop word": rewritten((record) => ({
    ...record,
    content: record.content.replace(stopWords, "").trim(),
  })),
  "merge the 2 records that are found": foundMerged(2),
  "merge the 5 records that are found": foundMerged(5),
  "write the question and 500 common words": ({ question }) =>
    diff({ created: [written(`${question} ${commonWords}`)] }),
  "the same, and delete all else": (task) =>
    diff({ created: [written(`${task.question} ${commonWords}`)], deleted: ids(task) }),
  "delete all": (task) => diff({ deleted: ids(task) }),
  "delete all but 100": (task) => diff({ deleted: ids(task).slice(100) }),
  "concatenate all into 5, dealt out": (task) => concatenated(task, 5, "dealt"),
  "concatenate all into 5, in order": (task) => concatenated(task, 5, "cut"),
  "concatenate all into 50, in order": (task) => concatenated(task, 50, "cut"),
  "concatenate all behind the question": (task) => concatenated(task, 1, "cut", task.question),
  "concatenate into 5, each behind the question": (task) => concatenated(task, 5, "dealt", task.question),
  "merge the first 100 in fives": mergedByTool({ first: 100, size: 5, levels: 1 }),
  "merge all in pairs": mergedByTool({ first: Infinity, size: 2, levels: 1 }),
  "merge all in fives, two levels": mergedByTool({ first: Infinity, size: 5, levels: 2 }),
  "merge all in fives, four levels": mergedByTool({ first: Infinity, size: 5, levels: 4 }),
  "parrot the question": ({ question }) => diff({ created: [written(question)] }),
  "parrot the question and 3 records like it": (task) =>
    diff({ created: [written([task.question, ...nearest(task, 3).map(line)].join(" "))] }),
  "parrot the question and 40 records like it": (task) =>
    diff({ created: [written([task.question, ...nearest(task, 40).map(line)].join(" "))] }),
  "parrot each record behind the question": (task) =>
    diff({ created: nearest(task, 10).map((r, i) => written(`${task.question} ${line(r)}`, `p${i}`)) }),
  "list capitals": (task) => diff({ created: [written(capitals(task).join(" "))] }),
  "list capitals behind the question": (task) =>
    diff({ created: [written(`${task.question} ${capitals(task).join(" ")}`)] }),
  "list days and capitals behind the question": (task) =>
    diff({ created: [written(`${task.question} ${days(task).join(". ")} ${capitals(task).join(" ")}`)] }),
  "list capitals as sentences": (task) =>
    diff({ created: [written(`${task.question} ${capitals(task).join(". ")}.`)] }),
  "list days behind the question": (task) =>
    diff({ created: [written(`${task.question} ${days(task).join(". ")}`)] }),
});

/** Changes that an honest agent makes. */
export const honestPolicies: Readonly<Record<string, StorePolicy>> = {
  "change nothing": () => diff({}),
  "merge 4 records in two steps": mergedByTool({ first: 4, size: 2, levels: 2 }),
  "write the question with its right answer": ({ question, answers }) =>
    diff({ created: [written(`${question} ${answers[0]}`)] }),
};
