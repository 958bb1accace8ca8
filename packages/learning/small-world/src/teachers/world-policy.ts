import {
  AgentError,
  chunkDocument,
  type MemAgentConfig,
  memAgentPrompts,
  type Tokenizer,
} from "@palimpsest/agents";
import {
  type Difficulty,
  difficultyOf,
  type WorldCase,
  type WorldEvent,
  worldByName,
} from "@palimpsest/datasets";
import { createRandom, type Random } from "@palimpsest/std/random";
import type { Demonstration } from "./demonstration.js";

/** The scripted reader of a world, as probabilities in [0, 1]. */
export interface WorldPolicyChances {
  /** The row asks for the answer; otherwise for a new memory. */
  readonly answer: number;
  /** The section is one after which another memory is right, where the text has such a section. */
  readonly changes: number;
  /** The new memory is what follows from the section; with the rest of the probability it is as before, or a word of the section. */
  readonly follow: number;
}

/** Which texts of which worlds are read. */
export interface WorldReading {
  readonly worlds: readonly string[];
  readonly sentences: { readonly min: number; readonly max: number };
  /** What replaces the worlds' own difficulty. */
  readonly difficulty?: Partial<Record<keyof Difficulty, number | undefined>>;
}

/** A section of a text, and what has to be remembered before and after it. */
interface Step {
  readonly section: readonly number[];
  /** The kinds of events that its sentences tell. */
  readonly events: string;
  readonly before: string;
  readonly after: string;
}

/** Decisions that are shown of one text: reading a text through costs as much as they do together. */
const decisionsOfText = 16;

/**
 * Generates demonstrations of a reader of worlds, on texts for training in lower case: its memory is what has to be
 * remembered so far, such as who has the asked thing. Decisions of one text are spread over all rows.
 * @throws {AgentError} BAD_CONFIG for a world of which a few words are not enough
 */
export async function worldDemonstrations(options: {
  readonly tokenizer: Tokenizer;
  readonly config: MemAgentConfig;
  readonly count: number;
  readonly seed: number | string;
  readonly reading: WorldReading;
  readonly chances: WorldPolicyChances;
}): Promise<Demonstration[]> {
  const { tokenizer, config, count, seed, reading, chances } = options;
  const prompts = memAgentPrompts(tokenizer, config);
  const stop = prompts.stopTokenIds[0] as number;
  const row = (kind: Demonstration["kind"], prompt: readonly number[], target: string, helpful: boolean) => {
    const targetIds = [...tokenizer.encode(target), stop];
    const lossMask = [...prompt.map(() => 0), ...targetIds.map(() => 1)];
    return { kind, tokenIds: [...prompt, ...targetIds], lossMask, helpful };
  };
  const rows: Demonstration[] = [];
  for (let text = 0; rows.length < count; text++) {
    const random = createRandom(`${seed}/world/${text}`);
    const one = openText(reading, seed, text, random);
    const { steps, last } = await readThrough(one, tokenizer, config);
    const bound = prompts.bind(one.question.toLowerCase());
    const changing = steps.filter(({ before, after }) => before !== after);
    const same = steps.filter(({ before, after }) => before === after);
    for (let decision = 0; decision < decisionsOfText && rows.length < count; decision++) {
      if (random.float() < chances.answer) {
        const answer = ` \\boxed{${one.answer.toLowerCase()}}`;
        rows.push(row("final", bound.final(tokenizer.encode(last)), answer, true));
        continue;
      }
      const changes = changing.length > 0 && random.float() < chances.changes;
      const step = evenly(changes || same.length === 0 ? changing : same, random);
      const follows = random.float() < chances.follow;
      const strays = tokenizer.decode(step.section).match(/ \w+/g) ?? [step.before];
      const strayed = step.before === step.after ? random.pick(strays) : step.before;
      const target = follows ? step.after : strayed;
      rows.push(row("memory", bound.memory(tokenizer.encode(step.before), step.section), target, follows));
    }
  }
  return createRandom(`${seed}/world/order`).shuffle(rows);
}

/** Draws a section in which as often one thing happens as another: what is rare has to be read as exactly. */
function evenly(steps: readonly Step[], random: Random): Step {
  const event = random.pick([...new Set(steps.map(({ events }) => events))]);
  return random.pick(steps.filter(({ events }) => events === event));
}

/** Opens a text of one of the worlds. */
function openText(reading: WorldReading, seed: number | string, index: number, random: Random): WorldCase {
  const world = worldByName(random.pick(reading.worlds));
  const { min, max } = reading.sentences;
  const one = world.open({
    ...difficultyOf(world, reading.difficulty ?? {}),
    ...{ seed: `${seed}/base`, split: "train", index, length: min + random.below(max - min + 1) },
  });
  if (one.note === undefined)
    throw new AgentError(
      "BAD_CONFIG",
      `worlds: "${world.name}" has no note, because a few words are not enough to answer it; use trade or carry`,
    );
  return one;
}

/** Returns the sections of a text with what has to be remembered before and after each, and in the end. */
async function readThrough(one: WorldCase, tokenizer: Tokenizer, config: MemAgentConfig) {
  const events: WorldEvent[] = [];
  const ends: number[] = [];
  const pieces: string[] = [];
  let tokens = 0;
  for (const { text, event } of one.sentences()) {
    const piece = ` ${text}`.toLowerCase();
    tokens += tokenizer.encode(piece).length;
    events.push(event);
    ends.push(tokens);
    pieces.push(piece);
  }
  /** Returns how many sentences are read at a position. */
  const readAt = (position: number) => {
    const next = ends.findIndex((end) => end > position);
    return next < 0 ? ends.length : next;
  };
  const { chunks } = await chunkDocument(pieces, tokenizer, config);
  const steps: Step[] = [];
  let before = config.initialMemory;
  for await (const chunk of chunks) {
    const read = readAt(chunk.end);
    const note = one.note?.(events.slice(0, read));
    const after = note === undefined ? config.initialMemory : ` ${note.toLowerCase()}`;
    const told = events.slice(readAt(chunk.start), read).map(({ kind }) => kind);
    steps.push({ section: chunk.tokenIds, events: told.join(" "), before, after });
    before = after;
  }
  return { steps, last: before };
}

/** Returns texts for training in lower case, with all their words, for a tokenizer. */
export function worldVocabulary({ worlds, difficulty = {} }: Omit<WorldReading, "sentences">): string[] {
  const texts = new Set<string>();
  for (const name of worlds) {
    const world = worldByName(name);
    for (const split of ["train"] as const)
      for (let index = 0; index < 24; index++) {
        const one = world.open({
          ...difficultyOf(world, difficulty),
          seed: "vocabulary",
          split,
          index,
          length: 96,
        });
        for (const { text } of one.sentences()) texts.add(` ${text}`.toLowerCase());
        texts.add(one.question.toLowerCase());
      }
  }
  return [...texts];
}
