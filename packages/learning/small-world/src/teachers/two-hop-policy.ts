import { type Demonstration, lastWord } from "./demonstration.js";
import { type GateChances, type ReaderOptions, readerDemonstrations, type Scene } from "./reader-policy.js";

/**
 * The scripted policy of a reader that has a memory of two facts and does not pursue the reward, as probabilities in
 * [0, 1].
 */
export interface TwoHopPolicyChances extends GateChances {
  /** The row asks for the answer; otherwise for a new memory. */
  readonly answer: number;
  /** The prompt's memory is the initial one. */
  readonly emptyMemory: number;
  /** The prompt's memory is one fact; with the rest of the probability it is two. */
  readonly oneFact: number;
  /** Each fact of the memory belongs to the asked chain; otherwise to another chain. */
  readonly ownFact: number;
  /** The section contains the chain's next fact; drawn only if the memory does not have the whole chain. */
  readonly nextInSection: number;
  /** If the section contains the next fact, the memory is kept all the same. */
  readonly keepBesideNext: number;
  /** If the section contains it, the memory takes it; with the rest of the probability another fact of the section. */
  readonly takeNext: number;
  /** If the section lacks it, the memory is kept; with the rest of the probability it takes a fact of the section. */
  readonly keep: number;
}

/**
 * Generates demonstrations (see `readerDemonstrations`) of a reader that notes up to two facts, one after the other.
 * A fact that it takes is appended to a memory of one fact, and replaces an empty or full memory. So a model trained on
 * them can copy a fact and append one to another, but does not know which chain is rewarded.
 */
export const memAgentTwoHopDemonstrations = (options: ReaderOptions<TwoHopPolicyChances>): Demonstration[] =>
  readerDemonstrations(options, read);

function read(scene: Scene, chances: TwoHopPolicyChances): Demonstration {
  const { task, chance, place, facts, evidence, section, unread, initialMemory } = scene;
  const noted: string[] = [];
  const held = chance();
  const wanted = held < chances.emptyMemory ? 0 : held < chances.emptyMemory + chances.oneFact ? 1 : 2;
  for (let at = 0; at < wanted; at++) {
    const own = chance() < chances.ownFact || unread.length === 0;
    noted.push(own ? (evidence[at] as string) : (unread[place(unread.length)] as string));
  }
  const memory = noted.length === 0 ? initialMemory : noted.join("");
  if (chance() < chances.answer) return scene.answer(memory, lastWord(memory) === task.answers[0]);
  const begun = noted[0] === evidence[0];
  const next = begun ? (noted[1] === evidence[1] ? undefined : evidence[1]) : evidence[0];
  const offered = next !== undefined && chance() < chances.nextInSection;
  if (offered) section[place(section.length)] = next;
  const rest = facts(section).filter((text) => text !== next);
  const drawn = chance();
  const kept = drawn < (offered ? chances.keepBesideNext : chances.keep);
  const takesNext = offered && (drawn < chances.keepBesideNext + chances.takeNext || rest.length === 0);
  const taken = takesNext ? next : rest[place(rest.length)];
  if (kept || taken === undefined) return scene.update(memory, memory, !offered);
  return scene.update(memory, withFact(noted, taken, taken === next, begun), takesNext);
}

/**
 * Returns the memory with a fact added. The chain's second fact goes after its first one, and any other fact after the
 * only one. The chain's first fact, and a fact for which there is no room, replaces the whole memory.
 */
function withFact(noted: readonly string[], taken: string, isNext: boolean, begun: boolean): string {
  if (isNext) return begun ? `${noted[0]}${taken}` : taken;
  return noted.length === 1 ? `${noted[0]}${taken}` : taken;
}
