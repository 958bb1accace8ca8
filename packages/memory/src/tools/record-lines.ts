import type { MemoryRecord } from "../records/index.js";
import type { MemoryToolContext } from "./tool.js";

/** Formats a record for the model: id, score, date, speaker, session, text; compact: id and text. */
export function recordLine(record: MemoryRecord, style: MemoryToolContext["style"], score?: number): string {
  const { id, content } = record;
  if (style === "compact") return `${id} ${content}`;
  const about = [
    ...(score === undefined ? [] : [`score ${score.toFixed(2)}`]),
    ...(record.memoryType === "episodic" ? [] : [record.memoryType]),
    ...[record.dialogueTime, record.speaker, record.session].filter((text) => text !== undefined),
  ];
  return `[${id}]${about.length > 0 ? ` (${about.join(", ")})` : ""} ${content}`;
}

/** Formats one line per record under a heading; compact: the lines alone. */
export function recordLines(
  heading: string,
  lines: readonly string[],
  style: MemoryToolContext["style"],
): string {
  return style === "compact" ? lines.join("\n") : [heading, ...lines].join("\n");
}

export const countOf = (count: number) => `${count} ${count === 1 ? "memory" : "memories"}`;
