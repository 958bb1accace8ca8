import type { DocumentText } from "@palimpsest/agents";
import { checkKind } from "@palimpsest/std/input";
import type { Task } from "@palimpsest/trajectories";
import { EvaluationError } from "../error.js";
import { fingerprint } from "./fingerprint.js";

/** A document that is built when it is read, so that hundreds of long ones are never in memory at once. */
export interface LazyDocument {
  /** Identifies the document without building it: source, length and seed. */
  readonly fingerprint: string;
  /** Returns the text. It may be called several times and returns the same text each time. */
  open(): DocumentText | Promise<DocumentText>;
}

/** One question of a suite, which every system is asked. */
export interface EvalItem {
  /** Unique within the suite. */
  readonly id: string;
  /** Column of the report, such as a length in tokens or documents, or a category. */
  readonly group: string | number;
  /** Equal for the same question in several groups, so that groups can be compared item by item. */
  readonly questionKey?: string;
  readonly question: string;
  /** The bare question, when `question` also says how to answer. Searches and editors of stores use it. */
  readonly searchQuery?: string;
  /** At least one answer, any of which counts as right, unless the scorer wants all of them. */
  readonly answers: readonly string[];
  /** The document to read; "" when the item is about a store of records. */
  readonly document: string | LazyDocument;
  /** The records with which a memory agent's store starts. */
  readonly records?: Task["records"];
  /** Questions that are asked of the store afterwards. */
  readonly probes?: Task["probes"];
  /** Ids of what contains the answer, such as paragraph titles or dialogue turns, which a retriever should find. */
  readonly evidence?: readonly string[];
  readonly metadata: Readonly<Record<string, string | number | boolean>>;
}

/** Returns the item's document as an agent reads it. */
export async function openDocument(item: EvalItem): Promise<DocumentText> {
  return typeof item.document === "string" ? item.document : await item.document.open();
}

/** Returns the item's document as one text. */
export async function documentText(item: EvalItem): Promise<string> {
  const document = await openDocument(item);
  if (typeof document === "string") return document;
  const pieces: string[] = [];
  for await (const piece of document) pieces.push(piece);
  return pieces.join("");
}

/** Returns a fingerprint that changes whenever anything of the item changes. */
export function itemFingerprint(item: EvalItem): string {
  const {
    id,
    group,
    question,
    searchQuery,
    answers,
    document,
    records = null,
    probes,
    evidence = [],
    metadata,
  } = item;
  return fingerprint({
    id,
    group,
    question,
    searchQuery,
    answers,
    document: typeof document === "string" ? document : { lazy: document.fingerprint },
    records,
    ...(probes === undefined ? {} : { probes }),
    evidence,
    metadata,
  });
}

/** Returns what a task's metadata tell retrievers: the question's bare text, and the ids of the evidence. */
export function retrievalFields({
  searchQuery,
  evidence,
}: Task["metadata"]): Pick<EvalItem, "searchQuery" | "evidence"> {
  return {
    ...(typeof searchQuery === "string" ? { searchQuery } : {}),
    ...(typeof evidence === "string" ? { evidence: evidence.split(" ") } : {}),
  };
}

/**
 * Makes an item of a task.
 * @param group the group under which the item is listed; default: the task's `lengthTokens`, then `numDocs`, then "all"
 */
export function itemOfTask(task: Task, group?: string | number): EvalItem {
  const refuse = (problem: string) => new EvaluationError("BAD_CONFIG", problem);
  checkKind(task, "task of itemOfTask()", "an object", refuse);
  const { id, question, answers, document, records, probes, metadata } = task;
  checkKind(id, "task of itemOfTask(): id", "a text", refuse);
  // The questions of a store are its probes.
  if (question !== "" || probes === undefined)
    checkKind(question, "task of itemOfTask(): question", "a text", refuse);
  if (document !== "") checkKind(document, "task of itemOfTask(): document", "a text", refuse);
  checkKind(answers, "task of itemOfTask(): answers", "a list", refuse);
  checkKind(metadata, "task of itemOfTask(): metadata", "an object", refuse);
  const { lengthTokens, numDocs } = metadata;
  const own = [lengthTokens, numDocs].find((value) => typeof value === "number");
  return {
    id,
    group: group ?? (typeof own === "number" ? own : "all"),
    question,
    answers,
    document,
    ...(records ? { records } : {}),
    ...(probes ? { probes } : {}),
    ...retrievalFields(metadata),
    metadata,
  };
}
