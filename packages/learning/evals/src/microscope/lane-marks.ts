/** Shows each step of a lane as one sign with its meaning, for tables in pages. */
import type { FactLane, LaneStep } from "./fact-lanes.js";

/** The sign of a step, with its explanation. */
export interface LaneMark {
  readonly sign: string;
  readonly tone: "good" | "bad" | "dim";
  readonly text: string;
}

const held: Readonly<Record<string, LaneMark>> = {
  exact: { sign: "■", tone: "good", text: "in the memory" },
  rephrased: { sign: "▣", tone: "good", text: "in the memory, in other words" },
};
const events: Readonly<Record<string, LaneMark>> = {
  entered: { sign: "▶", tone: "good", text: "entered the memory" },
  returned: { sign: "↺", tone: "good", text: "returned to the memory" },
  rephrased: { sign: "≈", tone: "good", text: "is in the memory in other words from here on" },
  lost: { sign: "✕", tone: "bad", text: "lost from the memory" },
  missed: { sign: "○", tone: "bad", text: "read and not kept" },
};
const ends: Readonly<Record<FactLane["end"], string>> = {
  kept: "kept to the end",
  lost: "lost",
  missed: "read, never kept",
  absent: "in no memory",
  unseen: "never read",
};

/** The explanation of all signs, in one line. */
export const laneLegend =
  "▶ entered · ■ in the memory · ▣ in other words · ✕ lost · ○ read and not kept · ↺ returned · ↩ recalled · “·” not in the memory · ? not in the memory, and what was read is unknown (the trace has no prompts) · framed: read here";

/** Returns whether the fact was in what the step read. */
export const isRead = ({ seen }: LaneStep): boolean => seen !== undefined && seen !== "no";

/** Returns the sign of a step. */
export function laneMark(step: LaneStep): LaneMark {
  const { event, memory, seen, recalled } = step;
  const unknown = "not in the memory; what was read is unknown";
  const main: LaneMark =
    (event && events[event]) ??
    held[memory] ??
    (seen === undefined
      ? { sign: "?", tone: "dim", text: unknown }
      : { sign: "·", tone: "dim", text: "not in the memory" });
  const also = [isRead(step) ? "read here" : "", recalled ? "recalled here" : ""].filter(
    (text) => text !== "",
  );
  return { ...main, text: [main.text, ...also].join(", "), sign: `${main.sign}${recalled ? "↩" : ""}` };
}

/** Formats the end of a lane, such as "lost at 3, recalled later", with steps counted from 1. */
export function laneEndText({ end, lostAt, recalledAfter, answered }: FactLane): string {
  const at = lostAt === undefined ? "" : ` at ${lostAt + 1}`;
  return `${ends[end]}${at}${recalledAfter ? ", recalled later" : ""}${answered ? ", answered" : ""}`;
}
