import { z } from "zod";
import { MemoryError } from "../error.js";
import type { MemoryStore, RecordDraft } from "../memory-store.js";
import { bySpeaker, byTheme, byTime, type Part } from "./parts.js";
import { recordLine, recordLines, shownId } from "./record-lines.js";
import { sourcesOf } from "./sources-of.js";
import { memoryTool } from "./tool.js";

const schema = z.strictObject({
  memory_id: z.string().min(1).describe("id of the memory to split"),
  criteria: z
    .enum(["temporal", "thematic", "speaker"])
    .describe(
      "temporal: where another time begins; thematic: where the subject changes; speaker: one a speaker",
    ),
  parts: z
    .array(z.string().trim().min(1))
    .min(2)
    .max(10)
    .optional()
    .describe("your own texts of the parts; without them the memory is cut between its sentences"),
});

export const splitMemory = memoryTool({
  name: "split_memory",
  description: "Makes several memories of one; date and speaker are kept, the old one goes.",
  schema,
  async run({ memory_id: named, criteria, parts: texts }, { store, style, signal, mostBytes }) {
    const id = shownId(store, named);
    const record = store.get(id);
    if (record === undefined) throw new MemoryError("NOT_FOUND", `no memory has the id "${id}"`);
    const parts =
      texts === undefined
        ? await partsOf(criteria, record.content, store, signal)
        : texts.map((text) => (criteria === "speaker" ? givenPart(text, record.content) : { text }));
    if (parts.length < 2) throw new MemoryError("BAD_INPUT", `${refusals[criteria]}; give parts yourself`);
    const { memoryType, speaker, session, dialogueTime, source, metadata } = record;
    const common: Omit<RecordDraft, "content"> = {
      memoryType,
      metadata,
      provenance: sourcesOf(store, [id]),
      ...(speaker === undefined ? {} : { speaker }),
      ...(session === undefined ? {} : { session }),
      ...(dialogueTime === undefined ? {} : { dialogueTime }),
      ...(source === undefined ? {} : { source }),
    };
    const made = await store.replace(
      [id],
      parts.map(({ text, speaker: named }) => ({
        ...common,
        content: text,
        ...(named === undefined ? {} : { speaker: named }),
      })),
      signal,
    );
    return recordLines(
      `Split ${id} into:`,
      made.map((part) => recordLine(part, style)),
      { style, mostBytes },
    );
  },
});

const refusals = {
  temporal: "criteria: the memory does not speak of two times",
  thematic: "criteria: the memory is one sentence",
  speaker: 'criteria: the memory does not hold what two people said, as "Anna: …"',
};

/**
 * Builds a record from a part that the model wrote. Its label becomes the speaker only when the memory itself names
 * that speaker and nobody else speaks in the part: what is removed from the text must be in the record's speaker.
 */
function givenPart(text: string, memory: string): Part {
  const [said, ...others] = bySpeaker(text);
  if (said?.speaker === undefined || others.length > 0) return { text };
  const isWhole = text === `${said.speaker}: ${said.text}`;
  const known = bySpeaker(memory).some(({ speaker }) => speaker === said.speaker);
  return isWhole && known ? said : { text };
}

async function partsOf(
  criteria: keyof typeof refusals,
  content: string,
  store: MemoryStore,
  signal: AbortSignal | undefined,
): Promise<readonly Part[]> {
  if (criteria === "temporal") return byTime(content);
  if (criteria === "speaker") return bySpeaker(content);
  return await byTheme(content, (texts) => store.embed(texts, signal));
}
