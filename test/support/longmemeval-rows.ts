/** Rows in LongMemEval's format, of our own text: two of each type, one of them without an answer. */

type Turn = { readonly role: string; readonly content: string; readonly has_answer?: boolean };

const user = (content: string): Turn => ({ role: "user", content });
const told = (content: string, role = "user"): Turn => ({ role, content, has_answer: true });
const reply: Turn = { role: "assistant", content: "Thank you for telling me." };

interface Row {
  readonly id: string;
  readonly type: string;
  readonly question: string;
  readonly answer: string | number;
  /** Evidence by date. */
  readonly evidence: Readonly<Record<string, readonly Turn[]>>;
}

const rows: readonly Row[] = [
  {
    id: "u1",
    type: "single-session-user",
    question: "What color is my bicycle?",
    answer: "Green",
    evidence: { "2023/05/02 (Tue) 09:10": [told("I painted my bicycle green."), reply] },
  },
  {
    id: "u2_abs",
    type: "single-session-user",
    question: "What color is my kayak?",
    answer: "You did not mention a kayak. You mentioned a bicycle.",
    evidence: { "2023/05/02 (Tue) 09:10": [told("I painted my bicycle green."), reply] },
  },
  {
    id: "a1",
    type: "single-session-assistant",
    question: "Which soup did you recommend?",
    answer: "Lentil soup",
    evidence: {
      "2023/05/03 (Wed) 10:00": [user("Which soup warms?"), told("Lentil soup warms you best.", "assistant")],
    },
  },
  {
    id: "a2",
    type: "single-session-assistant",
    question: "How long should the bread rise, as you told me?",
    answer: "45 minutes",
    evidence: {
      "2023/05/04 (Thu) 10:00": [user("How long?"), told("Let it rise for 45 minutes.", "assistant")],
    },
  },
  {
    id: "p1",
    type: "single-session-preference",
    question: "What should I cook tonight?",
    answer: "The user would prefer dishes without meat.",
    evidence: { "2023/05/05 (Fri) 11:00": [told("I gave up meat and love spices."), reply] },
  },
  {
    id: "p2",
    type: "single-session-preference",
    question: "Which film should I see?",
    answer: "The user would prefer quiet films.",
    evidence: { "2023/05/06 (Sat) 11:00": [told("Loud films tire me."), reply] },
  },
  {
    id: "m1",
    type: "multi-session",
    question: "How many plants did I buy?",
    answer: 3,
    evidence: {
      "2023/05/09 (Tue) 12:00": [told("I bought two ferns."), reply],
      "2023/05/07 (Sun) 12:00": [told("I bought a cactus."), reply],
    },
  },
  {
    id: "m2",
    type: "multi-session",
    question: "Which cities did I visit?",
    answer: "Porto and Bergen",
    evidence: {
      "2023/05/08 (Mon) 12:00": [told("I was in Porto."), reply],
      "2023/05/10 (Wed) 12:00": [told("Yesterday I saw Bergen."), reply],
    },
  },
  {
    id: "t1",
    type: "temporal-reasoning",
    question: "How many days passed between my run and my swim?",
    answer: "14 days. 15 days (including the last day) is also acceptable.",
    evidence: {
      "2023/05/01 (Mon) 08:00": [told("I ran today."), reply],
      "2023/05/15 (Mon) 08:00": [told("I swam today."), reply],
    },
  },
  {
    id: "t2",
    type: "temporal-reasoning",
    question: "Which came first, the concert or the exam?",
    answer: "The concert",
    evidence: {
      "2023/05/11 (Thu) 08:00": [told("The concert was loud."), reply],
      "2023/05/12 (Fri) 08:00": [told("My exam went well."), reply],
    },
  },
  {
    id: "k1",
    type: "knowledge-update",
    question: "How many chess books do I own?",
    answer: "Seven",
    evidence: {
      // The oracle file is not in the order of time.
      "2023/05/20 (Sat) 07:00": [told("I now own seven chess books."), reply],
      "2023/05/13 (Sat) 07:00": [told("I own four chess books, one of them old."), reply],
    },
  },
  {
    id: "k2",
    type: "knowledge-update",
    question: "Where does my sister live?",
    answer: "Turin",
    evidence: {
      "2023/05/14 (Sun) 07:00": [told("My sister lives in Lyon, and I like it."), reply],
      "2023/05/21 (Sun) 07:00": [told("My sister moved to Turin."), reply],
    },
  },
];

/** Returns the rows as the file has them, each with two sessions that have nothing to do with its question. */
export function longMemEvalRows(): Record<string, unknown>[] {
  return rows.map(({ id, type, question, answer, evidence }) => {
    const others: readonly (readonly [string, string, readonly Turn[]])[] = [
      ["2023/04/01 (Sat) 06:30", `sharegpt_${id}`, [user("Tell me of tides."), reply]],
      ["2023/05/22 (Mon) 06:30", `ultrachat_${id}`, [user("Tell me of stars."), reply]],
    ];
    const own = Object.entries(evidence).map(
      ([date, turns], at) => [date, `answer_${id}_${at + 1}`, turns] as const,
    );
    const sessions = [...own, ...others];
    return {
      question_id: id,
      question_type: type,
      question,
      answer,
      question_date: "2023/05/30 (Tue) 23:40",
      haystack_dates: sessions.map(([date]) => date),
      haystack_session_ids: sessions.map(([, sessionId]) => sessionId),
      haystack_sessions: sessions.map(([, , turns]) => turns),
      answer_session_ids: own.map(([, sessionId]) => sessionId),
    };
  });
}
