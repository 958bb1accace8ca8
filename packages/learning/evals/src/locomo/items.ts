import {
  createRandom,
  type LocomoConversation,
  locomoDocument,
  locomoRecords,
  locomoSplit,
} from "@palimpsest/datasets";
import { EvaluationError } from "../error.js";
import { fingerprint } from "../suite/fingerprint.js";
import type { EvalItem } from "../suite/item.js";
import { knownWrong } from "./wrong-answers.js";

type LocomoQuestion = LocomoConversation["questions"][number];

/** Which questions of LoCoMo an evaluation asks. */
export interface LocomoItemOptions {
  /** Which conversations of MemUpdate's split are asked about. */
  readonly split: "train" | "test" | "all";
  /** What the store's records are made of. */
  readonly records: NonNullable<Parameters<typeof locomoRecords>[1]>;
  /** Also asks questions that the conversation does not answer, with the two options of the official prompt. */
  readonly adversarial?: boolean;
  /**
   * Ids of questions whose answers are known to be wrong, such as "conv-26-q17". They are a group of their own and do
   * not count for `limit`.
   */
  readonly wrongAnswers?: ReadonlySet<string>;
  /** Maximum number of questions per category of a conversation. */
  readonly limit?: number;
  /** Determines the order of the two options. */
  readonly seed: number | string;
}

export const notMentioned = "Not mentioned in the conversation";

/**
 * Returns LoCoMo's questions, with a group for each category and one for known wrong answers. The conversation is given as the store of records and,
 * for systems that read, as a document. As in the official evaluation temporal questions ask for a date, and
 * adversarial ones offer two options.
 * @throws {EvaluationError} BAD_CONFIG
 */
export function locomoItems(
  conversations: readonly LocomoConversation[],
  options: LocomoItemOptions,
): EvalItem[] {
  const ids = new Set(conversations.flatMap(({ id, questions }) => questions.map((one) => itemId(id, one))));
  const unknown = [...(options.wrongAnswers ?? [])].find((id) => !ids.has(id));
  if (unknown !== undefined) {
    throw new EvaluationError(
      "BAD_CONFIG",
      `wrong answers: "${unknown}" is no question of the input; its ids are such as "${[...ids][0]}"`,
    );
  }
  const chosen = conversations.filter(
    ({ id }) => options.split === "all" || locomoSplit(id) === options.split,
  );
  const items = chosen.flatMap((conversation) => itemsOf(conversation, options));
  if (items.length > 0) return items;
  throw new EvaluationError(
    "BAD_CONFIG",
    `input: none of the ${conversations.length} conversations is in the split "${options.split}"; choose another split`,
  );
}

const itemId = (conversation: string, { index }: LocomoQuestion): string => `${conversation}-q${index}`;

function itemsOf(conversation: LocomoConversation, options: LocomoItemOptions): EvalItem[] {
  const { adversarial = false, limit = Number.POSITIVE_INFINITY, seed } = options;
  const records = locomoRecords(conversation, options.records);
  const document = {
    fingerprint: fingerprint({
      conversation: conversation.id,
      turns: conversation.sessions.map(({ turns }) => turns),
    }),
    open: () => locomoDocument(conversation),
  };
  const counts = new Map<string, number>();
  return conversation.questions.flatMap((question): EvalItem[] => {
    const { category, index, answer, evidence } = question;
    const asked = askedAs(question, `${seed}/${conversation.id}/${index}`);
    if (category === "adversarial" ? !adversarial || asked === undefined : answer === null) return [];
    const id = itemId(conversation.id, question);
    const isWrong = options.wrongAnswers?.has(id) === true;
    const count = counts.get(category) ?? 0;
    if (!isWrong && count >= limit) return [];
    if (!isWrong) counts.set(category, count + 1);
    return [
      {
        id,
        group: isWrong ? knownWrong : category,
        question: asked?.question ?? question.question,
        ...(asked && asked.question !== question.question ? { searchQuery: question.question } : {}),
        answers: [answer ?? notMentioned],
        document,
        records,
        ...(evidence.length > 0 ? { evidence } : {}),
        metadata: { conversation: conversation.id, category, ...asked?.options },
      },
    ];
  });
}

function askedAs(
  { category, question, adversarialAnswer }: LocomoQuestion,
  seed: string,
): { readonly question: string; readonly options?: { readonly a: string; readonly b: string } } | undefined {
  if (category === "temporal") {
    return { question: `${question} Use the dates of the conversation and answer with an approximate date.` };
  }
  if (category !== "adversarial") return { question };
  if (adversarialAnswer === undefined) return undefined;
  const [a = "", b = ""] = createRandom(seed).shuffle([notMentioned, adversarialAnswer]);
  return { question: `${question} Choose the right answer: (a) ${a} (b) ${b}.`, options: { a, b } };
}
