import type { MemoryStore } from "../memory-store.js";
import type { MemoryRecord } from "../records/index.js";
import type { MemoryToolContext } from "./tool.js";

const lineEnds = /\r\n|[\n\r\v\f\u0085\u2028\u2029]/g;

/** Formats a record for the model: id, score, date, speaker, session, text; compact: id and text. */
export function recordLine(record: MemoryRecord, style: MemoryToolContext["style"], score?: number): string {
  const { id } = record;
  const content = indented(record.content);
  if (style === "compact") return `${id} ${content}`;
  const about = [
    ...(score === undefined ? [] : [`score ${score.toFixed(2)}`]),
    ...(record.memoryType === "episodic" ? [] : [record.memoryType]),
    ...[record.dialogueTime, record.speaker, record.session]
      .filter((text) => text !== undefined)
      .map((text) => text.replace(lineEnds, " ")),
  ];
  return `[${id}]${about.length > 0 ? ` (${about.join(", ")})` : ""} ${content}`;
}

/** Indents all lines but the first, so that no line of a record's text looks like another record. */
export function indented(content: string): string {
  return content.replace(lineEnds, "\n    ");
}

/** Formats one line per record under a heading; compact: the lines alone. */
export function recordLines(
  heading: string,
  lines: readonly string[],
  { style, mostBytes }: Pick<MemoryToolContext, "style" | "mostBytes">,
): string {
  const shown = mostBytes === undefined ? lines : bounded(lines, mostBytes);
  return style === "compact" ? shown.join("\n") : [heading, ...shown].join("\n");
}

/** Cuts the longest lines, so that all together have no more bytes than that. */
function bounded(lines: readonly string[], mostBytes: number): string[] {
  const shown = [...lines];
  const sizes = lines.map((line) => Buffer.byteLength(line) + 1);
  const shortestFirst = sizes.map((_, at) => at).sort((a, b) => (sizes[a] ?? 0) - (sizes[b] ?? 0));
  let left = mostBytes;
  for (const [rank, at] of shortestFirst.entries()) {
    const line = cutTo(lines[at] ?? "", Math.floor(left / (lines.length - rank)) - 1);
    shown[at] = line;
    left -= Buffer.byteLength(line) + 1;
  }
  return shown;
}

/** Returns the beginning of a text that has too many bytes, and how many are left out. */
function cutTo(line: string, mostBytes: number): string {
  const bytes = Buffer.from(line);
  if (bytes.length <= mostBytes) return line;
  const noteBytes = 40;
  const kept = bytes.subarray(0, Math.max(0, mostBytes - noteBytes));
  // While it streams, the decoder holds back a character that is cut.
  const head = new TextDecoder().decode(kept, { stream: true });
  return `${head} … ${bytes.length - kept.length} bytes left out …`;
}

/** Returns the id that a model means that copies it with the brackets around it. */
export function shownId(store: MemoryStore, named: string): string {
  const inside = /^\s*\[(.+)\]\s*$/.exec(named)?.[1];
  return inside !== undefined && store.get(named) === undefined ? inside : named;
}

export const countOf = (count: number) => `${count} ${count === 1 ? "memory" : "memories"}`;
