import { memoryTypes } from "@palimpsest/trajectories/records";
import { z } from "zod";
import { answerTextSchema } from "../answer-text.js";
import { type RowProblem, readRow } from "../row-problem.js";

const plainValues = z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]));

/** A record of a memory store, in a row or in a file of stores. */
export const memoryRecordSchema = z.strictObject({
  id: z.string().min(1).describe("unique within its store"),
  content: z.string(),
  memoryType: z.enum(memoryTypes),
  speaker: z.string().exactOptional(),
  session: z.string().exactOptional().describe("session of the dialogue, such as session_3"),
  dialogueTime: z.string().exactOptional().describe("when it was said, in ISO 8601 without a time zone"),
  createdAt: z.string().exactOptional().describe("when the record was created, in ISO 8601"),
  updatedAt: z.string().exactOptional().describe("when the record was last changed, in ISO 8601"),
  source: z
    .string()
    .exactOptional()
    .describe("where the record comes from: observation, dialogue, event or agent"),
  provenance: z
    .array(z.string())
    .default([])
    .describe("ids of the records or dialogue turns that it was derived from"),
  metadata: plainValues.default({}),
});

const probeSchema = z.strictObject({
  question: z.string().min(1),
  answers: z
    .array(answerTextSchema)
    .describe("right answers, any one of which suffices; empty: the store cannot answer"),
  category: z.string().exactOptional(),
  evidence: z.array(z.string()).exactOptional().describe("dialogue turns that contain the answer"),
  heldOut: z.boolean().describe("whether the question is kept from the agent"),
});

/**
 * A document given by the indices of its paragraphs in a corpus file, which is how very long contexts are written, and
 * texts that many tasks share.
 */
const indexedDocumentSchema = z.strictObject({
  corpus: z.string().min(1).describe("JSON file with an array of paragraphs, relative to the file of tasks"),
  indices: z
    .array(z.int().min(0))
    .min(1)
    .describe("indices of paragraphs in the corpus, from 0, in the order of the documents"),
  plain: z
    .boolean()
    .exactOptional()
    .describe("whether blank lines join the paragraphs; else each has a heading, such as Document 3:"),
});

/** A store given by its name in a file that several tasks share. */
const namedStoreSchema = z.strictObject({
  stores: z.string().min(1).describe("JSON file of stores by name, relative to the file of tasks"),
  store: z.string().min(1).describe("name of the store"),
});

const shared = {
  id: z.string().min(1).describe("unique within the file"),
  document: z.union([z.string(), indexedDocumentSchema]),
  metadata: plainValues.default({}),
  records: z
    .union([z.array(memoryRecordSchema), namedStoreSchema])
    .exactOptional()
    .describe("records of the memory store when the episode begins"),
};

/** One line of a task file. */
export const taskRowSchema = z.strictObject({
  ...shared,
  question: z.string().min(1),
  answers: z.array(answerTextSchema).min(1).describe("right answers, any one of which suffices"),
  probes: z.array(probeSchema).length(0).exactOptional(),
});

/** One line of a task file with probes, which are asked about the store after the episode. */
const probedTaskRowSchema = z.strictObject({
  ...shared,
  question: z.string(),
  answers: z.array(answerTextSchema),
  probes: z.array(probeSchema).min(1).describe("questions that the store is asked after the episode"),
});

export type MemoryRecordRow = z.output<typeof memoryRecordSchema>;
export type NamedStore = z.output<typeof namedStoreSchema>;
/** A document by the indices of its paragraphs in a corpus. */
export interface IndexedDocument {
  readonly corpus: string;
  readonly indices: readonly number[];
  readonly plain?: boolean;
}

/**
 * Parses one line of a task file with the schema that its fields require.
 * @returns the line, or what is wrong with it
 */
export function parseTaskRow(
  value: unknown,
): { readonly data: z.output<typeof taskRowSchema> | z.output<typeof probedTaskRowSchema> } | RowProblem {
  const probes = typeof value === "object" && value !== null && "probes" in value ? value.probes : [];
  const none = Array.isArray(probes) && probes.length === 0;
  return none ? readRow(taskRowSchema, value) : readRow(probedTaskRowSchema, value);
}
