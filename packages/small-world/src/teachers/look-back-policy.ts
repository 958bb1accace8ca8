import {
  memAgentPrompts,
  type ReadingAgentSettings,
  rememr1Prompts,
  type Tokenizer,
} from "@palimpsest/agents";
import type { Task } from "@palimpsest/trajectories";
import { type Demonstration, evidenceOf, lastWord, wholeSentences } from "./demonstration.js";
import { policyDraws } from "./policy-draws.js";

/** What a reader without an aim does where an earlier memory may be asked for, as chances in [0, 1]. */
export interface LookBackChances {
  /** A row asks for the answer; else for a new memory. */
  readonly answer: number;
  /** The prompt's memory is the initial one. */
  readonly emptyMemory: number;
  /** It is the fact about the asked name; what is left of 1: another fact. */
  readonly nameInMemory: number;
  /** Something was recalled: the origin that is asked for, or another. */
  readonly recalled: number;
  /** The section holds the fact about the asked name; only where the memory does not. */
  readonly nameInSection: number;
  /** Then: it becomes the memory. */
  readonly writeName: number;
  /** The memory is the fact about the asked name: it is kept. */
  readonly keepName: number;
  /** Elsewhere: the memory is kept; what is left of 1: it becomes a fact of the section. */
  readonly keep: number;
  /** A memory about the asked name comes with a query for what it names. */
  readonly askForName: number;
  /** Any other memory does. */
  readonly ask: number;
  /** An answer is the recalled fact's, where there is one; what is left of 1: the memory's. */
  readonly answerRecalled: number;
}

export interface LookBackOptions {
  readonly tokenizer: Tokenizer;
  /** Of `rememr1`, or of `memagent`: the same policy without what that agent cannot see and do. */
  readonly agent: ReadingAgentSettings;
  /** Tasks of the reverse two-hop generator whose segments fill a chunk: each gives one row. */
  readonly tasks: readonly Task[];
  readonly seed: number;
  readonly chances: LookBackChances;
  /** Sentences that state nothing: they stand in sections and are never written. */
  readonly fillers: readonly string[];
}

/** One row before it becomes tokens. "" for a recalled fact or a query that is not there. */
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
 * Demonstrations (see `memAgentDemonstrations`) of a reader with a memory of one fact who may ask for an earlier one. A model trained
 * on them can copy facts, ask for a thing, read back a memory or what was recalled, and does not know what pays.
 *
 * @throws {AgentError} BAD_CONFIG when a task names no evidence
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

/** What a fact is about that another may tell more of: " ben likes tea." and " tea from peru." both say tea. */
const thingOf = (fact: string): string => {
  const [first, verb, last] = fact.split(/(?= )|(?=\.)/) as [string, string, string];
  return verb === " from" ? first : last;
};

const chunksOf = (items: readonly string[], size: number): string[][] =>
  Array.from({ length: Math.floor(items.length / size) }, (_, at) => items.slice(at * size, (at + 1) * size));

/** Rows in the agent's own form. */
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
