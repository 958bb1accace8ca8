import type { ScoredEpisode } from "@palimpsest/rewards";
import { type MemoryStep, plainSampling, type Task } from "@palimpsest/trajectories";
import { generatedTask } from "./generated-stores.js";

/** A question, and the document in sections that answers it. */
export interface Reading {
  readonly task: Task;
  readonly sections: readonly string[];
}

/** What a scripted reader keeps after each section, finds when it looks back, and answers. */
export interface ReaderPolicy {
  readonly memory: (read: readonly string[], task: Task) => string;
  /** What it recalls at the end of a section; absent: nothing. */
  readonly found?: (read: readonly string[], task: Task) => string;
  readonly box: (sections: readonly string[], task: Task) => string;
}

/** Returns a document of 160 facts in 20 sections, and a question about one of them. */
export function generatedReading(index: number): Reading {
  const { records = [], probes = [], ...rest } = generatedTask(2 * index);
  const { question, answers } = probes[index % probes.length] ?? rest;
  const contents = records.map(({ content }) => content);
  const sections = Array.from({ length: 20 }, (_, i) => contents.slice(8 * i, 8 * i + 8).join(" "));
  return { task: { ...rest, question, answers }, sections };
}

/** Returns the sentence that answers the question, once it has been read. */
const answering = (read: readonly string[], { answers }: Task) =>
  read
    .flatMap((section) => section.split(/(?<=\.) /))
    .find((sentence) => sentence.includes(answers[0] as string)) ?? "";
const capitals = (texts: readonly string[]) =>
  texts.flatMap((text) => text.match(/[A-Z]\w+/g) ?? []).join(" ");

/** Readers whose answers a reward must not pay for. */
export const readerCheats: Readonly<Record<string, ReaderPolicy>> = {
  concatenate: { memory: (read) => read.join(" "), box: (sections) => sections.join(" ") },
  "parrot the section": { memory: (read) => read.at(-1) ?? "", box: (sections) => sections.at(-1) ?? "" },
  "parrot the question": { memory: (_, { question }) => question, box: (_, { question }) => question },
  "list capitals": { memory: capitals, box: capitals },
  "delete all": { memory: () => "", box: () => "" },
};

const box = (_: readonly string[], { answers }: Task) => answers[0] as string;

/** Readers that answer, of which one forgets what it has found as often as it can, to find it again. */
export const answeringReaders: Readonly<Record<string, ReaderPolicy>> = {
  "keep the answer's sentence": { memory: answering, box },
  // What was in the memory at the beginning of a step is no gain of a recall: it is forgotten a step before.
  "forget it, look back, and again": {
    memory: (read, task) => (read.length % 3 === 1 ? answering(read, task) : ""),
    found: (read, task) => (read.length % 3 === 0 ? answering(read, task) : ""),
    box,
  },
};

/** Returns the episode of a reader. */
export function readEpisode(
  { memory, found, box }: ReaderPolicy,
  { task, sections }: Reading,
): ScoredEpisode {
  const memorySteps = sections.map((section, step): MemoryStep => {
    const read = sections.slice(0, step + 1);
    return {
      step,
      documentTokenStart: 16 * step,
      documentTokenEnd: 16 * (step + 1),
      memory: memory(read, task),
      recalled: step === 0 ? "" : (found?.(sections.slice(0, step), task) ?? ""),
      found: found?.(read, task) ?? "",
      section,
      reply: `<update>${memory(read, task)}</update>`,
    };
  });
  const conversations = [...memorySteps.map(() => "memory" as const), "final" as const].map((kind, step) => ({
    kind,
    step,
    promptTokenIds: [1],
    sampledTokenIds: [2],
    rolloutLogprobs: [-1],
    sampling: plainSampling,
    stopReason: "stop" as const,
    policyVersion: 0,
  }));
  return { answer: `\\boxed{${box(sections, task)}}`, conversations, memorySteps };
}
