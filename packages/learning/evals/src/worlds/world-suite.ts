import {
  type Difficulty,
  difficultyOf,
  type WorldCase,
  type WorldSplit,
  worldByName,
} from "@palimpsest/datasets";
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

/**
 * Returns questions about worlds, grouped by world and length, such as "trade, 512". Texts are made when they are read.
 * @throws {DatasetError} BAD_CONFIG
 */
export function worldSuite(options: WorldSuiteOptions): WorldSuite {
  const { worlds, lengths, questions, seed, split, difficulty = {}, lowercase = false } = options;
  const cases = new Map<string, WorldCase>();
  const styled = (text: string) => (lowercase ? text.toLowerCase() : text);
  const items = worlds.flatMap((name) =>
    lengths.flatMap((length) =>
      Array.from({ length: questions }, (_, index): EvalItem => {
        const world = worldByName(name);
        const setting = { ...difficultyOf(world, difficulty), seed, split, index, length };
        const one = world.open(setting);
        const id = `world-${name}-${split}-${length}-${seed}-${index}`;
        cases.set(id, one);
        return {
          id,
          group: `${name}, ${length}`,
          question: styled(one.question),
          answers: [styled(one.answer)],
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
        };
      }),
    ),
  );
  return { items, cases };
}

/** Scores answers about worlds: right if it names the right candidate and no other. */
export const worldScorer: Scorer = {
  name: "world/1",
  metrics: [{ name: "right", label: "right", kind: "share" }],
  score({ answers: [answer = ""], metadata }, { text }) {
    const [candidates = [], asked = []] = [metadata["candidates"], metadata["asked"]].map((list) =>
      String(list).split(" | "),
    );
    const right = namesOnly(answerIn(text, "auto") ?? "", { candidates, answer, asked });
    return { right: right ? 1 : 0 };
  },
};
