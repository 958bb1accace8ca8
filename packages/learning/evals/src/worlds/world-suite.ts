import {
  type Difficulty,
  difficultyOf,
  type WorldCase,
  type WorldSplit,
  worldByName,
} from "@palimpsest/datasets";
import { delay } from "@palimpsest/std";
import { fingerprint } from "../suite/fingerprint.js";
import type { EvalItem } from "../suite/item.js";
import { answerIn } from "../suite/qa-scorer.js";
import type { Scorer } from "../suite/scorer.js";
import { namesOnly } from "./one-of.js";

/** What a suite of worlds asks. */
export interface WorldSuiteOptions {
  readonly worlds: readonly string[];
  /** Lengths of the texts in sentences. */
  readonly lengths: readonly number[];
  /** Questions for each world and length. */
  readonly questions: number;
  readonly seed: number | string;
  readonly split: WorldSplit;
  /** What replaces the worlds' own difficulty. */
  readonly difficulty?: Partial<Record<keyof Difficulty, number | undefined>>;
  /** Whether all texts are in lower case. */
  readonly lowercase?: boolean;
}

/** The questions of worlds, with the cases from which scripts answer. */
export interface WorldSuite {
  readonly items: readonly EvalItem[];
  /** Cases by the id of their item. */
  readonly cases: ReadonlyMap<string, WorldCase>;
}

/** How long the making of questions may keep the event loop from others. */
const turnMs = 20;

/**
 * Returns questions about worlds, grouped by world and length, such as "trade, 512". Texts are made when they are read.
 * @throws {DatasetError} BAD_CONFIG; the signal's reason
 */
export async function worldSuite(options: WorldSuiteOptions, signal?: AbortSignal): Promise<WorldSuite> {
  const { worlds, lengths, questions } = options;
  const cases = new Map<string, WorldCase>();
  const items: EvalItem[] = [];
  let turnedAtMs = performance.now();
  for (const name of worlds)
    for (const length of lengths)
      for (let index = 0; index < questions; index++) {
        const { item, one } = questionAt(options, name, length, index);
        cases.set(item.id, one);
        items.push(item);
        if (performance.now() - turnedAtMs < turnMs) continue;
        await delay(0);
        signal?.throwIfAborted();
        turnedAtMs = performance.now();
      }
  return { items, cases };
}

function questionAt(
  { seed, split, difficulty = {}, lowercase = false }: WorldSuiteOptions,
  name: string,
  length: number,
  index: number,
): { readonly item: EvalItem; readonly one: WorldCase } {
  const styled = (text: string) => (lowercase ? text.toLowerCase() : text);
  const world = worldByName(name);
  const setting = { ...difficultyOf(world, difficulty), seed, split, index, length };
  const one = world.open(setting);
  return {
    one,
    item: {
      id: `world-${name}-${split}-${length}-${seed}-${index}`,
      group: `${name}, ${length}`,
      question: styled(one.question),
      answers: [one.answer, ...one.aliases].map(styled),
      document: {
        fingerprint: fingerprint({ world: name, lowercase, ...setting }),
        *open() {
          for (const { text } of one.sentences()) yield styled(` ${text}`);
        },
      },
      metadata: {
        world: name,
        sentences: length,
        candidates: one.candidates.map(styled).join(" | "),
        asked: one.asked.map(styled).join(" | "),
        answerKind: one.kind,
      },
    },
  };
}

/** Scores answers about worlds: right if it names the right candidate and no other. */
export const worldScorer: Scorer = {
  name: "world/1",
  metrics: [{ name: "right", label: "right", kind: "share" }],
  score({ answers: [answer = "", ...aliases], metadata }, { text }) {
    const [candidates = [], asked = []] = [metadata["candidates"], metadata["asked"]].map((list) =>
      String(list).split(" | "),
    );
    const right = namesOnly(answerIn(text, "auto") ?? "", { candidates, answer, aliases, asked });
    return { right: right ? 1 : 0 };
  },
};
