import type { MemoryRecord, Probe, Task } from "@palimpsest/trajectories";

const mostListed = 12;

/** Formats a task for people. Long documents are shortened in their middle. */
export function taskText(task: Task, documentChars: number): string {
  const { id, question, answers, document, metadata, records = [], probes = [] } = task;
  const facts = Object.entries(metadata).map(([name, value]) => `${name} ${value}`);
  const parts = [
    `task      ${id}`,
    ...(question === "" ? [] : [`question  ${question}`]),
    ...(answers.length === 0 ? [] : [`answers   ${answers.join(" | ")}`]),
    ...(facts.length === 0 ? [] : [`metadata  ${facts.join(", ")}`]),
    ...listed("records", records, recordLine),
    ...listed("questions of the store", probes, probeLine),
  ];
  if (document !== "") {
    parts.push(`document  ${document.length} characters`, "", excerpt(document, documentChars));
  }
  return `${parts.join("\n").replace(unshowable, "\ufffd")}\n`;
}

/**
 * Matches control characters of terminals, and marks that change the direction of text, because foreign texts must not
 * control a terminal.
 */
const unshowable = /[^\P{Cc}\n\t]|[\u202a-\u202e\u2066-\u2069]/gu;

function excerpt(text: string, most: number): string {
  if (most === 0 || text.length <= most) return text;
  const half = Math.floor(most / 2);
  const left = text.length - 2 * half;
  return `${text.slice(0, half)}\n\n… ${left} characters …\n\n${text.slice(-half)}`;
}

function listed<Item>(title: string, items: readonly Item[], line: (item: Item) => string): string[] {
  if (items.length === 0) return [];
  const more = items.length > mostListed ? [`  … and ${items.length - mostListed} more`] : [];
  return [
    "",
    `${items.length} ${title}`,
    ...items.slice(0, mostListed).map((item) => `  ${line(item)}`),
    ...more,
  ];
}

function recordLine({ id, memoryType, speaker, dialogueTime, content }: MemoryRecord): string {
  const about = [memoryType, speaker, dialogueTime].filter(Boolean).join(", ");
  return `${id}  [${about}]  ${content}`;
}

function probeLine({ question, answers, category, heldOut, evidence = [] }: Probe): string {
  const about = [category, heldOut ? "held out" : "shown", ...evidence].filter(Boolean).join(", ");
  return `${question}  →  ${answers.join(" | ") || "(no answer)"}  [${about}]`;
}
