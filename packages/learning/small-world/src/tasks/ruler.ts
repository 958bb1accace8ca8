import {
  type CountTokens,
  DatasetError,
  generatedTasks,
  type StreamedTask,
  type TaskSet,
} from "@palimpsest/datasets";
import { parseInput } from "@palimpsest/std/input";
import { createRandom, type Random } from "@palimpsest/std/random";
import type { Task } from "@palimpsest/trajectories";
import {
  type RulerConfig,
  type RulerConfigInput,
  type RulerKind,
  rulerConfigSchema,
} from "./ruler-config.js";

/** The plan of one task: its facts go to fixed sentence positions; the sentences at all others are drawn. */
interface Plan {
  readonly kind: RulerKind;
  readonly name: string;
  readonly value: string;
  readonly place: string;
  readonly sentences: number;
  readonly positions: readonly number[];
  readonly facts: readonly string[];
}

const fill = (template: string, slots: Readonly<Record<string, string>>): string =>
  template.replace(/\{(\w+)\}/g, (whole, slot: string) => slots[slot] ?? whole);

/**
 * Generates RULER-style questions (after arXiv:2404.06654: needle retrieval and variable tracking) over documents
 * of any length. The asked name occurs in exactly one sentence, and in a two-hop task the origin of its value is also
 * stated in exactly one. All other sentences are facts about other names (in a two-hop task also about other values)
 * or fillers, drawn with replacement. Task i depends on the seed and i only, so a longer list begins with the shorter
 * one.
 *
 * @throws {DatasetError} BAD_CONFIG
 */
export function rulerTasks(input: RulerConfigInput, options: { countTokens?: CountTokens } = {}): Task[] {
  return [...rulerTaskStream(input, options)].map((task) => writtenTask(task, options));
}

/** Returns the same tasks as `rulerTasks`. The document of each is generated when the task is opened.
 *  @throws {DatasetError} BAD_CONFIG */
export function openRulerTasks(
  input: RulerConfigInput,
  options: { countTokens?: CountTokens } = {},
): TaskSet {
  const streamed = [...rulerTaskStream(input, options)];
  return generatedTasks(streamed.length, (position) =>
    writtenTask(streamed[position] as StreamedTask, options),
  );
}

function writtenTask(
  { pieces, ...task }: StreamedTask,
  { countTokens }: { countTokens?: CountTokens },
): Task {
  const document = [...pieces()].join("");
  const lengthTokens = countTokens?.(document);
  return {
    ...task,
    document,
    metadata: lengthTokens === undefined ? task.metadata : { ...task.metadata, lengthTokens },
  };
}

/** Yields the same tasks with their documents as streams, so that memory use does not grow with document length. */
export function* rulerTaskStream(
  input: RulerConfigInput,
  options: { countTokens?: CountTokens } = {},
): IterableIterator<StreamedTask> {
  const config = parseConfig(input);
  const sentenceTokens = options.countTokens
    ? meanSentenceTokens(config, options.countTokens)
    : config.sentenceTokens;
  for (let index = 0; index < config.count; index++) {
    yield streamedTask(config, index, sentenceTokens, options.countTokens === undefined);
  }
}

function parseConfig(input: RulerConfigInput): RulerConfig {
  return parseInput(
    rulerConfigSchema,
    input,
    (problem, cause) => new DatasetError("BAD_CONFIG", `ruler settings: ${problem}`, {}, cause),
  );
}

function streamedTask(
  config: RulerConfig,
  index: number,
  sentenceTokens: number,
  known: boolean,
): StreamedTask {
  const seed = `${config.seed}/ruler/${index}`;
  const plan = planTask(config, index, createRandom(`${seed}/plan`), sentenceTokens);
  const twoHop = plan.kind === "two-hop";
  const last = plan.sentences - 1;
  const [first, second] = plan.positions;
  return {
    id: `ruler-${plan.kind}-${config.seed}-${index}`,
    question: fill(twoHop ? config.twoHopQuestion : config.needleQuestion, { name: plan.name }),
    answers: [twoHop ? plan.place : plan.value],
    metadata: {
      kind: plan.kind,
      dataSource: "ruler",
      sentences: plan.sentences,
      depth: (first as number) / Math.max(1, last),
      evidence: plan.facts[0] as string,
      ...(second === undefined ? {} : { secondDepth: second / Math.max(1, last) }),
      ...(plan.facts[1] === undefined ? {} : { secondEvidence: plan.facts[1] }),
      ...(known ? { lengthTokens: plan.sentences * sentenceTokens } : {}),
    },
    pieces: () => sentencesOf(config, plan, createRandom(`${seed}/text`)),
  };
}

function planTask(config: RulerConfig, index: number, random: Random, sentenceTokens: number): Plan {
  const kind = config.kind === "mixed" ? (index % 2 === 0 ? "needle" : "two-hop") : config.kind;
  const sentences =
    config.sentences === undefined
      ? Math.floor(
          draw(config.lengthTokens as NonNullable<RulerConfig["lengthTokens"]>, random) / sentenceTokens,
        )
      : draw(config.sentences, random);
  const wanted = kind === "two-hop" ? 2 : 1;
  if (sentences < wanted) {
    throw new DatasetError(
      "BAD_CONFIG",
      `lengthTokens: ${sentences} sentence(s) of ${sentenceTokens} tokens are too few for ${wanted} fact(s); raise lengthTokens`,
    );
  }
  const name = random.pick(config.names);
  const value = random.pick(config.values);
  const place = random.pick(config.places);
  const facts = [fill(config.likesSentence, { name, value })];
  if (kind === "two-hop") facts.push(fill(config.originSentence, { value, place }));
  const positions =
    kind === "two-hop"
      ? twoPositions(config, sentences, random)
      : [positionAt(config.depth, sentences, random)];
  return { kind, name, value, place, sentences, positions, facts };
}

const draw = (amount: number | { min: number; max: number }, random: Random): number =>
  typeof amount === "number" ? amount : amount.min + random.below(amount.max - amount.min + 1);

const positionAt = (depth: number | undefined, sentences: number, random: Random): number =>
  depth === undefined ? random.below(sentences) : Math.round(depth * (sentences - 1));

/** Draws the positions of the name's fact and of the origin's fact, uniformly over the allowed pairs. */
function twoPositions(config: RulerConfig, sentences: number, random: Random): [number, number] {
  const order =
    config.hopOrder === "random" ? (random.below(2) === 0 ? "forward" : "backward") : config.hopOrder;
  const inOrder = (first: number, second: number) => (order === "forward" ? first < second : first > second);
  const { depth, secondDepth } = config;
  if (depth === undefined && secondDepth === undefined) {
    const a = random.below(sentences);
    const b = (a + 1 + random.below(sentences - 1)) % sentences;
    return inOrder(a, b) ? [a, b] : [b, a];
  }
  if (depth !== undefined && secondDepth !== undefined) {
    const pair: [number, number] = [
      positionAt(depth, sentences, random),
      positionAt(secondDepth, sentences, random),
    ];
    if (inOrder(...pair) || (config.hopOrder === "random" && pair[0] !== pair[1])) return pair;
    throw new DatasetError(
      "BAD_CONFIG",
      `secondDepth: ${secondDepth} with depth ${depth} over ${sentences} sentences contradicts hopOrder "${config.hopOrder}"; change one of them`,
    );
  }
  const fixed = positionAt(depth ?? secondDepth, sentences, random);
  const free = (depth === undefined) === (order === "forward") ? [0, fixed] : [fixed + 1, sentences];
  const [from, to] = free as [number, number];
  if (from >= to) {
    throw new DatasetError(
      "BAD_CONFIG",
      `${depth === undefined ? "secondDepth" : "depth"}: ${depth ?? secondDepth} leaves no position for the other fact with hopOrder "${config.hopOrder}"; change one of them`,
    );
  }
  const other = from + random.below(to - from);
  return depth === undefined ? [other, fixed] : [fixed, other];
}

function* sentencesOf(config: RulerConfig, plan: Plan, random: Random): IterableIterator<string> {
  const otherNames = config.names.filter((name) => name !== plan.name);
  const otherValues = config.values.filter((value) => value !== plan.value);
  const facts = new Map(plan.positions.map((position, i) => [position, plan.facts[i] as string]));
  for (let i = 0; i < plan.sentences; i++) {
    const fact = facts.get(i);
    yield fact ?? otherSentence(config, plan, otherNames, otherValues, random);
  }
}

function otherSentence(
  config: RulerConfig,
  plan: Plan,
  otherNames: readonly string[],
  otherValues: readonly string[],
  random: Random,
): string {
  if (config.fillerFraction > 0 && random.float() < config.fillerFraction) return random.pick(config.fillers);
  if (plan.kind === "two-hop" && random.below(2) === 0) {
    return fill(config.originSentence, {
      value: random.pick(otherValues),
      place: random.pick(config.places),
    });
  }
  return fill(config.likesSentence, { name: random.pick(otherNames), value: random.pick(config.values) });
}

function meanSentenceTokens(config: RulerConfig, countTokens: CountTokens): number {
  const random = createRandom(`${config.seed}/ruler/measure`);
  const sample = Array.from({ length: 512 }, () =>
    fill(config.likesSentence, { name: random.pick(config.names), value: random.pick(config.values) }),
  );
  return Math.max(1, countTokens(sample.join("")) / sample.length);
}
