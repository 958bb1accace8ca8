import type { MemoryRecord } from "./records/index.js";

/** Builds a record and fills in what tests do not care about. */
export function aRecord(id: string, content: string, other: Partial<MemoryRecord> = {}): MemoryRecord {
  return { id, content, memoryType: "episodic", provenance: [], metadata: {}, ...other };
}

/** Returns a pseudo-random sequence in [0, 1), the same in every run. */
export function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Builds records of about 12 words from a vocabulary whose word frequencies fall as in texts (1 / rank). */
export function manyRecords(count: number, seed = 1): MemoryRecord[] {
  const random = numbers(seed);
  const vocabulary = Array.from({ length: 20_000 }, (_, i) => wordOf(i));
  const word = () => vocabulary[Math.floor(vocabulary.length ** random()) - 1] ?? "zero";
  return Array.from({ length: count }, (_, i) =>
    aRecord(`r${i}`, `${Array.from({ length: 12 }, word).join(" ")}.`, {
      session: `session_${1 + (i % 30)}`,
      speaker: i % 2 === 0 ? "Anna" : "Ben",
      dialogueTime: `2023-${String(1 + (i % 12)).padStart(2, "0")}-08T13:56`,
    }),
  );
}

function wordOf(rank: number): string {
  const syllables = ["ka", "lo", "mi", "ne", "ru", "sa", "to", "vi", "da", "pe", "gu", "ho"];
  let word = "";
  for (let left = rank + 12; left > 0; left = Math.floor(left / 12)) word += syllables[left % 12];
  return word;
}
