import { DatasetError, generatedTasks, type TaskSet } from "@palimpsest/datasets";
import { parseInput } from "@palimpsest/std/input";
import { createRandom } from "@palimpsest/std/random";
import type { MemoryRecord, Probe, Task } from "@palimpsest/trajectories";
import { z } from "zod";
import { rulerConfigSchema } from "./ruler-config.js";

const { names, values, likesSentence, needleQuestion } = rulerConfigSchema.shape;

/** How a statement changes a store. */
const storeChanges = ["new", "changed", "stale"] as const;
type StoreChange = (typeof storeChanges)[number];

/** Settings of tasks in which a small store must be updated with a statement. */
export const storeTaskConfigSchema = z
  .strictObject({
    count: z.int().min(1).default(1).describe("number of tasks"),
    seed: z
      .union([z.int(), z.string()])
      .default(0)
      .describe("the same seed and settings give the same tasks"),
    people: z.int().min(2).max(24).default(4).describe("people about whom the store has a record"),
    changes: z
      .array(z.enum(storeChanges))
      .min(1)
      .default([...storeChanges])
      .describe(
        "kinds of statements, used in turn. new: about somebody without a record; changed: it contradicts the record; stale: the store has both a record with the same fact and one that no longer holds",
      ),
    heldOutPeople: z
      .int()
      .min(0)
      .default(1)
      .describe("number of other people that held-out questions ask about"),
    names,
    values,
    likesSentence: likesSentence.describe("form of statements and records, with the leading space"),
    question: needleQuestion.describe("question about what a name likes, which the reward counts"),
    otherQuestion: z
      .string()
      .default("which thing is it that {name} likes?")
      .describe("the same question in other words, which is held out"),
    reverseQuestion: z
      .string()
      .default("who is fond of {value}?")
      .describe("question about who likes a thing, which is held out and asks about the new fact"),
  })
  .refine((config) => config.people < config.names.length && config.people + 1 < config.values.length, {
    error: "people: must be less than the number of names, and at least two less than the number of values",
  });

export type StoreTaskConfigInput = z.input<typeof storeTaskConfigSchema>;
type StoreTaskConfig = z.output<typeof storeTaskConfigSchema>;

/**
 * Generates tasks for agents that keep a store. Each task has some records about people, in which no value occurs
 * twice, and a statement as its question. One visible probe asks about the statement; held-out probes ask the same in
 * other words and in reverse, and about people whom the statement does not mention. Task i depends on the seed and i
 * only.
 * @throws {DatasetError} BAD_CONFIG
 */
export function storeTasks(input: StoreTaskConfigInput): Task[] {
  const config = parseConfig(input);
  return Array.from({ length: config.count }, (_, index) => storeTask(config, index));
}

/** Returns the same tasks as `storeTasks`, each generated when it is opened.
 *  @throws {DatasetError} BAD_CONFIG */
export function openStoreTasks(input: StoreTaskConfigInput): TaskSet {
  const config = parseConfig(input);
  return generatedTasks(config.count, (index) => storeTask(config, index));
}

function parseConfig(input: StoreTaskConfigInput): StoreTaskConfig {
  return parseInput(
    storeTaskConfigSchema,
    input,
    (problem, cause) => new DatasetError("BAD_CONFIG", `store settings: ${problem}`, {}, cause),
  );
}

function storeTask(config: StoreTaskConfig, index: number): Task {
  const { people, changes, seed } = config;
  const random = createRandom(`${seed}/store/${index}`);
  const change = changes[index % changes.length] as StoreChange;
  const values = random.shuffle(config.values);
  const [name = "", ...others] = random.shuffle(config.names).slice(0, people + 1);
  const [value = "", staleValue = ""] = values;
  // The store has `people` records for each kind of change; those about the statement's own name are subtracted here.
  const known = others.slice(0, change === "stale" ? people - 2 : change === "changed" ? people - 1 : people);
  const facts = known.map((other, i) => ({ name: other, value: values[i + 2] as string }));
  const own = change === "new" ? [] : change === "changed" ? [staleValue] : [staleValue, value];
  const records = random
    .shuffle([...facts, ...own.map((liked) => ({ name, value: liked }))])
    .map((fact, i) => record(config, fact, i));
  const held = random.shuffle(facts).slice(0, config.heldOutPeople);
  return {
    id: `store-${seed}-${index}`,
    question: sentence(config, { name, value }),
    answers: [value],
    document: "",
    metadata: { kind: change, dataSource: "store", name },
    records,
    probes: probesOf(config, { name, value }, held),
  };
}

interface Fact {
  readonly name: string;
  readonly value: string;
}

const sentence = ({ likesSentence: form }: StoreTaskConfig, { name, value }: Fact) =>
  form.replace("{name}", name).replace("{value}", value);

/** Returns the record of a fact; its id is the letter of its position in the store, from "a". */
const record = (config: StoreTaskConfig, fact: Fact, place: number): MemoryRecord => ({
  id: String.fromCodePoint(97 + place),
  content: sentence(config, fact).trim(),
  memoryType: "semantic",
  provenance: [],
  metadata: {},
});

function probesOf(config: StoreTaskConfig, told: Fact, held: readonly Fact[]): Probe[] {
  const { question, otherQuestion, reverseQuestion } = config;
  const about = (form: string, { name, value }: Fact, heldOut: boolean): Probe => ({
    question: form.replace("{name}", name),
    answers: [value],
    heldOut,
  });
  const reversed: Probe = {
    question: reverseQuestion.replace("{value}", told.value),
    answers: [told.name],
    heldOut: true,
  };
  return [
    about(question, told, false),
    about(otherQuestion, told, true),
    reversed,
    ...held.map((fact) => about(question, fact, true)),
  ];
}
