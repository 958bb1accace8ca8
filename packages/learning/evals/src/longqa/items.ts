import { type FinishedContext, type QuestionSource, questionContext } from "@palimpsest/datasets";
import { EvaluationError } from "../error.js";
import { fingerprint } from "../suite/fingerprint.js";
import { type EvalItem, retrievalFields } from "../suite/item.js";
import { taskCategory } from "../task-category.js";

type EvidenceOrder = ReturnType<typeof questionContext>["evidenceOrder"];

/** Which questions an evaluation asks, with documents of which lengths in tokens. */
export interface LongQaOptions {
  readonly source: QuestionSource;
  /** Numbers of documents per context, one group of items for each. Default: each question's own paragraphs. */
  readonly lengths?: readonly number[];
  /** Determines the positions of the gold paragraphs and the distractors. */
  readonly seed: number | string;
  /** Selects items whose gold documents are at least this many documents apart. */
  readonly minDistance?: number;
  /** Selects items whose evidence is in this order; reverse is the hardest for a reader that does not look back. */
  readonly order?: EvidenceOrder | "any";
  /** Whether distractors must not contain an answer. */
  readonly answerFree?: boolean;
  /** Whether documents may be drawn again when the pool is too small. */
  readonly repeat?: boolean;
  /**
   * Maximum number of questions per group. Without a selection by distance or order they are the same in every group.
   */
  readonly limit?: number;
}

/**
 * Returns questions in contexts of several lengths: the same questions at every length, with documents that are built
 * when they are read. Complete contexts in files are used as they are, grouped by their number of documents, or else by
 * their category.
 * @throws {EvaluationError} BAD_CONFIG when no item is left; {DatasetError} BAD_CONFIG
 */
export function longQaItems(options: LongQaOptions): EvalItem[] {
  const { source } = options;
  const items = [...finishedItems(source.finished, options), ...builtItems(options)];
  if (items.length > 0) return items;
  const wanted = source.questions.length + source.finished.length;
  throw new EvaluationError(
    "BAD_CONFIG",
    `input: no item is left of ${wanted} questions; give files with questions, or lower the distance or change the order`,
  );
}

function builtItems(options: LongQaOptions): EvalItem[] {
  const { source, seed, lengths = [undefined], limit = Number.POSITIVE_INFINITY } = options;
  const poolPrint = fingerprint(source.pool.texts);
  return lengths.flatMap((docs) => {
    const group: EvalItem[] = [];
    for (const question of source.questions) {
      if (group.length >= limit) break;
      const settings = {
        docs,
        seed,
        answerFree: options.answerFree ?? false,
        repeat: options.repeat ?? false,
      };
      const context = questionContext(question, source.pool, settings);
      if (!wanted(context.evidenceOrder, context.minDistance, options)) continue;
      const { numDocs, goldDocuments, minDistance, evidenceOrder, goldTitles } = context;
      group.push({
        id: `${question.id}/${numDocs}`,
        questionKey: question.id,
        group: docs ?? "own",
        question: question.question,
        answers: question.answers,
        document: {
          fingerprint: fingerprint({
            pool: poolPrint,
            question: question.id,
            ...settings,
            docs: docs ?? null,
          }),
          open: () => context.document(),
        },
        evidence: goldTitles,
        metadata: {
          ...question.facts,
          numDocs,
          goldDocuments,
          evidenceOrder,
          ...(minDistance === undefined ? {} : { minDistance }),
        },
      });
    }
    return group;
  });
}

function finishedItems(contexts: readonly FinishedContext[], options: LongQaOptions): EvalItem[] {
  const { lengths, limit = Number.POSITIVE_INFINITY } = options;
  const counts = new Map<string | number, number>();
  return contexts.flatMap(({ task, document }): EvalItem[] => {
    const { numDocs, lengthTokens, minDistance, evidenceOrder, abstention } = task.metadata;
    const kind = abstention === true ? "abstention" : taskCategory(task.metadata);
    const group = groupOf(numDocs ?? lengthTokens ?? kind);
    if (lengths !== undefined && !lengths.some((length) => length === group)) return [];
    const distance = typeof minDistance === "number" ? minDistance : undefined;
    if (!wanted(String(evidenceOrder), distance, options)) return [];
    const count = counts.get(group) ?? 0;
    if (count >= limit) return [];
    counts.set(group, count + 1);
    return [
      {
        id: `${task.id}/${group}`,
        questionKey: task.id,
        group,
        question: task.question,
        answers: task.answers,
        document:
          task.document === ""
            ? { fingerprint: fingerprint({ task: task.id, group }), open: document }
            : task.document,
        ...(task.records ? { records: task.records } : {}),
        ...retrievalFields(task.metadata),
        metadata: task.metadata,
      },
    ];
  });
}

const groupOf = (value: string | number | boolean | undefined): string | number =>
  typeof value === "number" || typeof value === "string" ? value : "all";

function wanted(
  order: string,
  distance: number | undefined,
  { order: wantedOrder = "any", minDistance }: LongQaOptions,
): boolean {
  if (wantedOrder !== "any" && order !== wantedOrder) return false;
  return minDistance === undefined || (distance ?? 0) >= minDistance;
}
