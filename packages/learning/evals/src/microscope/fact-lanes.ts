/**
 * Responsibility: traces each needed fact through one episode: where it was seen, entered the memory, was paraphrased,
 * was lost or recalled, and whether the answer contains it.
 * Not responsible for: statistics over many episodes (run-losses.ts), or rendering.
 */
import { namedEvidence } from "@palimpsest/memory/records";
import type { Trace, TraceMemoryStep } from "../trace/trace-schema.js";
import { countWords, type FactPattern, patternOf, type Said, saysFact } from "./fact-match.js";
import { sentencesOf } from "./words.js";

/** A fact that the answer needs. */
export interface NeededFact {
  /** A name for readers, such as `first hop`, `second hop` or `phrase`. */
  readonly name: string;
  readonly text: string;
}

/** One step of a fact: whether it was read, and whether it is in the memory. */
export interface LaneStep {
  readonly step: number;
  /** Whether the text that the step read says the fact; undefined when the trace does not contain that text. */
  readonly seen: Said | undefined;
  /** Whether the memory after the step says the fact. */
  readonly memory: Said;
  /** Whether the text that was recalled for the step, or a tool's answer, says the fact. */
  readonly recalled: boolean;
  readonly event: LaneEvent | undefined;
}

/** What happened to a fact in one step. */
export type LaneEvent = "entered" | "rephrased" | "lost" | "returned" | "missed" | "recalled";

/** What became of a fact by the end of its episode. */
export type LaneEnd =
  /** The last memory contains the fact. */
  | "kept"
  /** Some memory contains the fact, but the last one does not. */
  | "lost"
  /** A step read the fact, but no memory contains it. */
  | "missed"
  /** No memory contains the fact, and it is unknown whether a step read it. */
  | "absent"
  /** No step read the fact. */
  | "unseen";

/** What happened to one needed fact, step by step. */
export interface FactLane {
  readonly fact: NeededFact;
  readonly steps: readonly LaneStep[];
  readonly end: LaneEnd;
  /** Index of the step that lost the fact for good, or that read it and did not keep it. */
  readonly lostAt: number | undefined;
  /** True when recall brought the fact back for the answer after the memory had lost it. */
  readonly recalledAfter: boolean;
  /** True when the final answer contains the fact, or one of the right answers that the fact contains. */
  readonly answered: boolean;
}

const ordinals = ["first", "second", "third", "fourth", "fifth"];

/**
 * Returns the gold spans that a task names in its metadata (`evidence`, `secondEvidence`, …), or its answers when it
 * names none.
 */
export function neededFacts({ task }: Pick<Trace, "task">): NeededFact[] {
  const named = namedEvidence(task).map(({ at, text }) => ({
    name: `${ordinals[at] ?? `${at + 1}th`} hop`,
    text,
  }));
  if (named.length === 1) return named.map(({ text }) => ({ name: "evidence", text }));
  if (named.length > 1) return named;
  const [answer] = task.answers;
  return answer ? [{ name: "answer", text: answer }] : [];
}

/**
 * Returns the lane of every fact of an episode. @param phrases entered by a reader, which replace what the task needs
 */
export function factLanes(trace: Trace, phrases: readonly string[] = []): FactLane[] {
  const facts = phrases.length > 0 ? phrases.map((text) => ({ name: "phrase", text })) : neededFacts(trace);
  if (facts.length === 0) return [];
  const counts = countWords(
    facts.map(({ text }) => text),
    textsOf(trace),
  );
  const rarity = trace.memorySteps.some(({ section }) => section) ? "known" : "unknown";
  return facts.map((fact) => laneOf(trace, fact, patternOf(fact.text, counts, rarity)));
}

/**
 * Returns the sections that were read. When the trace does not contain them, it returns each remembered sentence once,
 * because a sentence that is kept appears in many memories.
 */
function textsOf({ memorySteps }: Trace): string[] {
  const sections = memorySteps.flatMap(({ section }) => (section ? [section] : []));
  if (sections.length > 0) return sections;
  return [...new Set(memorySteps.flatMap(({ memory }) => sentencesOf(memory).map((one) => one.trim())))];
}

function laneOf(trace: Trace, fact: NeededFact, pattern: FactPattern): FactLane {
  const raw = trace.memorySteps.length > 0 ? memoryLane(trace, pattern) : toolLane(trace, pattern);
  const steps = withEvents(raw);
  const held = steps.findLastIndex(({ memory }) => memory !== "no");
  const read = steps.findLastIndex(({ seen }) => seen !== undefined && seen !== "no");
  const unknown = steps.some(({ seen }) => seen === undefined);
  const end: LaneEnd =
    held === steps.length - 1 && held >= 0
      ? "kept"
      : held >= 0
        ? "lost"
        : read >= 0
          ? "missed"
          : unknown
            ? "absent"
            : "unseen";
  const lostAt = end === "lost" ? held + 1 : end === "missed" ? read : undefined;
  const recalledAfter = lostAt !== undefined && steps.some(({ recalled }, at) => recalled && at >= lostAt);
  const answered =
    saysFact(trace.answer, pattern) !== "no" ||
    trace.task.answers.some((answer) => {
      const bare = patternOf(answer, new Map());
      return saysFact(fact.text, bare) !== "no" && saysFact(trace.answer, bare) !== "no";
    });
  return { fact, steps, end, lostAt, recalledAfter, answered };
}

type RawStep = Omit<LaneStep, "event">;

function memoryLane(trace: Trace, pattern: FactPattern): RawStep[] {
  return trace.memorySteps.map((step, index) => ({
    step: step.step,
    seen: seenIn(trace, step, trace.memorySteps[index - 1]?.memory ?? "", pattern),
    memory: saysFact(step.memory, pattern),
    recalled: [step.recalled, step.found ?? ""].some((text) => saysFact(text, pattern) !== "no"),
  }));
}

/**
 * Returns whether a step read the fact. When the trace does not contain the section, the prompt shows it, so the prompt
 * is searched without the memory before the step and the recalled text.
 */
function seenIn(
  { conversations }: Trace,
  { section, step, recalled }: TraceMemoryStep,
  before: string,
  pattern: FactPattern,
): Said | undefined {
  if (section !== undefined) return saysFact(section, pattern);
  const prompt = conversations.find((one) => one.step === step && one.kind === "memory")?.prompt;
  if (prompt === undefined) return undefined;
  let rest = prompt;
  for (const known of [before, recalled]) if (known !== "") rest = rest.replace(known, "\n");
  return saysFact(rest, pattern);
}

/** Traces an agent with tools, which remembers what it has written into its store until it deletes or overwrites it. */
function toolLane({ conversations, toolCalls = [] }: Trace, pattern: FactPattern): RawStep[] {
  let memory: Said = "no";
  return conversations.map(({ step, prompt }) => {
    const own = toolCalls.filter((call) => call.step === step);
    let recalled = false;
    for (const call of own) {
      const written = saysFact(call.arguments, pattern);
      const writes = /add|create|insert|update|write|store|save/i.test(call.name);
      if (writes && written !== "no") memory = written;
      else if (/delete|remove|forget/i.test(call.name) && written !== "no") memory = "no";
      else if (!writes && saysFact(call.result ?? "", pattern) !== "no") recalled = true;
    }
    const seen = prompt === undefined ? undefined : saysFact(prompt, pattern);
    return { step, seen, memory, recalled };
  });
}

function withEvents(raw: readonly RawStep[]): LaneStep[] {
  let was: Said = "no";
  let entered = false;
  return raw.map((step) => {
    const event = eventOf(step, was, entered);
    was = step.memory;
    entered ||= step.memory !== "no";
    return { ...step, event };
  });
}

function eventOf({ memory, seen, recalled }: RawStep, was: Said, entered: boolean): LaneEvent | undefined {
  if (was === "no" && memory !== "no") return entered ? "returned" : "entered";
  if (was !== "no" && memory === "no") return "lost";
  if (was === "exact" && memory === "rephrased") return "rephrased";
  if (memory === "no" && seen !== undefined && seen !== "no") return "missed";
  return recalled ? "recalled" : undefined;
}
