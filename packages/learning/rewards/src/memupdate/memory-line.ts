import type { MemoryRecord } from "@palimpsest/trajectories";

const monthName = new Intl.DateTimeFormat("en", { month: "long", timeZone: "UTC" });

/** Formats an ISO time as people write it, "8 May 2023"; other texts are returned unchanged. */
export function plainDate(time: string): string {
  const [, year, month, day] = /^(\d{4})(?:-(\d{2})(?:-(\d{2}))?)?/.exec(time) ?? [];
  if (year === undefined) return time;
  const number = Number(month);
  const name = number >= 1 && number <= 12 ? monthName.format(Date.UTC(2000, number - 1)) : undefined;
  return [day === undefined ? undefined : Number(day), name, year]
    .filter((part) => part !== undefined)
    .join(" ");
}

/** Formats a record for a model that answers from it: date, speaker, content. */
export function memoryLine({ dialogueTime, speaker, content }: MemoryRecord): string {
  const date = dialogueTime === undefined ? "" : `[${plainDate(dialogueTime)}] `;
  return `${date}${speaker === undefined ? "" : `${speaker}: `}${content}`;
}
