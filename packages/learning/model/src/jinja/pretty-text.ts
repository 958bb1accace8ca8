import { order } from "./compare.js";
import { repr } from "./print.js";
import type { Run } from "./run.js";
import { Dict, List, Tuple, typeName, type Value } from "./values.js";

const width = 80;

/** Returns a value as Python's `pprint` writes it: in lines of 80 characters, and dictionaries by their keys. */
export function prettyText(value: Value, run: Run): string {
  return formatted(value, 0, 0, 1, run);
}

/**
 * @param indent the column at which the value begins
 * @param allowance the characters that follow it in its last line
 */
function formatted(value: Value, indent: number, allowance: number, level: number, run: Run): string {
  const flat = repr(byKeys(value, run), run);
  if ([...flat].length <= width - indent - allowance) return flat;
  return run.deeper(() => {
    if (value instanceof Dict) {
      const entries = sortedEntries(value, run);
      const lines = entries.map(([key, item], i) => {
        const name = repr(byKeys(key, run), run);
        const after = i === entries.length - 1 ? allowance + 1 : 1;
        return `${name}: ${formatted(item, indent + 3 + [...name].length, after, level + 1, run)}`;
      });
      return `{${lines.join(`,\n${" ".repeat(indent + 1)}`)}}`;
    }
    if (value instanceof List || value instanceof Tuple) {
      const { items } = value;
      const end = value instanceof List ? "]" : items.length === 1 ? ",)" : ")";
      const lines = items.map((item, i) =>
        formatted(item, indent + 1, i === items.length - 1 ? allowance + end.length : 1, level + 1, run),
      );
      return `${value instanceof List ? "[" : "("}${lines.join(`,\n${" ".repeat(indent + 1)}`)}${end}`;
    }
    return typeof value === "string" ? wrappedText(value, indent, allowance, level, run) : flat;
  });
}

/** A long text becomes several, which Python's parser joins. */
function wrappedText(text: string, column: number, after: number, level: number, run: Run): string {
  const indent = level === 1 ? column + 1 : column;
  const allowance = level === 1 ? after + 1 : after;
  const room = width - indent;
  const size = (part: string) => [...repr(part, run)].length;
  const lines = text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
  const pieces = lines.flatMap((line, i) => {
    const isLast = i === lines.length - 1;
    if (size(line) <= room - (isLast ? allowance : 0)) return [line];
    const words = line.match(/\S*\s+|\S+$/g) ?? [];
    const made: string[] = [];
    let current = "";
    for (const [j, word] of words.entries()) {
      const most = room - (isLast && j === words.length - 1 ? allowance : 0);
      if (size(current + word) <= most) current += word;
      else {
        if (current !== "") made.push(current);
        current = word;
      }
    }
    return current === "" ? made : [...made, current];
  });
  const written = pieces.map((piece) => repr(piece, run)).join(`\n${" ".repeat(indent)}`);
  return level === 1 && pieces.length > 1 ? `(${written})` : written;
}

/** Returns the value with the entries of its dictionaries in the order of their keys. */
function byKeys(value: Value, run: Run): Value {
  if (value instanceof List || value instanceof Tuple || value instanceof Dict)
    return run.deeper(() => {
      run.step();
      if (value instanceof List) return new List(value.items.map((item) => byKeys(item, run)));
      if (value instanceof Tuple) return new Tuple(value.items.map((item) => byKeys(item, run)));
      const sorted = new Dict();
      for (const [key, item] of sortedEntries(value, run)) sorted.set(key, byKeys(item, run));
      return sorted;
    });
  return value;
}

/** Keys that cannot be compared are in the order of their types' names. */
function sortedEntries(dict: Dict, run: Run): [Value, Value][] {
  const compare = (left: Value, right: Value): number => {
    try {
      return order(left, right, "<", run);
    } catch {
      const [a, b] = [typeName(left), typeName(right)];
      return a < b ? -1 : a > b ? 1 : 0;
    }
  };
  return [...dict.entries()]
    .toSorted(([left], [right]) => compare(left, right))
    .map(([key, item]) => [key, item]);
}
