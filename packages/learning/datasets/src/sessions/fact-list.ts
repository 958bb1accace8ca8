/** A numbered statement of a list in which later numbers replace earlier ones. */
export interface NumberedFact {
  readonly serial: number;
  readonly text: string;
}

/** Returns the numbered lines of a text, such as "12. Ada lives in Oslo.", in its order. */
export const numberedFacts = (text: string): NumberedFact[] =>
  [...text.matchAll(/^(\d+)\. (\S[^\n]*)$/gm)].map(([, serial = "", fact = ""]) => ({
    serial: Number(serial),
    text: fact.trim(),
  }));

const bare = (text: string) => text.trim().replace(/\.$/, "").toLowerCase();
const wordsOf = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

/**
 * Returns the values that the answer's fact replaced: the endings of facts with the same beginning and smaller numbers.
 * Empty where it is not certain which fact answers the question: if none ends with an answer and is the newest of its
 * beginning, if the question lacks a word of the beginning's subject, or if several facts fit equally well.
 */
export function replacedFacts(
  facts: readonly NumberedFact[],
  question: string,
  answers: readonly string[],
): string[] {
  const asked = new Set(wordsOf(question));
  const golds = answers.map(bare);
  const fitting = facts.flatMap(({ serial, text }) => {
    const gold = golds.find((one) => bare(text).endsWith(` ${one}`));
    if (gold === undefined) return [];
    const beginning = bare(text).slice(0, -gold.length);
    const words = wordsOf(beginning);
    const share = words.filter((word) => asked.has(word)).length / Math.max(1, words.length);
    return [{ serial, beginning, share }];
  });
  const best = Math.max(0, ...fitting.map(({ share }) => share));
  const beginnings = new Set(fitting.filter(({ share }) => share === best).map(({ beginning }) => beginning));
  const [beginning] = beginnings;
  // Half of the words: "goaltender is associated with the sport of" is asked as "Which sport is goaltender …".
  if (beginning === undefined || beginnings.size > 1 || best < 0.5) return [];
  const same = facts
    .filter(({ text }) => bare(text).startsWith(beginning))
    .map(({ serial, text }) => ({ serial, value: text.trim().replace(/\.$/, "").slice(beginning.length) }))
    .sort((a, b) => b.serial - a.serial);
  const [newest, ...older] = same;
  if (newest === undefined || !golds.includes(newest.value.toLowerCase())) return [];
  return [...new Set(older.map(({ value }) => value))].filter(
    (value) => !golds.includes(value.toLowerCase()),
  );
}
