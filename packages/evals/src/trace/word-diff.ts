/** A run of text that both texts contain, that only the later one contains, or that only the earlier one contains. */
export interface DiffPart {
  readonly kind: "same" | "added" | "removed";
  readonly text: string;
}

/** When more words than this differ, the whole differing part is shown as replaced, because it was rewritten. */
const mostDifferences = 600;

/**
 * Compares two texts word by word. The parts that are not "removed" make up the later text, and those that are not
 * "added" the earlier one. The number of differing words is minimal (Myers 1986), unless it exceeds `mostDifferences`.
 */
export function wordDiff(earlier: string, later: string): DiffPart[] {
  const before = words(earlier);
  const after = words(later);
  let head = 0;
  while (head < before.length && head < after.length && before[head] === after[head]) head++;
  let tail = 0;
  while (
    tail < before.length - head &&
    tail < after.length - head &&
    before[before.length - 1 - tail] === after[after.length - 1 - tail]
  ) {
    tail++;
  }
  const middle = {
    before: before.slice(head, before.length - tail),
    after: after.slice(head, after.length - tail),
  };
  const edits = shortestEdits(middle.before, middle.after) ?? [
    ...middle.before.map((text): DiffPart => ({ kind: "removed", text })),
    ...middle.after.map((text): DiffPart => ({ kind: "added", text })),
  ];
  return joined([
    ...before.slice(0, head).map((text): DiffPart => ({ kind: "same", text })),
    ...edits,
    ...before.slice(before.length - tail).map((text): DiffPart => ({ kind: "same", text })),
  ]);
}

const words = (text: string): string[] => text.match(/\s+|[\p{L}\p{N}\p{M}_]+|[^\s\p{L}\p{N}\p{M}_]/gu) ?? [];

function shortestEdits(before: readonly string[], after: readonly string[]): DiffPart[] | undefined {
  const most = Math.min(before.length + after.length, mostDifferences);
  // furthest[k + most] is the index in `before` that the path on diagonal k has reached.
  const furthest = new Int32Array(2 * most + 3);
  const rounds: Int32Array[] = [];
  for (let d = 0; d <= most; d++) {
    rounds.push(furthest.slice());
    for (let k = -d; k <= d; k += 2) {
      const down = k === -d || (k !== d && at(furthest, k - 1 + most) < at(furthest, k + 1 + most));
      let x = down ? at(furthest, k + 1 + most) : at(furthest, k - 1 + most) + 1;
      while (x < before.length && x - k < after.length && before[x] === after[x - k]) x++;
      furthest[k + most] = x;
      if (x >= before.length && x - k >= after.length) return walkBack(rounds, before, after, d, most);
    }
  }
  return undefined;
}

const at = (values: Int32Array, index: number) => values[index] ?? 0;

function walkBack(
  rounds: readonly Int32Array[],
  before: readonly string[],
  after: readonly string[],
  differences: number,
  most: number,
): DiffPart[] {
  const edits: DiffPart[] = [];
  let x = before.length;
  let y = after.length;
  for (let d = differences; d >= 0; d--) {
    const furthest = rounds[d] as Int32Array;
    const k = x - y;
    const down = k === -d || (k !== d && at(furthest, k - 1 + most) < at(furthest, k + 1 + most));
    const fromX = d === 0 ? 0 : down ? at(furthest, k + 1 + most) : at(furthest, k - 1 + most);
    const fromY = d === 0 ? 0 : fromX - (down ? k + 1 : k - 1);
    while (x > fromX + (down || d === 0 ? 0 : 1) && y > fromY + (down && d > 0 ? 1 : 0)) {
      edits.push({ kind: "same", text: before[--x] as string });
      y--;
    }
    if (d === 0) break;
    if (down) edits.push({ kind: "added", text: after[--y] as string });
    else edits.push({ kind: "removed", text: before[--x] as string });
  }
  return edits.reverse();
}

/** Joins neighboring parts of one kind. Within a change, the removed text comes before the added text. */
function joined(parts: readonly DiffPart[]): DiffPart[] {
  const result: DiffPart[] = [];
  let removed = "";
  let added = "";
  const flush = () => {
    if (removed !== "") result.push({ kind: "removed", text: removed });
    if (added !== "") result.push({ kind: "added", text: added });
    removed = "";
    added = "";
  };
  for (const [place, { kind, text }] of parts.entries()) {
    const next = parts[place + 1];
    // A space between two words that were both replaced belongs to the change.
    const inside = text.trim() === "" && removed !== "" && added !== "" && next && next.kind !== "same";
    if (kind === "removed") removed += text;
    else if (kind === "added") added += text;
    else if (inside) {
      removed += text;
      added += text;
    } else {
      flush();
      const last = result.at(-1);
      if (last?.kind === "same") result[result.length - 1] = { kind: "same", text: last.text + text };
      else result.push({ kind: "same", text });
    }
  }
  flush();
  return result;
}
