import type { MemoryRecord } from "@palimpsest/trajectories";

/** One conversation of many, as systems are shown it: under a number and a date, and never under the source's own id. */
export interface DatedSession {
  /** Number of the session in the order of time, from 1. */
  readonly number: number;
  /** When it took place: a date in ISO 8601, or the source's own words; absent if the source has no date. */
  readonly time?: string;
  readonly turns: readonly { readonly speaker: string; readonly text: string }[];
}

/** Returns the name by which evidence and records refer to a session. */
export const sessionId = (number: number): string => `session_${number}`;

/** Renders each session as a text: its number and date, then a line for each turn. */
export function sessionTexts(sessions: readonly DatedSession[]): string[] {
  return sessions.map(({ number, time, turns }) => {
    const heading = [`Session ${number}`, ...(time === undefined ? [] : [time.replace("T", " ")])].join(", ");
    return [heading, ...turns.map(({ speaker, text }) => `${speaker}: ${text}`)].join("\n");
  });
}

/** Converts sessions to the records of a memory store, one for each turn, with the session as its provenance. */
export function sessionRecords(sessions: readonly DatedSession[]): MemoryRecord[] {
  const turns = sessions.flatMap(({ number, time, turns: own }) =>
    own.map((turn) => ({ ...turn, session: sessionId(number), time })),
  );
  return turns.map(({ speaker, text, session, time }, index) => ({
    id: `m${index + 1}`,
    content: text,
    memoryType: "episodic",
    speaker,
    session,
    ...(time === undefined ? {} : { dialogueTime: time }),
    source: "dialogue",
    provenance: [session],
    metadata: {},
  }));
}
