import { AgentError, callSeed, type MemUpdateConfig, memUpdate, type Tokenizer } from "@palimpsest/agents";
import type { Task } from "@palimpsest/trajectories";
import { type Demonstration, scriptedSampler } from "./demonstration.js";

/** The scripted policy of an editor that does not pursue the reward, as probabilities in [0, 1]. */
export interface StorePolicyChances {
  /** The editor begins with a search for the person whom the statement is about. */
  readonly search: number;
  /** The editor begins with a search for somebody else. */
  readonly searchOther: number;
  /** The editor begins with a new record; with the rest of the probability it is done at once. */
  readonly createUnseen: number;
  /** After a search it makes the call that the results require; with the rest of the probability any other call. */
  readonly right: number;
  /** After a change it is done; with the rest of the probability it makes another call. */
  readonly stop: number;
}

export interface StorePolicyOptions {
  readonly tokenizer: Tokenizer;
  /** The agent's configuration; its calls must be lines, and its results compact. */
  readonly config: MemUpdateConfig;
  /** Tasks with a store whose question is a statement of three words, of which the first is a name. */
  readonly tasks: readonly Task[];
  readonly seed: number;
  readonly chances: StorePolicyChances;
}

/**
 * Generates whole conversations of an editor that searches, writes and deletes at random; its calls are trained, and
 * tool results are not. A model trained on them can look a name up and copy ids and statements into calls, but does not
 * know which call a store needs.
 * @throws {AgentError} BAD_CONFIG
 */
export async function storeDemonstrations(options: StorePolicyOptions): Promise<Demonstration[]> {
  const { config } = options;
  if (config.callForm !== "lines" || config.resultStyle !== "compact")
    throw new AgentError(
      "BAD_CONFIG",
      `callForm is ${config.callForm}, resultStyle ${config.resultStyle}: demonstrations exist only for lines and compact; use the preset tiny`,
    );
  const rows: Demonstration[] = [];
  for (const [index, task] of options.tasks.entries())
    rows.push(await conversation(options, task, callSeed(options.seed, index)));
  return rows;
}

/**
 * Runs the agent itself with the scripted policy in place of the model, so that rows have the format that the model
 * will see.
 */
async function conversation(
  { tokenizer, config, chances }: StorePolicyOptions,
  task: Task,
  seed: number,
): Promise<Demonstration> {
  let draws = 0;
  const chance = () => callSeed(seed, draws++) / 2 ** 31;
  const editor = new Editor(task, chances, chance);
  const sampler = scriptedSampler(tokenizer, (prompt) => editor.next(prompt));
  const agent = memUpdate({ sampler, tokenizer, config, now: () => 0 });
  const { question, records = [] } = task;
  const { conversations } = await agent.run({ question, document: "", records }, { seed });
  const {
    promptTokenIds,
    sampledTokenIds,
    lossMask = [],
  } = conversations[0] ?? {
    promptTokenIds: [],
    sampledTokenIds: [],
  };
  return {
    kind: "memory",
    tokenIds: [...promptTokenIds, ...sampledTokenIds],
    lossMask: [...Array.from(promptTokenIds, () => 0), ...lossMask],
    helpful: editor.helpful,
  };
}

interface Shown {
  readonly id: string;
  readonly content: string;
}

class Editor {
  readonly #task: Task;
  readonly #chances: StorePolicyChances;
  readonly #chance: () => number;
  readonly #statement: string;
  readonly #name: string;
  #turn = 0;
  #wrote = false;
  /** True if every choice so far was the right one. */
  helpful = true;

  constructor(task: Task, chances: StorePolicyChances, chance: () => number) {
    this.#task = task;
    this.#chances = chances;
    this.#chance = chance;
    this.#statement = task.question.trim();
    this.#name = this.#statement.split(" ")[0] as string;
  }

  /** Returns the next line. @param transcript the decoded conversation so far */
  next(transcript: string): string {
    this.#turn += 1;
    if (this.#turn === 1) return this.#first();
    if (this.#wrote && this.#chance() < this.#chances.stop) return "done";
    const shown = shownIn(transcript, this.#task);
    const right = this.#rightCall(shown);
    const others = this.#calls(shown).filter((line) => line !== right);
    const line = !this.#wrote && this.#chance() < this.#chances.right ? right : this.#pick(others);
    if (line !== right) this.helpful = false;
    this.#wrote = true;
    return line;
  }

  #first(): string {
    const { search, searchOther, createUnseen } = this.#chances;
    const drawn = this.#chance();
    if (drawn < search) return `search ${this.#name}`;
    this.helpful = false;
    const somebody = this.#pick(this.#task.records ?? [])?.content.split(" ")[0] ?? this.#name;
    if (drawn < search + searchOther) return `search ${somebody}`;
    if (drawn >= search + searchOther + createUnseen) return "done";
    this.#wrote = true;
    return `create ${this.#statement}`;
  }

  #rightCall(shown: readonly Shown[]): string {
    const own = shown.filter(({ content }) => content.startsWith(`${this.#name} `));
    const stale = own.find(({ content }) => content !== this.#statement);
    if (own.length === 0) return `create ${this.#statement}`;
    if (stale === undefined) return "done";
    return own.length > 1 ? `delete ${stale.id}` : `update ${stale.id} ${this.#statement}`;
  }

  #calls(shown: readonly Shown[]): string[] {
    return [
      ...shown.flatMap(({ id }) => [`update ${id} ${this.#statement}`, `delete ${id}`]),
      `create ${this.#statement}`,
      "done",
    ];
  }

  #pick<T>(items: readonly T[]): T {
    return items[Math.floor(this.#chance() * items.length)] as T;
  }
}

/** Returns the task's records that the transcript contains in the format of a tool's results. */
function shownIn(transcript: string, task: Task): Shown[] {
  return (task.records ?? []).filter(({ id, content }) => transcript.includes(`\n${id} ${content}`));
}
