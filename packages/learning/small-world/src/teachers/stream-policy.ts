import { callSeed, type MemUpdateConfig, memUpdate, type Tokenizer } from "@palimpsest/agents";
import type { Task } from "@palimpsest/trajectories";
import { type Demonstration, scriptedSampler } from "./demonstration.js";
import { policyDraws } from "./policy-draws.js";

/** The scripted writer of a stream, as probabilities in [0, 1]. */
export interface StreamPolicyChances {
  /** It makes the call that the turn requires; with the rest of the probability any other call. */
  readonly right: number;
}

/**
 * Generates the conversations of a writer that is told streams and writes, deletes or does nothing, partly at random.
 * The agent itself runs with the script in the place of the model, so that rows have the format that the model will
 * see, and its stores have the mistakes of earlier turns. A model trained on them can copy ids and statements into
 * calls, and makes the right one as often as the script does.
 * @throws {AgentError} BAD_CONFIG
 */
export async function streamDemonstrations(options: {
  readonly tokenizer: Tokenizer;
  /** The agent's configuration: it is told one turn at a time, its calls are lines, and its results compact. */
  readonly config: MemUpdateConfig;
  readonly tasks: readonly Task[];
  readonly seed: number;
  readonly chances: StreamPolicyChances;
}): Promise<Demonstration[]> {
  const { tokenizer, config, seed, chances } = options;
  const rows: Demonstration[] = [];
  for (const [index, task] of options.tasks.entries()) {
    const chance = policyDraws(seed, index);
    const turns = task.document.split("\n");
    const events = String(task.metadata["events"]);
    const helpful: boolean[] = [];
    const sampler = scriptedSampler(tokenizer, (prompt) => {
      const at = helpful.length;
      const { right, all } = callsFor(turns[at] ?? "", events[at] ?? "", prompt);
      const isRight = chance() < chances.right;
      helpful.push(isRight);
      const others = all.filter((line) => line !== right);
      return isRight ? right : (others[Math.floor(chance() * others.length)] as string);
    });
    const agent = memUpdate({ sampler, tokenizer, config, now: () => 0 });
    const { conversations } = await agent.run(
      { question: "", document: task.document },
      { seed: callSeed(seed, index) },
    );
    for (const [at, { promptTokenIds, sampledTokenIds, lossMask = [] }] of conversations.entries())
      rows.push({
        kind: "memory",
        tokenIds: [...promptTokenIds, ...sampledTokenIds],
        lossMask: [...Array.from(promptTokenIds, () => 0), ...lossMask],
        helpful: helpful[at] ?? false,
      });
  }
  return rows;
}

/** Returns every call that a writer could make of a turn, and the one that the turn requires. */
function callsFor(turn: string, event: string, prompt: string): { right: string; all: readonly string[] } {
  const [subject = ""] = turn.split(" ");
  const shown = [...prompt.matchAll(/^(\S+) (\S+) .*$/gm)].flatMap(([line, id = "", about]) =>
    line.includes(":") || line.startsWith("none") ? [] : [{ id, own: about === subject }],
  );
  const own = shown.find((record) => record.own);
  const all = [
    `create ${turn}`,
    ...shown.flatMap(({ id }) => [`update ${id} ${turn}`, `delete ${id}`]),
    "done",
  ];
  if (event === "c" || (event === "t" && own === undefined)) return { right: "done", all };
  if (own === undefined) return { right: `create ${turn}`, all };
  return { right: event === "t" ? `delete ${own.id}` : `update ${own.id} ${turn}`, all };
}
