import {
  memAgentPrompts,
  type ReadingAgentSettings,
  rememr1Prompts,
  type Tokenizer,
} from "@palimpsest/agents";
import type { Task } from "@palimpsest/trajectories";
import { type Demonstration, evidenceOf, lastWord, wholeSentences } from "./demonstration.js";
import { policyDraws } from "./policy-draws.js";

/**
 * The scripted policy of a reader that may recall an earlier memory and does not pursue the reward, as probabilities in
 * [0, 1].
 */
export interface LookBackChances {
  /** The row asks for the answer; otherwise for a new memory. */
  readonly answer: number;
  /** The prompt's memory is the initial one. */
  readonly emptyMemory: number;
  /** The prompt's memory is the fact about the asked name; with the rest of the probability it is another fact. */
  readonly nameInMemory: number;
  /** Something was recalled: the origin asked for if the memory is about the asked name, otherwise any fact. */
  readonly recalled: number;
  /** The section contains the fact about the asked name; drawn only if the memory does not. */
  readonly nameInSection: number;
  /** If the section contains it, it becomes the memory. */
  readonly writeName: number;
  /** If the memory is the fact about the asked name, it is kept. */
  readonly keepName: number;
  /**
   * If neither memory nor section has that fact, a memory that is not empty is kept; with the rest of the probability
   * it becomes a fact of the section.
   */
  readonly keep: number;
  /** A new memory that is the fact about the asked name comes with a query for the thing that it names. */
  readonly askForName: number;
  /** Any other new memory comes with a query for the thing that it names. */
  readonly ask: number;
  /** If something was recalled, the answer is read from it; with the rest of the probability from the memory. */
  readonly answerRecalled: number;
}

export interface LookBackOptions {
  readonly tokenizer: Tokenizer;
  /** The agent, `rememr1` or `memagent`; for `memagent` the policy is the same without recalls and queries. */
  readonly agent: ReadingAgentSettings;
  /** Tasks of the reverse two-hop generator whose segments fill a chunk; each gives one row. */
  readonly tasks: readonly Task[];
  readonly seed: number;
  readonly chances: LookBackChances;
  /** Sentences that state nothing; they occur in sections and are never written to the memory. */
  readonly fillers: readonly string[];
}

/** One row before it is encoded. `recalled`, `memory` and `query` are "" if there is none. */
interface Situation {
  readonly kind: Demonstration["kind"];
  readonly recalled: string;
  readonly memory: string;
  readonly section: string;
  /** The new memory, or the answer's word. */
  readonly target: string;
  readonly query: string;
  readonly helpful: boolean;
}

/**
 * Generates demonstrations (see `readerDemonstrations`) of a reader with a memory of one fact that may recall an
 * earlier one. A model trained on them can copy facts, query for a thing, and read an answer from its memory or from
 * what was recalled, but does not know which of this is rewarded.
 *
 * @throws {AgentError} BAD_CONFIG if a task names no evidence
 */
export function lookBackDemonstrations(options: LookBackOptions): Demonstration[] {
  const row = rowWriter(options.tokenizer, options.agent);
  return options.tasks.map((task, index) => {
    const chance = policyDraws(options.seed, index);
    return row(task.question, situationOf(options, task, chance));
  });
}

function situationOf({ chances, fillers }: LookBackOptions, task: Task, chance: () => number): Situation {
  const pick = <T>(items: readonly T[]) => items[Math.floor(chance() * items.length)] as T;
  const [likes, origin] = evidenceOf(task) as [string, string];
  const sentences = wholeSentences(task.document, ".");
  const segments = chunksOf(sentences, sentences.length / Number(task.metadata["segments"]));
  const facts = (of: readonly string[]) => of.filter((text) => !fillers.includes(text) && text !== likes);
  const anyFact = () => pick(facts(pick(segments)));
  const section = (holdsName: boolean) => pick(segments.filter((of) => of.includes(likes) === holdsName));

  const held = chance();
  const empty = held < chances.emptyMemory;
  const aboutName = !empty && held < chances.emptyMemory + chances.nameInMemory;
  const memory = empty ? "" : aboutName ? likes : anyFact();
  const recalled = chance() < chances.recalled ? (aboutName ? origin : anyFact()) : "";
  if (chance() < chances.answer) {
    const from = recalled !== "" && chance() < chances.answerRecalled ? recalled : memory;
    const target = from === "" ? "" : lastWord(from);
    const helpful = target === task.answers[0];
    return { kind: "final", recalled, memory, section: "", target, query: "", helpful };
  }
  const offered = !aboutName && chance() < chances.nameInSection;
  const read = section(offered);
  const keeps = chance() < (aboutName ? chances.keepName : offered ? 0 : chances.keep) && !empty;
  const writesName = offered && chance() < chances.writeName;
  const target = keeps ? memory : writesName ? likes : pick(facts(read));
  const asks = chance() < (target === likes ? chances.askForName : chances.ask);
  return {
    kind: "memory",
    recalled,
    memory,
    section: read.join(""),
    target,
    query: asks ? thingOf(target) : "",
    helpful: target === likes || (!aboutName && !offered),
  };
}

/** Returns the thing of a fact, which another fact may mention too: tea in " ben likes tea." and " tea from peru.". */
const thingOf = (fact: string): string => {
  const [first, verb, last] = fact.split(/(?= )|(?=\.)/) as [string, string, string];
  return verb === " from" ? first : last;
};

const chunksOf = (items: readonly string[], size: number): string[][] =>
  Array.from({ length: Math.floor(items.length / size) }, (_, at) => items.slice(at * size, (at + 1) * size));

/** Returns a function that encodes situations as rows in the agent's own format. */
function rowWriter(tokenizer: Tokenizer, agent: ReadingAgentSettings) {
  const ids = (text: string) => tokenizer.encode(text);
  const answerIds = (word: string) => ids(` \\boxed{${word || lastWord(agent.config.initialMemory)}}`);
  const finish = (kind: Demonstration["kind"], prompt: number[], reply: number[], helpful: boolean) => ({
    kind,
    tokenIds: [...prompt, ...reply],
    lossMask: [...prompt.map(() => 0), ...reply.map(() => 1)],
    helpful,
  });
  if (agent.kind === "rememr1") {
    const { config } = agent;
    const prompts = rememr1Prompts(tokenizer, config);
    const stop = prompts.stopTokenIds[0] as number;
    const tagged = (name: string, text: string) => ids(`<${name}>${text}</${name}>`);
    return (question: string, situation: Situation): Demonstration => {
      const bound = prompts.bind(question);
      const recalled = situation.recalled === "" ? prompts.nothingRecalled : ids(situation.recalled);
      const memory = situation.memory === "" ? prompts.initialMemory : ids(situation.memory);
      if (situation.kind === "final")
        return finish(
          "final",
          bound.final(recalled, memory),
          [...answerIds(situation.target), stop],
          situation.helpful,
        );
      const query = situation.query === "" ? [] : tagged(config.recallTag, situation.query);
      const reply = [...tagged(config.updateTag, situation.target), ...query, stop];
      return finish(
        "memory",
        bound.memory(recalled, memory, ids(situation.section)),
        reply,
        situation.helpful,
      );
    };
  }
  const prompts = memAgentPrompts(tokenizer, agent.config);
  const stop = prompts.stopTokenIds[0] as number;
  return (question: string, situation: Situation): Demonstration => {
    const bound = prompts.bind(question);
    const memory = situation.memory === "" ? prompts.initialMemory : ids(situation.memory);
    if (situation.kind === "final") {
      const reply = [...answerIds(situation.memory && lastWord(situation.memory)), stop];
      return finish("final", bound.final(memory), reply, situation.helpful);
    }
    const reply = [...ids(situation.target), stop];
    return finish("memory", bound.memory(memory, ids(situation.section)), reply, situation.helpful);
  };
}
