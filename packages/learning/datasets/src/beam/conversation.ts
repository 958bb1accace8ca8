import { z } from "zod";
import { answerTextSchema } from "../answer-text.js";
import { type RowProblem, readRow } from "../row-problem.js";
import { type DatedSession, sessionId } from "../sessions/dated-session.js";
import { oldValues } from "../sessions/named-values.js";
import { parsePythonLiteral } from "./python-literal.js";

/** BEAM's abilities. Each conversation has two questions about each. */
export const beamAbilities = [
  "abstention",
  "contradiction_resolution",
  "event_ordering",
  "information_extraction",
  "instruction_following",
  "knowledge_update",
  "multi_session_reasoning",
  "preference_following",
  "summarization",
  "temporal_reasoning",
] as const;
type BeamAbility = (typeof beamAbilities)[number];

const text = z.string().min(1);
const messageSchema = z.object({
  role: text,
  content: z.string(),
  id: z.int().nullish(),
  question_type: z.string().nullish(),
  time_anchor: z.string().nullish(),
});
type Message = z.output<typeof messageSchema>;

const questionSchema = z.object({
  question: text,
  answer: answerTextSchema.nullish(),
  ideal_answer: answerTextSchema.nullish(),
  ideal_response: answerTextSchema.nullish(),
  ideal_summary: answerTextSchema.nullish(),
  expected_compliance: answerTextSchema.nullish(),
  rubric: z.array(z.string()).default([]),
  source_chat_ids: z.unknown().optional(),
});
const rowSchema = z.object({
  conversation_id: z.union([text, z.int()]),
  chat: z.unknown(),
  probing_questions: z.unknown(),
});
const probingSchema = z.partialRecord(z.enum(beamAbilities), z.array(z.unknown()));

/** A question about a conversation. */
interface BeamQuestion {
  readonly ability: BeamAbility;
  /** Position among the questions about its ability, from 0. */
  readonly index: number;
  readonly question: string;
  readonly answers: readonly string[];
  readonly evidence: readonly string[];
  readonly oldValues: readonly string[];
}

/** One conversation of BEAM, with its questions. */
export interface BeamConversation {
  readonly id: string;
  readonly sessions: readonly DatedSession[];
  readonly questions: readonly BeamQuestion[];
  /** Why questions were left out. */
  readonly badQuestions: readonly RowProblem[];
}

/**
 * Reads one row of BEAM, of any of its lengths.
 * @returns the conversation, or the first thing that is wrong with it
 */
export function readBeamConversation(value: unknown): { readonly data: BeamConversation } | RowProblem {
  const row = readRow(rowSchema, value);
  if ("reason" in row) return row;
  const { conversation_id: id, chat, probing_questions: asked } = row.data;
  const probing = readRow(probingSchema, typeof asked === "string" ? parsePythonLiteral(asked) : asked);
  if ("reason" in probing) return { ...probing, detail: `probing_questions: ${probing.detail}` };
  const sessions = sessionsOf(messagesIn(chat));
  if (sessions.length === 0) return { reason: "empty-field", detail: "chat: contains no message" };
  const badQuestions: RowProblem[] = [];
  const questions = beamAbilities.flatMap((ability) =>
    (probing.data[ability] ?? []).flatMap((one, index): BeamQuestion[] => {
      const question = questionOf(one, ability, index, sessions);
      if (!("reason" in question)) return [question];
      badQuestions.push({
        ...question,
        detail: `probing_questions.${ability}.${index}.${question.detail}`,
      });
      return [];
    }),
  );
  return {
    data: {
      id: String(id),
      sessions: sessions.map(({ number, time, messages }) => ({
        number,
        ...(time === undefined ? {} : { time }),
        turns: messages.map(({ role, content }) => ({ speaker: role, text: spoken(content) })),
      })),
      questions,
      badQuestions,
    },
  };
}

/** Returns the messages within batches, turns and plans, in their order. */
function messagesIn(chat: unknown): Message[] {
  if (typeof chat !== "object" || chat === null) return [];
  if (Array.isArray(chat)) return chat.flatMap(messagesIn);
  const message = messageSchema.safeParse(chat);
  return message.success ? [message.data] : Object.values(chat).flatMap(messagesIn);
}

interface MessageSession {
  readonly number: number;
  readonly time: string | undefined;
  readonly messages: Message[];
}

/** Begins a session at each main question, as the authors' turns do. Dates hold until the next one. */
function sessionsOf(messages: readonly Message[]): MessageSession[] {
  const sessions: MessageSession[] = [];
  let time: string | undefined;
  for (const message of messages) {
    time = message.time_anchor ?? time;
    const open = sessions.at(-1);
    if (open === undefined || message.question_type === "main_question")
      sessions.push({ number: sessions.length + 1, time, messages: [message] });
    else open.messages.push(message);
  }
  return sessions;
}

/** Removes the number of the plan's item at the end of a message, such as "->-> 1,12". */
const spoken = (content: string): string => content.replace(/\s*->->\s*[\d,\sN/A]*(\)?)$/, "$1");

function questionOf(
  value: unknown,
  ability: BeamAbility,
  index: number,
  sessions: readonly MessageSession[],
): BeamQuestion | RowProblem {
  const row = readRow(questionSchema, value);
  if ("reason" in row) return row;
  const { question, rubric, source_chat_ids: sources } = row.data;
  const { answer, ideal_answer, ideal_response, ideal_summary, expected_compliance } = row.data;
  const wanted = answer ?? ideal_answer ?? ideal_response ?? ideal_summary ?? expected_compliance;
  if (wanted === null || wanted === undefined)
    return { reason: "missing-field", detail: "answer: is missing, and so is an ideal one" };
  const answers = [...new Set([...shortAnswer(rubric), wanted])];
  const contents = (ids: ReadonlySet<number>) =>
    sessions.flatMap(({ messages }) =>
      messages.filter(({ id }) => ids.has(id ?? -1)).map(({ content }) => spoken(content)),
    );
  const ids = numbersIn(sources);
  const { original_info: original, updated_info: updated } = z
    .object({ original_info: z.unknown(), updated_info: z.unknown() })
    .catch({ original_info: [], updated_info: [] })
    .parse(sources);
  return {
    ability,
    index,
    question,
    answers,
    evidence: sessions
      .filter(({ messages }) => messages.some(({ id }) => ids.has(id ?? -1)))
      .map(({ number }) => sessionId(number)),
    oldValues:
      ability === "knowledge_update"
        ? oldValues({
            earlier: contents(numbersIn(original)),
            later: contents(numbersIn(updated)),
            answers,
            question,
          })
        : [],
  };
}

/** A rubric of one item states the answer in few words: "LLM response should state: 250ms". */
function shortAnswer(rubric: readonly string[]): string[] {
  const [only, ...others] = rubric;
  const found = /^LLM response should \w+: (.+)$/.exec(only ?? "")?.[1];
  return found === undefined || others.length > 0 ? [] : [found];
}

/** Returns the numbers within lists and objects. */
function numbersIn(value: unknown): Set<number> {
  if (typeof value === "number") return new Set([value]);
  if (typeof value !== "object" || value === null) return new Set();
  return new Set(Object.values(value).flatMap((one) => [...numbersIn(one)]));
}
