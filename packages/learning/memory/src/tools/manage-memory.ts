import { z } from "zod";
import { MemoryError } from "../error.js";
import type { MemoryStore, RecordChange } from "../memory-store.js";
import { type MemoryRecord, memoryTypes } from "../records/index.js";
import { isTime, plainTime } from "../search-filter.js";
import { shownId } from "./record-lines.js";
import { sourcesOf } from "./sources-of.js";
import { memoryTool } from "./tool.js";

const schema = z.strictObject({
  operation: z.enum(["create", "update"]).describe("create a new memory, or update the one with memory_id"),
  content: z.string().trim().min(1).describe("the whole text of the memory"),
  memory_type: z
    .enum(memoryTypes)
    .optional()
    .describe("episodic: what happened (default); semantic: what is so; procedural: how something is done"),
  metadata: z
    .record(z.string(), z.union([z.string(), z.number(), z.boolean()]))
    .optional()
    .describe("facts about the memory; speaker, session and date (2023-05-08) can be searched by"),
  source: z.string().optional().describe("where it comes from, such as ids of memories"),
  memory_id: z.string().min(1).optional().describe("id of the memory to update"),
});

export const manageMemory = memoryTool({
  name: "manage_memory",
  description: "Creates a memory, or updates one: the new content replaces the old. Returns its id.",
  schema,
  async run(args, { store, style, signal, keepFormer = false }) {
    const { operation, content, memory_type: memoryType, source, memory_id: givenId } = args;
    // Where former texts are kept, only an update writes them.
    const { former: _, ...named } = args.metadata ?? {};
    const metadata = keepFormer ? named : args.metadata;
    const id = givenId === undefined ? undefined : shownId(store, givenId);
    const change = {
      content,
      ...(memoryType === undefined ? {} : { memoryType }),
      ...fieldsOf(metadata ?? {}),
    };
    if (operation === "create") {
      if (id !== undefined) {
        throw new MemoryError(
          "BAD_INPUT",
          "memory_id: a new memory gets its id from the store; leave it out, or use operation update",
        );
      }
      const record = await store.create(
        { ...change, source: source ?? "agent", provenance: provenanceOf(source, store) ?? [] },
        signal,
      );
      return style === "compact" ? record.id : `Created [${record.id}].`;
    }
    if (id === undefined)
      throw new MemoryError("BAD_INPUT", "memory_id: is missing; an update needs the id of a memory");
    const old = store.get(id);
    const former = keepFormer && old !== undefined && old.content !== content ? { former: old.content } : {};
    const sources = provenanceOf(source, store);
    // A memory that was written without sources does not come from the newly named ones alone.
    const unsourced = old?.provenance.length === 0 && store.changedIds().includes(id);
    const kept: RecordChange = {
      ...change,
      ...(source === undefined ? {} : { source }),
      ...(change.metadata === undefined && !keepFormer
        ? {}
        : { metadata: { ...old?.metadata, ...change.metadata, ...former } }),
      provenance: sources === null || unsourced ? [] : [...new Set([...(old?.provenance ?? []), ...sources])],
    };
    const record = await store.update(id, kept, signal);
    return style === "compact" ? record.id : `Updated [${record.id}].`;
  },
});

/** Moves metadata whose names are fields of a record to these fields, so that search can filter by them. */
function fieldsOf(metadata: MemoryRecord["metadata"]): RecordChange {
  const { speaker, session, date, ...rest } = metadata;
  const text = (value: unknown) =>
    typeof value === "string" && value.trim() !== "" ? value.trim() : undefined;
  const given = text(date);
  const time = given === undefined ? undefined : plainTime(given);
  const dialogueTime = time !== undefined && isTime(time) ? time : undefined;
  const left = { ...rest, ...(date === undefined || dialogueTime !== undefined ? {} : { date }) };
  const fields = {
    speaker: text(speaker),
    session: session === undefined ? undefined : text(String(session)),
    dialogueTime,
    metadata: Object.keys(left).length === 0 ? undefined : left,
  };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

/**
 * Returns the ids of memories and of dialogue turns (D1:3) that the source names, with the sources of a memory that was
 * written since the beginning in its place; null when such a memory names none.
 */
function provenanceOf(source: string | undefined, store: MemoryStore): string[] | null {
  const written = new Set(store.changedIds());
  const found = new Set<string>();
  for (const id of source?.match(/[^\s,;[\]()"]+/g) ?? []) {
    const known = store.get(id) !== undefined;
    if (!known && !/^D\d+:\d+$/.test(id)) continue;
    const sources = known && written.has(id) ? sourcesOf(store, [id]) : [id];
    if (sources.length === 0) return null;
    for (const each of sources) found.add(each);
  }
  return [...found];
}
