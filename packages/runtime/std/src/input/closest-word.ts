/**
 * Returns the known word that another word probably means, such as `groupSize` for `group_size` or `groupsize`. Case,
 * dashes and underscores are ignored; of equally close words the first is taken.
 * @returns undefined when none is within a third of the word's letters (at least one), by insertions, deletions,
 *   replacements and exchanges of neighbors
 */
export function closestWord(word: string, known: Iterable<string>): string | undefined {
  const wanted = plain(word);
  let best: string | undefined;
  let least = Math.max(1, Math.floor(wanted.length / 3)) + 1;
  for (const candidate of known) {
    const distance = edits(wanted, plain(candidate));
    if (distance < least) [best, least] = [candidate, distance];
  }
  return best;
}

const plain = (word: string) => word.toLowerCase().replace(/[-_\s]/g, "");

/** Computes the optimal string alignment distance, row by row. */
function edits(left: string, right: string): number {
  let before: number[] = [];
  let row = Array.from({ length: right.length + 1 }, (_, i) => i);
  for (let i = 1; i <= left.length; i++) {
    const next = [i];
    for (let j = 1; j <= right.length; j++) {
      const replaced = (row[j - 1] as number) + (left[i - 1] === right[j - 1] ? 0 : 1);
      let cost = Math.min(replaced, (row[j] as number) + 1, (next[j - 1] as number) + 1);
      if (i > 1 && j > 1 && left[i - 1] === right[j - 2] && left[i - 2] === right[j - 1])
        cost = Math.min(cost, (before[j - 2] as number) + 1);
      next.push(cost);
    }
    [before, row] = [row, next];
  }
  return row[right.length] as number;
}
