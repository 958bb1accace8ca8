import { createRandom } from "@palimpsest/std/random";
import { locomoCategories, type Probe } from "@palimpsest/trajectories/records";
import { z } from "zod";
import type { PreparedTask } from "../prepare/preparer.js";
import type { LocomoConversation, LocomoQuestion } from "./conversation.js";
import { locomoSplit } from "./split.js";
import { locomoDocument, locomoRecords, recordSources } from "./store-records.js";

/** The schema of how LoCoMo's conversations become tasks. */
export const locomoOptionsSchema = z.strictObject({
  records: z
    .array(z.enum(recordSources))
    .min(1)
    .default(["observation"])
    .describe("sources of the records in the memory store"),
  adversarial: z
    .boolean()
    .default(false)
    .describe("also asks the adversarial questions, which the conversation does not answer"),
  categories: z
    .array(z.enum(locomoCategories))
    .default([])
    .describe("categories to ask; empty: all of them, the adversarial one only with --adversarial"),
  asked: z
    .int()
    .min(1)
    .max(50)
    .default(1)
    .describe("questions per task that the agent is shown and the store is then asked"),
  heldOut: z
    .int()
    .min(0)
    .max(300)
    .default(4)
    .describe("further questions per task that the store is asked and the agent is not shown"),
  document: z.boolean().default(false).describe("also gives each task the whole dialogue as its document"),
});
/** How LoCoMo's conversations become tasks, with all defaults filled in. */
export type LocomoOptions = z.output<typeof locomoOptionsSchema>;

/**
 * Creates one task for every `asked` questions of a conversation, in the file's order. All tasks of a conversation
 * share one array of records. The probes of a task are the questions that it shows, followed by held-out ones, which
 * are drawn for each task.
 * @param leftOut called for each question that the options leave out
 */
export function locomoTasks(
  conversation: LocomoConversation,
  options: LocomoOptions,
  seed: number | string,
  leftOut: (reason: string) => void = () => undefined,
): PreparedTask[] {
  const wanted = conversation.questions.filter((question) => {
    const reason = reasonToLeaveOut(question, options);
    if (reason !== null) leftOut(reason);
    return reason === null;
  });
  const records = locomoRecords(conversation, options.records);
  const document = options.document ? locomoDocument(conversation) : "";
  const tasks: PreparedTask[] = [];
  for (let at = 0; at < wanted.length; at += options.asked) {
    const asked = wanted.slice(at, at + options.asked);
    const [first] = asked as [LocomoQuestion];
    const id = `locomo-${conversation.id}-q${first.index}`;
    const categories = new Set(asked.map(({ category }) => category));
    tasks.push({
      id,
      question: asked.map(({ question }) => question).join("\n"),
      answers: asked.length === 1 && first.answer !== null ? [first.answer] : [],
      document,
      metadata: {
        dataSource: "locomo",
        conversation: conversation.id,
        split: locomoSplit(conversation.id),
        category: categories.size === 1 ? first.category : "mixed",
        ...(asked.length === 1 && first.adversarialAnswer !== undefined
          ? { adversarialAnswer: first.adversarialAnswer }
          : {}),
      },
      records,
      store: conversation.id,
      probes: [
        ...asked.map((question) => probeOf(question, false)),
        ...drawHeldOut(wanted, asked, options.heldOut, `${seed}/${id}`),
      ],
    });
  }
  return tasks;
}

function reasonToLeaveOut({ category }: LocomoQuestion, options: LocomoOptions): string | null {
  if (options.categories.length > 0) {
    return options.categories.includes(category) ? null : `category-${category}`;
  }
  return category === "adversarial" && !options.adversarial ? "category-adversarial" : null;
}

/** Draws held-out questions. Questions are distinguished by their text, because some occur twice in the file. */
function drawHeldOut(
  questions: readonly LocomoQuestion[],
  asked: readonly LocomoQuestion[],
  count: number,
  seed: string,
): Probe[] {
  const taken = new Set(asked.map(({ question }) => question));
  const drawn: Probe[] = [];
  for (const question of createRandom(seed).shuffle(questions)) {
    if (drawn.length >= count) break;
    if (taken.has(question.question)) continue;
    taken.add(question.question);
    drawn.push(probeOf(question, true));
  }
  return drawn;
}

const probeOf = ({ question, answer, category, evidence }: LocomoQuestion, heldOut: boolean): Probe => ({
  question,
  answers: answer === null ? [] : [answer],
  category,
  evidence,
  heldOut,
});
