import { writeFileSync } from "node:fs";

const maxLines = 60;
const widthChars = 120;
/** Longer series of numbers, such as a reward a step, are told by a few of them. */
const maxSeries = 16;
/** A longer list is no table but what one was made of. */
const maxRows = 40;

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** The figures without their raw rows. */
function table(value: Json): Json {
  if (Array.isArray(value)) {
    if (value.length > maxSeries && value.every((one) => typeof one === "number")) {
      const sorted = [...value].sort((a, b) => a - b);
      const median = sorted[sorted.length >> 1] ?? null;
      return {
        count: value.length,
        first: value[0] ?? null,
        min: sorted[0] ?? null,
        median,
        max: sorted.at(-1) ?? null,
        last: value.at(-1) ?? null,
      };
    }
    return value.length > maxRows ? { rows: value.length } : value.map(table);
  }
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, table(one)]));
}

interface Line {
  readonly indent: string;
  readonly name: string;
  /** What is told in this line; undefined for a bracket, which stands in `name`. */
  readonly value: Json | undefined;
  readonly after: string;
}

const lineText = ({ indent, name, value, after }: Line) =>
  `${indent}${name}${value === undefined ? "" : JSON.stringify(value)}${after}`;

/** The parts of a value as lines of their own; undefined where it has none. */
function broken({ indent, name, value, after }: Line): Line[] | undefined {
  if (value === null || typeof value !== "object") return undefined;
  const parts: [string, Json][] = Array.isArray(value)
    ? value.map((one) => ["", one])
    : Object.entries(value).map(([key, one]) => [`${JSON.stringify(key)}: `, one]);
  if (parts.length === 0) return undefined;
  const [open, close] = Array.isArray(value) ? ["[", "]"] : ["{", "}"];
  return [
    { indent, name: `${name}${open}`, value: undefined, after: "" },
    ...parts.map(([inner, one], place) => ({
      indent: `${indent} `,
      name: inner,
      value: one,
      after: place < parts.length - 1 ? "," : "",
    })),
    { indent, name: close, value: undefined, after },
  ];
}

/** Breaks the longest line as long as there is one too long that leaves the text within its lines. */
function laidOut(figures: Json): string[] {
  const lines: Line[] = [{ indent: "", name: "", value: figures, after: "" }];
  for (;;) {
    const longest = lines
      .map((line, place) => ({ place, chars: lineText(line).length, parts: broken(line) }))
      .filter(
        ({ chars, parts }) => chars > widthChars && parts && lines.length + parts.length - 1 <= maxLines,
      )
      .sort((a, b) => b.chars - a.chars)[0];
    if (longest?.parts === undefined) return lines.map(lineText);
    lines.splice(longest.place, 1, ...longest.parts);
  }
}

/** Writes the figures of a bench as JSON that is read and compared: a row a line, at most 60 lines, no raw rows. */
export function writeResult(file: string, figures: object): void {
  writeFileSync(file, `${laidOut(table(JSON.parse(JSON.stringify(figures)))).join("\n")}\n`);
}
