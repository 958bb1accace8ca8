import type { MemoryRecord } from "@palimpsest/trajectories";
import { sessionId, sessionTexts } from "../sessions/dated-session.js";
import type { LocomoConversation, LocomoSession } from "./conversation.js";

/** The kinds of text from which the records of a conversation's store are made. */
export const recordSources = ["observation", "event", "dialogue"] as const;
export type RecordSource = (typeof recordSources)[number];

/**
 * Converts a conversation to the records of a store, session after session: observations (facts that LoCoMo's authors
 * extracted from the sessions), events of the speakers' lives, or the turns themselves. Ids are "m1", "m2", …; each
 * record keeps its speaker, session, time and the turns from which it was taken.
 */
export function locomoRecords(
  conversation: LocomoConversation,
  sources: readonly RecordSource[] = ["observation"],
): MemoryRecord[] {
  const drafts = conversation.sessions.flatMap((session) =>
    recordSources
      .filter((source) => sources.includes(source))
      .flatMap((source) => draftsOf(session, source).map((draft) => ({ ...draft, source, session }))),
  );
  return drafts.map(({ speaker, text, turns, source, session }, index) => ({
    id: `m${index + 1}`,
    content: text,
    memoryType: "episodic",
    speaker,
    session: sessionId(session.number),
    dialogueTime: session.time,
    source,
    provenance: turns,
    metadata: {},
  }));
}

function draftsOf(session: LocomoSession, source: RecordSource) {
  switch (source) {
    case "observation":
      return session.observations;
    case "event":
      return session.events;
    case "dialogue":
      return session.turns.map(({ id, speaker, text }) => ({ speaker, text, turns: [id] }));
  }
}

/** Renders the whole conversation as one text, with each session under its date. */
export const locomoDocument = ({ sessions }: LocomoConversation): string =>
  sessionTexts(sessions).join("\n\n");
