/** Why a text of a question's evidence is not a plain id of a turn, and how it is read. */
export type EvidenceReason =
  /** One text contains several ids, such as "D8:6; D9:17". Each of them is read. */
  | "several-evidence-ids-in-one"
  /** An id has leading zeros, such as "D30:05". It is read without them. */
  | "evidence-id-with-leading-zero"
  /** The text is not an id, such as "D" or "D:11:26". It is left out. */
  | "malformed-evidence-id"
  /** The conversation has no such turn. The id is left out. */
  | "unknown-evidence-turn";

export interface EvidenceRemark {
  readonly reason: EvidenceReason;
  readonly text: string;
}

/**
 * Reads the ids of turns from the texts of an evidence list, without duplicates and in order. Nothing is guessed: what
 * is not an id, or not the id of a turn, is left out.
 * @param turns ids of the conversation's turns
 */
export function evidenceIds(
  texts: readonly string[],
  turns: ReadonlySet<string>,
): { readonly ids: readonly string[]; readonly remarks: readonly EvidenceRemark[] } {
  const ids = new Set<string>();
  const remarks: EvidenceRemark[] = [];
  for (const text of texts) {
    const parts = text.split(/[;,\s]+/u).filter((part) => part !== "");
    if (parts.length > 1) remarks.push({ reason: "several-evidence-ids-in-one", text });
    for (const part of parts.length === 0 ? [text] : parts) {
      const read = readId(part, turns);
      if ("reason" in read) remarks.push({ reason: read.reason, text });
      if (read.id !== null) ids.add(read.id);
    }
  }
  return { ids: [...ids], remarks };
}

function readId(
  text: string,
  turns: ReadonlySet<string>,
): { readonly id: string } | { readonly id: string | null; readonly reason: EvidenceReason } {
  if (turns.has(text)) return { id: text };
  const [, session, turn] = /^D(\d+):(\d+)$/.exec(text) ?? [];
  if (session === undefined || turn === undefined) return { id: null, reason: "malformed-evidence-id" };
  const plain = `D${Number(session)}:${Number(turn)}`;
  if (plain !== text && turns.has(plain)) return { id: plain, reason: "evidence-id-with-leading-zero" };
  return { id: null, reason: "unknown-evidence-turn" };
}
