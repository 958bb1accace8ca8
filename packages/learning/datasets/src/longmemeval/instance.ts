import { z } from "zod";
import { answerTextSchema } from "../answer-text.js";
import { type RowProblem, readRow } from "../row-problem.js";
import { type DatedSession, sessionId } from "../sessions/dated-session.js";
import { oldValues } from "../sessions/named-values.js";

/** LongMemEval's types of questions, with the numbers of the published 500. */
export const longMemEvalTypes = {
  "single-session-user": 70,
  "single-session-assistant": 56,
  "single-session-preference": 30,
  "multi-session": 133,
  "temporal-reasoning": 133,
  "knowledge-update": 78,
} as const;
/** How many of the published 500 the history does not answer. */
export const longMemEvalAbstentions = 30;

const text = z.string().min(1);
const instanceSchema = z.object({
  question_id: text,
  question_type: z.enum(Object.keys(longMemEvalTypes) as [keyof typeof longMemEvalTypes]),
  question: text,
  answer: answerTextSchema,
  question_date: text,
  haystack_dates: z.array(z.string()),
  haystack_session_ids: z.array(z.string()),
  haystack_sessions: z.array(
    z.array(z.object({ role: text, content: z.string(), has_answer: z.boolean().nullish() })),
  ),
  answer_session_ids: z.array(z.string()).default([]),
});
type RawInstance = z.output<typeof instanceSchema>;

/** One question of LongMemEval with its history. */
export interface LongMemEvalInstance {
  readonly id: string;
  readonly type: keyof typeof longMemEvalTypes;
  readonly question: string;
  readonly answers: readonly string[];
  /** When the question is asked, as "2023-05-30T23:40". */
  readonly time: string;
  /** Whether the history does not answer the question. */
  readonly abstention: boolean;
  /** The sessions in the order of time. Their own ids are left out, because those of evidence say "answer". */
  readonly sessions: readonly DatedSession[];
  /** Names of the sessions with the evidence, such as "session_3". */
  readonly evidence: readonly string[];
  /** Values of an update that later sessions replaced; empty if they are not recognized. */
  readonly oldValues: readonly string[];
  /** Ids of evidence that the history does not contain. */
  readonly missingEvidence: number;
}

/**
 * Reads one element of longmemeval_s.json, _m.json or _oracle.json.
 * @returns the instance, or the first thing that is wrong with it
 */
export function readLongMemEval(value: unknown): { readonly data: LongMemEvalInstance } | RowProblem {
  const row = readRow(instanceSchema, value);
  if ("reason" in row) return row;
  const raw = row.data;
  const { haystack_dates: dates, haystack_sessions: histories, haystack_session_ids: ids } = raw;
  const bad = (detail: string): RowProblem => ({ reason: "bad-value", detail });
  if (dates.length !== histories.length || ids.length !== histories.length) {
    return bad(
      `haystack_sessions: has ${histories.length} sessions, but there are ${dates.length} haystack_dates and ${ids.length} haystack_session_ids`,
    );
  }
  const times = dates.map(isoTime);
  const wrong = dates.find((_, at) => times[at] === null) ?? raw.question_date;
  const time = isoTime(raw.question_date);
  if (time === null || times.includes(null)) {
    return bad(`date: ${JSON.stringify(wrong)} is not a date such as "2023/05/20 (Sat) 02:21"`);
  }
  return { data: instanceOf(raw, time, times as readonly string[]) };
}

function instanceOf(raw: RawInstance, time: string, times: readonly string[]): LongMemEvalInstance {
  const { question_id: id, question_type: type, question, answer } = raw;
  const abstention = id.endsWith("_abs");
  const evidenceIds = new Set(raw.answer_session_ids);
  const history = raw.haystack_sessions
    .map((turns, at) => ({ turns, id: raw.haystack_session_ids[at] as string, time: times[at] as string }))
    .sort((a, b) => (a.time < b.time ? -1 : a.time > b.time ? 1 : 0))
    .map((session, at) => ({ ...session, number: at + 1 }));
  const evidence = history.filter((session) => evidenceIds.has(session.id));
  const stated = evidence.map(({ turns }) =>
    turns.flatMap(({ content, has_answer: has }) => (has === true ? [content] : [])),
  );
  const answers = acceptableAnswers(answer);
  const isUpdate = type === "knowledge-update" && !abstention;
  return {
    id,
    type,
    question,
    answers,
    time,
    abstention,
    sessions: history.map(({ number, time: at, turns }) => ({
      number,
      time: at,
      turns: turns.map(({ role, content }) => ({ speaker: role, text: content })),
    })),
    evidence: [...new Set(evidence.map(({ number }) => sessionId(number)))],
    oldValues: isUpdate
      ? oldValues({ earlier: stated.slice(0, -1).flat(), later: stated.at(-1) ?? [], answers, question })
      : [],
    missingEvidence: [...evidenceIds].filter((one) => !raw.haystack_session_ids.includes(one)).length,
  };
}

/** Splits an answer that names another acceptable one: "14 days. 15 days (including the last day) is also acceptable." */
function acceptableAnswers(answer: string): string[] {
  const [, first, second] = /^([^.]+)\. ([^.]+?)(?: \([^)]*\))? is also acceptable\.?$/.exec(answer) ?? [];
  return first === undefined || second === undefined ? [answer] : [first, second, answer];
}

/** Converts "2023/05/20 (Sat) 02:21" to "2023-05-20T02:21"; null if the text is not such a date. */
function isoTime(given: string): string | null {
  const match = /^(\d{4})\/(\d{2})\/(\d{2})(?: \(\w+\))?(?: (\d{2}:\d{2}))?$/.exec(given.trim());
  if (match === null) return null;
  const [, year, month, day, clock] = match;
  const iso = `${year}-${month}-${day}T${clock ?? "00:00"}`;
  return Number.isNaN(Date.parse(`${iso}Z`)) ? null : iso;
}
