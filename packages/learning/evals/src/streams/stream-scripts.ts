import type { StoreDiff, Task } from "@palimpsest/trajectories";
import type { MemoryRecord } from "@palimpsest/trajectories/records";
import { words } from "@palimpsest/trajectories/text";

/** A writer of a stream without a model, by what its store has in the end. */
export interface StreamScript {
  readonly name: string;
  /**
   * oracle: knows which turns state facts; floor: writes honestly and does nothing clever; cheat: a trick that must not
   * pay more than the floor.
   */
  readonly kind: "oracle" | "floor" | "cheat";
  /** Returns the store after the stream. */
  write(task: Task): StoreDiff;
}

/** The name of the script whose score no cheat may exceed: it keeps the newest turn about each subject, whatever it says. */
export const honestFloor = "newest turn";

/** The scripts, with the oracle first. */
export const streamScripts: readonly StreamScript[] = [
  { name: "oracle", kind: "oracle", write: (task) => created(oracleStore(task)) },
  { name: honestFloor, kind: "floor", write: (task) => created(newest(task)) },
  {
    name: "every fact",
    kind: "floor",
    write: (task) => created(turnsOf(task, "f").map((text) => ({ text }))),
  },
  { name: "raw episodes", kind: "floor", write: (task) => created(linesOf(task).map((text) => ({ text }))) },
  { name: "no memory", kind: "floor", write: () => created([]) },
  {
    name: "delete all",
    kind: "cheat",
    write: (task) => ({ ...created([]), deleted: (task.records ?? []).map(({ id }) => id) }),
  },
  { name: "keep first", kind: "cheat", write: (task) => created(firsts(task)) },
  {
    name: "keep last",
    kind: "cheat",
    write: (task) =>
      created(
        linesOf(task)
          .slice(-1)
          .map((text) => ({ text })),
      ),
  },
  { name: "merge all", kind: "cheat", write: (task) => created([{ text: turnsOf(task, "f").join(" ") }]) },
  { name: "list all", kind: "cheat", write: (task) => created(lists(task, namesOf(task, "candidates"))) },
  // The reader is told what it shall answer.
  {
    name: "write to the reader",
    kind: "cheat",
    write: (task) =>
      created(lists(task, ["is", "the", "right", "answer", namesOf(task, "candidates")[0] as string])),
  },
];

interface Written {
  readonly text: string;
  readonly former?: string;
}

const created = (written: readonly Written[]): StoreDiff => ({
  created: written.map(
    ({ text, former }, at): MemoryRecord => ({
      id: `m${at + 1}`,
      content: text,
      memoryType: "episodic",
      provenance: [],
      metadata: former === undefined ? {} : { former },
    }),
  ),
  updated: [],
  deleted: [],
});

const linesOf = ({ document }: Task) => document.split("\n");

const namesOf = ({ metadata }: Task, name: "subjects" | "candidates") => String(metadata[name]).split(" | ");

/** Returns the turns of one kind, as the task's `events` tell them. */
const turnsOf = (task: Task, kind: string) =>
  linesOf(task).filter((_, at) => String(task.metadata["events"])[at] === kind);

/** Returns the subject that a turn names. */
function subjectOf(task: Task, turn: string): string {
  const said = words(turn);
  return namesOf(task, "subjects").find((name) => words(name).every((word) => said.includes(word))) ?? "";
}

/** Writes every fact in the place of the former one, and deletes what is taken back. */
const oracleStore = (task: Task) =>
  newest(task, (event) => (event === "c" ? "skip" : event === "t" ? "delete" : "write"));

/** Writes turns in the place of the former one about their subject. */
function newest(task: Task, then: (event: string) => "write" | "delete" | "skip" = () => "write"): Written[] {
  const known = new Map<string, Written>();
  const events = String(task.metadata["events"]);
  for (const [at, text] of linesOf(task).entries()) {
    const subject = subjectOf(task, text);
    const former = known.get(subject)?.text;
    const what = then(events[at] ?? "");
    if (what === "delete") known.delete(subject);
    if (what === "write") known.set(subject, former === undefined ? { text } : { text, former });
  }
  return [...known.values()];
}

/** Writes the first fact about each subject. */
function firsts(task: Task): Written[] {
  const known = new Map<string, Written>();
  for (const text of turnsOf(task, "f")) {
    const subject = subjectOf(task, text);
    if (!known.has(subject)) known.set(subject, { text });
  }
  return [...known.values()];
}

/** Writes the same words about every subject. */
const lists = (task: Task, said: readonly string[]): Written[] =>
  namesOf(task, "subjects").map((subject) => ({ text: [subject, ...said].join(" ") }));
