import type { Agent } from "@palimpsest/agents";
import { storeAfter } from "@palimpsest/rewards";
import { EvaluationError } from "../error.js";
import type { Prediction, System } from "../suite/system.js";
import { agentSystem, type OnEpisode, storeMeasures } from "./agent-system.js";
import type { BaselineOptions } from "./direct.js";
import { type Retrieval, retrievalSystem } from "./retrieval.js";

/**
 * Creates a system of an agent that edits a store and of the retrieval baselines' reader over the resulting store. It
 * differs from those baselines only in what the agent did to the store.
 */
export function storeSystem(
  options: BaselineOptions & {
    readonly agent: Agent;
    /** JSON of the agent's settings. */
    readonly settings: unknown;
    readonly retrieval: Retrieval;
    readonly temperature: number;
    readonly topP: number;
    readonly onEpisode?: OnEpisode;
  },
): System {
  const { name, agent, settings, model, temperature, topP, reader, retrieval, onEpisode } = options;
  const editor = agentSystem({ name, agent, settings, model, temperature, topP });
  const answerer = retrievalSystem({ name, reader, model, retrieval });
  return {
    name,
    settings: { kind: "store", editor: editor.settings, answerer: answerer.settings },
    async answer(item, answering) {
      const { records } = item;
      if (records === undefined) {
        throw new EvaluationError(
          "BAD_CONFIG",
          `item ${item.id}: has no records, but ${agent.name} edits a memory store; evaluate it on data with records, such as eval locomo`,
        );
      }
      const { signal, seed } = answering;
      const result = await agent.run(
        { question: item.searchQuery ?? item.question, document: "", records },
        { signal, seed, record: onEpisode ? "all" : "none", temperature, topP },
      );
      onEpisode?.(item, result);
      const after = result.storeDiff ? storeAfter(records, result.storeDiff) : records;
      const answered = await answerer.answer({ ...item, records: after }, answering);
      const tokens = (store: typeof records) =>
        store.reduce((sum, { content }) => sum + reader.encode(content).length, 0);
      return {
        ...answered,
        counts: sumOf(result.counts, answered.counts),
        measures: {
          ...answered.measures,
          ...storeMeasures(result),
          initial_memory_tokens: tokens(records),
          final_memory_tokens: tokens(after),
        },
      };
    },
  };
}

function sumOf(a: Prediction["counts"], b: Prediction["counts"]): Prediction["counts"] {
  return {
    conversations: a.conversations + b.conversations,
    promptTokens: a.promptTokens + b.promptTokens,
    sampledTokens: a.sampledTokens + b.sampledTokens,
    truncated: a.truncated + b.truncated,
  };
}
