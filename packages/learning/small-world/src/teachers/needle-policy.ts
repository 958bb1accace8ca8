import type { Demonstration } from "./demonstration.js";
import { type GateChances, type ReaderOptions, readerDemonstrations, type Scene } from "./reader-policy.js";

/** The scripted policy of a reader that does not pursue the reward, as probabilities in [0, 1]. */
export interface PolicyChances extends GateChances {
  /** The row asks for the answer; otherwise for a new memory. */
  readonly answer: number;
  /** The prompt's memory is the initial one. */
  readonly emptyMemory: number;
  /** The prompt's memory is the asked fact; with the rest of the probability it is another fact. */
  readonly rightMemory: number;
  /** The section contains the asked fact; drawn only if the memory is not that fact. */
  readonly rightInSection: number;
  /** If the section contains the asked fact, the memory is kept all the same. */
  readonly keepBesideRight: number;
  /** If the section contains it, it becomes the memory; with the rest of the probability another of its facts does. */
  readonly writeRight: number;
  /** If the section lacks it, the memory is kept; with the rest of the probability it becomes a fact of the section. */
  readonly keep: number;
}

/** Generates demonstrations (see `readerDemonstrations`) of a reader with a memory of one fact; tasks have one piece of evidence. */
export const memAgentDemonstrations = (options: ReaderOptions<PolicyChances>): Demonstration[] =>
  readerDemonstrations(options, read);

function read(scene: Scene, chances: PolicyChances): Demonstration {
  const { chance, place, facts, section, unread, initialMemory } = scene;
  const [right] = scene.evidence as [string];
  const held = chance();
  const memory =
    held < chances.emptyMemory || (held >= chances.emptyMemory + chances.rightMemory && unread.length === 0)
      ? initialMemory
      : held < chances.emptyMemory + chances.rightMemory
        ? right
        : (unread[place(unread.length)] as string);
  if (chance() < chances.answer) return scene.answer(memory, memory === right);
  const offered = memory !== right && chance() < chances.rightInSection;
  if (offered) section[place(section.length)] = right;
  const wrong = facts(section).filter((text) => text !== right);
  const drawn = chance();
  const kept = drawn < (offered ? chances.keepBesideRight : chances.keep);
  const takesRight = offered && (drawn < chances.keepBesideRight + chances.writeRight || wrong.length === 0);
  const target =
    kept || (!offered && wrong.length === 0)
      ? memory
      : takesRight
        ? right
        : (wrong[place(wrong.length)] as string);
  return scene.update(memory, target, target === (offered ? right : memory));
}
