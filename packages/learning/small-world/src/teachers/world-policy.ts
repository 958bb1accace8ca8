import {
  AgentError,
  chunkDocument,
  type MemAgentConfig,
  memAgentPrompts,
  type Tokenizer,
} from "@palimpsest/agents";
import { type Difficulty, difficultyOf, type WorldEvent, worldByName } from "@palimpsest/datasets";
import { createRandom } from "@palimpsest/std/random";
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

/**
 * Generates demonstrations of a reader of worlds, on texts for training in lower case: its memory is what has to be
 * remembered so far, such as who has the asked thing.
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
  for (let index = 0; index < count; index++) {
    const random = createRandom(`${seed}/world/${index}`);
    const world = worldByName(random.pick(reading.worlds));
    const { min, max } = reading.sentences;
    const length = min + random.below(max - min + 1);
    const one = world.open({
      ...difficultyOf(world, reading.difficulty ?? {}),
      seed: `${seed}/base`,
      split: "train",
      index,
      length,
    });
    if (one.note === undefined)
      throw new AgentError(
        "BAD_CONFIG",
        `worlds: "${world.name}" has no note, because a few words are not enough to answer it; use trade or carry`,
      );
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
    const noteAt = (position: number) => {
      const known = ends.findIndex((end) => end > position);
      const note = one.note?.(events.slice(0, known < 0 ? undefined : known));
      return note === undefined ? config.initialMemory : ` ${note.toLowerCase()}`;
    };
    const bound = prompts.bind(one.question.toLowerCase());
    if (random.float() < chances.answer) {
      const answer = ` \\boxed{${one.answer.toLowerCase()}}`;
      rows.push(row("final", bound.final(tokenizer.encode(noteAt(tokens))), answer, true));
      continue;
    }
    const { chunks } = await chunkDocument(pieces, tokenizer, config);
    const steps: { readonly section: readonly number[]; readonly before: string; readonly after: string }[] =
      [];
    let before = config.initialMemory;
    for await (const chunk of chunks) {
      const after = noteAt(chunk.end);
      steps.push({ section: chunk.tokenIds, before, after });
      before = after;
    }
    const changing = steps.filter((step) => step.before !== step.after);
    const step = random.pick(changing.length > 0 && random.float() < chances.changes ? changing : steps);
    const follows = random.float() < chances.follow;
    const strays = tokenizer.decode(step.section).match(/ \w+/g) ?? [step.before];
    const strayed = step.before === step.after ? random.pick(strays) : step.before;
    const target = follows ? step.after : strayed;
    rows.push(row("memory", bound.memory(tokenizer.encode(step.before), step.section), target, follows));
  }
  return rows;
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
