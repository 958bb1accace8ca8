import type { Task } from "@palimpsest/trajectories";
import { z } from "zod";
import { answersSchema } from "../answer-text.js";
import { evidencePlaces } from "../paragraphs/evidence-places.js";
import { type RowProblem, readRow } from "../row-problem.js";
import { idOfQuestion } from "./source-question.js";

/**
 * A row with a finished context. It is a task, except that `indices`, if present, must be resolved in a corpus to get
 * the document.
 */
export interface FinishedRow {
  readonly task: Task;
  readonly indices?: readonly number[];
}

const text = z.string().trim().min(1);
const id = z.union([text, z.int()]).optional();
const document = z.string().min(1);

/** A row of MemAgent's parquet files. */
const memAgentSchema = z.object({
  prompt: z.array(z.object({ content: text })).min(1),
  context: document,
  reward_model: z.object({ ground_truth: answersSchema }),
  data_source: z.string().optional(),
  extra_info: z
    .object({ index: id, question: z.string().optional(), num_docs: z.int().optional() })
    .nullish(),
});

/** A row of vime's JSON lines. */
const vimeSchema = z.object({
  id,
  prompt: z.union([
    text,
    z
      .array(z.object({ content: text }))
      .min(1)
      .transform((turns) => turns.at(-1)?.content ?? ""),
  ]),
  label: answersSchema.optional(),
  metadata: z.looseObject({
    context: document,
    ground_truth: answersSchema.optional(),
    num_docs: z.int().optional(),
    data_source: z.string().optional(),
  }),
});

/** A row of RULER-HQA's evaluation files, or of RULER's own, which call the answers `outputs`. */
const evalSchema = z.looseObject({
  input: text,
  context: z.union([
    document,
    z.array(z.int().min(0)).min(1),
    z.tuple([z.array(z.int().min(0)).min(1)]).transform(([one]) => one),
  ]),
  answers: answersSchema.optional(),
  outputs: answersSchema.optional(),
  num_docs: z.int().optional(),
  index: id,
  id,
  _id: id,
  data_source: z.string().optional(),
});

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null;

/** Whether a row is in one of the formats that contain a finished context, be it valid or not. */
export function isFinishedRow(value: unknown): boolean {
  if (!isObject(value)) return false;
  return "reward_model" in value || "input" in value || (isObject(value["metadata"]) && "prompt" in value);
}

/** Reads a row of MemAgent's parquet, of vime's JSON lines or of a RULER-HQA evaluation file. */
export function finishedRow(value: unknown, dataSource: string): FinishedRow | RowProblem {
  if (isObject(value) && "reward_model" in value) return memAgentRow(value, dataSource);
  if (isObject(value) && "input" in value) return evalRow(value, dataSource);
  return vimeRow(value, dataSource);
}

function memAgentRow(value: unknown, dataSource: string): FinishedRow | RowProblem {
  const row = readRow(memAgentSchema, value);
  if ("reason" in row) return row;
  const { prompt, context, reward_model, data_source, extra_info } = row.data;
  const question = extra_info?.question?.trim() || (prompt.at(-1)?.content as string);
  const source = data_source ?? dataSource;
  return {
    task: {
      id: idOf(source, extra_info?.index, question),
      question,
      answers: reward_model.ground_truth,
      document: context,
      metadata: { dataSource: source, ...docs(extra_info?.num_docs) },
    },
  };
}

function vimeRow(value: unknown, dataSource: string): FinishedRow | RowProblem {
  const row = readRow(vimeSchema, value);
  if ("reason" in row) return row;
  const { prompt, label, metadata } = row.data;
  const { context, ground_truth, num_docs, data_source, ...rest } = metadata;
  const answers = ground_truth ?? label;
  if (answers === undefined)
    return {
      reason: "missing-field",
      detail: "label: is missing, and so is metadata.ground_truth; a row needs one of them",
    };
  const source = data_source ?? dataSource;
  const given = row.data.id ?? rest["id"];
  return {
    task: {
      id:
        typeof given === "string"
          ? given
          : idOf(source, typeof given === "number" ? given : undefined, prompt),
      question: prompt,
      answers,
      document: context,
      metadata: { dataSource: source, ...docs(num_docs), ...plain(rest, ["id"]) },
    },
  };
}

function evalRow(value: unknown, dataSource: string): FinishedRow | RowProblem {
  const row = readRow(evalSchema, value);
  if ("reason" in row) return row;
  const {
    input,
    context,
    answers,
    outputs,
    num_docs,
    index,
    id: ownId,
    _id,
    data_source,
    ...rest
  } = row.data;
  const source = data_source ?? dataSource;
  const wanted = answers ?? outputs;
  if (wanted === undefined)
    return {
      reason: "missing-field",
      detail: "answers: is missing, and so is outputs; a row needs one of them",
    };
  const own = ownId ?? _id;
  const indices = typeof context === "string" ? undefined : context;
  return {
    task: {
      id: own === undefined ? idOf(source, index, input) : String(own),
      question: input,
      answers: wanted,
      document: typeof context === "string" ? context : "",
      metadata: {
        dataSource: source,
        ...docs(num_docs ?? indices?.length),
        ...evidence(rest),
        ...plain(rest, evidenceFields),
      },
    },
    ...(indices === undefined ? {} : { indices }),
  };
}

const evidenceFields = ["gold_docs", "evidence_idx", "min_distance", "is_ordered", "is_reverse_ordered"];
const placesSchema = z.array(z.int().min(0)).min(1);

/** Returns the positions of the gold documents: `gold_docs` counts from 1, `evidence_idx` from 0. */
function evidence(rest: Readonly<Record<string, unknown>>) {
  const fromOne = placesSchema.safeParse(rest["gold_docs"]);
  const fromZero = placesSchema.safeParse(rest["evidence_idx"]);
  if (fromOne.success) return evidencePlaces([...new Set(fromOne.data)]);
  return fromZero.success ? evidencePlaces([...new Set(fromZero.data)].map((place) => place + 1)) : {};
}

const docs = (numDocs: number | undefined) => (numDocs === undefined ? {} : { numDocs });

function idOf(source: string, index: string | number | undefined, question: string): string {
  return index === undefined ? idOfQuestion(question) : `${source}-${index}`;
}

function plain(values: Readonly<Record<string, unknown>>, except: readonly string[]) {
  const kept: Record<string, string | number | boolean> = {};
  for (const [name, value] of Object.entries(values)) {
    if (except.includes(name)) continue;
    if (typeof value === "string" || typeof value === "number" || typeof value === "boolean")
      kept[name] = value;
  }
  return kept;
}
