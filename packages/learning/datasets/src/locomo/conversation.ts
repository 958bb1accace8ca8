import { parseInput } from "@palimpsest/std/input";
import { type LocomoCategory, locomoCategories } from "@palimpsest/trajectories/records";
import { z } from "zod";
import { answerTextSchema } from "../answer-text.js";
import { type RowProblem, readRow } from "../row-problem.js";
import { type EvidenceReason, evidenceIds } from "./evidence-ids.js";
import { isoDate } from "./session-date.js";

interface LocomoTurn {
  /** Id of the turn, such as "D1:3" for the third turn of the first session. */
  readonly id: string;
  readonly speaker: string;
  /** What was said, followed in brackets by what a shared picture shows. */
  readonly text: string;
}

/** A fact about one person, taken from a session. */
interface LocomoFact {
  readonly speaker: string;
  readonly text: string;
  /** Ids of the turns from which the fact was taken; empty for events. */
  readonly turns: readonly string[];
}

export interface LocomoSession {
  readonly number: number;
  /** Time of the session in ISO 8601, without a zone. */
  readonly time: string;
  readonly turns: readonly LocomoTurn[];
  readonly observations: readonly LocomoFact[];
  readonly events: readonly LocomoFact[];
}

export interface LocomoQuestion {
  /** Index in the conversation's list of questions, from 0. */
  readonly index: number;
  readonly question: string;
  readonly category: LocomoCategory;
  /** The answer, or null if the conversation does not contain it. */
  readonly answer: string | null;
  /** The wrong answer that an adversarial question suggests. */
  readonly adversarialAnswer?: string;
  readonly evidence: readonly string[];
}

/** A part of the file that was read in a way that the user should know. */
interface LocomoRemark {
  readonly reason: EvidenceReason | "adversarial-question-with-answer" | "date-without-session";
  /** Names the question or the field. */
  readonly detail: string;
}

/** One conversation of LoCoMo: its sessions and its questions. */
export interface LocomoConversation {
  /** Id of the conversation, such as "conv-26". */
  readonly id: string;
  readonly speakers: readonly [string, string];
  /** The sessions in the order of their numbers. */
  readonly sessions: readonly LocomoSession[];
  readonly questions: readonly LocomoQuestion[];
  readonly remarks: readonly LocomoRemark[];
  /** Why questions were left out. Their indices stay free. */
  readonly badQuestions: readonly RowProblem[];
}

const text = z.string().min(1);
const turnSchema = z.object({
  speaker: text,
  dia_id: z.string().regex(/^D\d+:\d+$/),
  text: z.string().default(""),
  blip_caption: text.optional(),
});
const fact = z.tuple([text, z.union([z.string(), z.array(z.string())])]);
const questionSchema = z
  .object({
    question: text,
    answer: answerTextSchema.optional(),
    adversarial_answer: answerTextSchema.optional(),
    evidence: z.union([z.array(z.string()), text.transform((one) => [one])]),
    category: z.union([z.int().min(1).max(5), z.enum(["1", "2", "3", "4", "5"]).transform(Number)]),
  })
  .refine(({ answer, category }) => category === 5 || answer !== undefined, {
    message: "answer: is missing; only adversarial questions (category 5) may have none",
  });

const conversationSchema = z.object({
  sample_id: text,
  conversation: z.record(z.string(), z.unknown()),
  observation: z.record(z.string(), z.record(z.string(), z.array(fact))).default({}),
  event_summary: z
    .record(z.string(), z.record(z.string(), z.union([z.string(), z.array(z.string())])))
    .default({}),
  qa: z.array(z.unknown()),
});
type RawConversation = z.output<typeof conversationSchema>;

/**
 * Reads one element of locomo10.json.
 * @returns the conversation, or the first thing that is wrong with it
 */
export function readLocomoConversation(value: unknown): { readonly data: LocomoConversation } | RowProblem {
  const row = readRow(conversationSchema, value);
  if ("reason" in row) return row;
  try {
    return { data: conversationOf(row.data) };
  } catch (error) {
    if (error instanceof BadField) return { reason: "bad-value", detail: error.message };
    throw error;
  }
}

/** Thrown for a bad field that the schema cannot check. */
class BadField extends Error {}

function conversationOf(raw: RawConversation): LocomoConversation {
  const speakers = [raw.conversation["speaker_a"], raw.conversation["speaker_b"]].map((name, i) => {
    const parsed = text.safeParse(name);
    if (!parsed.success)
      throw new BadField(`conversation.speaker_${"ab"[i]}: must be the speaker's name, a non-empty string`);
    return parsed.data;
  });
  const numbers = Object.keys(raw.conversation)
    .flatMap((key) => /^session_(\d+)$/.exec(key)?.[1] ?? [])
    .map(Number)
    .sort((a, b) => a - b);
  const sessions = numbers.map((number) => sessionOf(raw, number));
  const dated = Object.keys(raw.conversation).flatMap(
    (key) => /^session_(\d+)_date_time$/.exec(key)?.[1] ?? [],
  );
  const empty = dated.filter((number) => !numbers.includes(Number(number)));
  const turns = new Set(sessions.flatMap((session) => session.turns.map(({ id }) => id)));
  const badQuestions: RowProblem[] = [];
  const read = raw.qa.flatMap((value, index) => {
    const question = readRow(questionSchema, value);
    if (!("reason" in question)) return [questionOf(question.data, index, turns)];
    badQuestions.push({ reason: question.reason, detail: `qa[${index}].${question.detail}` });
    return [];
  });
  return {
    id: raw.sample_id,
    speakers: [speakers[0] as string, speakers[1] as string],
    sessions,
    questions: read.map(({ question }) => question),
    remarks: [
      ...empty.map((number) => ({
        reason: "date-without-session" as const,
        detail: `conversation.session_${number}_date_time: has no session_${number} beside it`,
      })),
      ...read.flatMap(({ remarks }) => remarks),
    ],
    badQuestions,
  };
}

function sessionOf(raw: RawConversation, number: number): LocomoSession {
  const name = `session_${number}`;
  const turns = parseInput(
    z.array(turnSchema),
    raw.conversation[name],
    (problem) => new BadField(`conversation.${name}: ${problem}`),
  );
  const said = raw.conversation[`${name}_date_time`];
  const time = typeof said === "string" ? isoDate(said) : null;
  if (time === null) {
    throw new BadField(
      `conversation.${name}_date_time: ${JSON.stringify(said)} is not a date such as "1:56 pm on 8 May, 2023"`,
    );
  }
  const facts = (byName: Readonly<Record<string, readonly (readonly [string, readonly string[]])[]>>) =>
    Object.entries(byName).flatMap(([speaker, rows]) =>
      rows.map(([content, turns]): LocomoFact => ({ speaker, text: content.trim(), turns })),
    );
  const observed = Object.entries(raw.observation[`${name}_observation`] ?? {}).map(
    ([speaker, rows]) =>
      [speaker, rows.map(([content, source]) => [content, turnIds(source)] as const)] as const,
  );
  const events = Object.entries(raw.event_summary[`events_${name}`] ?? {}).flatMap(([speaker, value]) =>
    Array.isArray(value) ? [[speaker, value.map((content) => [content, []] as const)] as const] : [],
  );
  return {
    number,
    time,
    turns: turns.map((turn) => ({ id: turn.dia_id, speaker: turn.speaker, text: turnText(turn) })),
    observations: facts(Object.fromEntries(observed)),
    events: facts(Object.fromEntries(events)).filter((event) => event.text !== ""),
  };
}

const turnIds = (source: string | readonly string[]): string[] =>
  (typeof source === "string" ? [source] : source).flatMap((one) => one.match(/D\d+:\d+/g) ?? []);

const turnText = (turn: z.output<typeof turnSchema>): string =>
  turn.blip_caption === undefined ? turn.text : `${turn.text} [shares ${turn.blip_caption}]`.trim();

function questionOf(
  raw: z.output<typeof questionSchema>,
  index: number,
  turns: ReadonlySet<string>,
): { readonly question: LocomoQuestion; readonly remarks: readonly LocomoRemark[] } {
  const category = locomoCategories[raw.category - 1] as LocomoCategory;
  const adversarial = category === "adversarial";
  const { ids, remarks } = evidenceIds(raw.evidence, turns);
  return {
    question: {
      index,
      question: raw.question,
      category,
      answer: adversarial ? null : (raw.answer as string),
      ...(adversarial && raw.adversarial_answer !== undefined
        ? { adversarialAnswer: raw.adversarial_answer }
        : {}),
      evidence: ids,
    },
    remarks: [
      ...remarks.map(({ reason, text: found }) => ({
        reason,
        detail: `qa[${index}].evidence: ${JSON.stringify(found)}`,
      })),
      ...(adversarial && raw.answer !== undefined
        ? [
            {
              reason: "adversarial-question-with-answer" as const,
              detail: `qa[${index}].answer: ${JSON.stringify(raw.answer)}`,
            },
          ]
        : []),
    ],
  };
}
