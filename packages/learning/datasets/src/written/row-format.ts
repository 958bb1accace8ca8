import { taskRow } from "../jsonl.js";
import { goldDocumentsOf } from "../paragraphs/evidence-places.js";
import type { PreparedTask } from "../prepare/preparer.js";
import type { IndexedDocument, NamedStore } from "./task-row.js";

/**
 * The formats in which tasks are written: this project's JSONL, vime's JSONL, or the JSON array of RULER-HQA's
 * evaluation files.
 */
export const rowFormats = ["task", "vime", "eval"] as const;
/** The formats of files of tasks. */
export type RowFormat = (typeof rowFormats)[number];

/** Contexts of at least this many documents are written as indices into a corpus, as in RULER-HQA's files. */
export const indexedFrom = 12_800;

/** The parts of a task that are stored in other files than its own. */
export interface WrittenBeside {
  readonly context: IndexedDocument | undefined;
  readonly records: NamedStore | undefined;
}

/** Formats one row of a file, without the line end. */
export function formatRow(
  format: RowFormat,
  task: PreparedTask,
  index: number,
  { context: indexed, records }: WrittenBeside,
): string {
  switch (format) {
    case "task":
      return JSON.stringify(
        taskRow(task, {
          document: indexed && { ...indexed, indices: [...indexed.indices] },
          records,
        }),
      );
    case "vime":
      return JSON.stringify(vimeRow(task));
    case "eval":
      return JSON.stringify(evalRow(task, index, indexed));
  }
}

function vimeRow({ id, question, answers, document, metadata }: PreparedTask) {
  const { dataSource, numDocs, ...rest } = metadata;
  return {
    prompt: question,
    label: answers[0],
    metadata: {
      context: document,
      ground_truth: answers,
      ...(numDocs === undefined ? {} : { num_docs: numDocs }),
      ...(dataSource === undefined ? {} : { data_source: dataSource }),
      id,
      ...rest,
    },
  };
}

function evalRow(task: PreparedTask, index: number, indexed: IndexedDocument | undefined) {
  const { dataSource, numDocs, goldDocuments: _, minDistance, evidenceOrder, ...rest } = task.metadata;
  const gold = goldDocumentsOf(task.metadata);
  return {
    context: indexed?.indices ?? task.document,
    input: task.question,
    answers: task.answers,
    ...(numDocs === undefined ? {} : { num_docs: numDocs }),
    index,
    id: task.id,
    ...(dataSource === undefined ? {} : { data_source: dataSource }),
    ...(gold.length === 0 ? {} : { evidence_idx: gold.map((place) => place - 1) }),
    ...(minDistance === undefined ? {} : { min_distance: minDistance }),
    ...(evidenceOrder === undefined
      ? {}
      : { is_ordered: evidenceOrder === "forward", is_reverse_ordered: evidenceOrder === "reverse" }),
    ...rest,
  };
}
