import type { Agent, EpisodeResult } from "@palimpsest/agents";
import { checkParts } from "@palimpsest/std/input";
import { EvaluationError } from "../error.js";
import { type EvalItem, openDocument } from "../suite/item.js";
import type { Prediction, System } from "../suite/system.js";

/**
 * Called with every finished episode. It cannot change an answer, so it is not part of the key of cached answers.
 */
export type OnEpisode = (item: EvalItem, result: EpisodeResult) => void;

/**
 * Makes a system of a memory agent.
 * @param options.settings JSON of the agent's settings
 * @param options.model JSON that identifies the model
 * @param options.memories whether the prediction keeps the memory after each step, for people to read
 */
export function agentSystem(options: {
  readonly name: string;
  readonly agent: Agent;
  readonly settings: unknown;
  readonly model: unknown;
  /** Replaces the agent's own temperature; 0 is greedy. */
  readonly temperature?: number;
  readonly topP?: number;
  readonly memories?: boolean;
  readonly onEpisode?: OnEpisode;
}): System {
  const parts = { name: "a text", agent: "an object", settings: "any value", model: "any value" } as const;
  const optional = { "temperature?": "a number", "topP?": "a number", "memories?": "true or false" } as const;
  checkParts(
    options,
    "agentSystem()",
    { ...parts, ...optional, "onEpisode?": "a function" },
    (problem) => new EvaluationError("BAD_CONFIG", problem),
  );
  const { name, agent, settings, model, temperature, topP, memories = false, onEpisode } = options;
  const sampling = {
    ...(temperature === undefined ? {} : { temperature }),
    ...(topP === undefined ? {} : { topP }),
  };
  return {
    name,
    settings: { kind: "agent", agent: agent.name, settings, sampling, model, memories },
    async answer(item, { signal, seed }) {
      const { question, records } = item;
      const result = await agent.run(
        { question, document: await openDocument(item), ...(records ? { records } : {}) },
        { signal, seed, record: memories || onEpisode ? "all" : "none", ...sampling },
      );
      onEpisode?.(item, result);
      return predictionOf(result, memories);
    },
  };
}

/** Returns the part of an episode that the suite keeps. */
export function predictionOf(result: EpisodeResult, memories: boolean): Prediction {
  const { conversations, promptTokens, sampledTokens, truncated, emptyUpdates } = result.counts;
  return {
    text: result.answer,
    counts: { conversations, promptTokens, sampledTokens, truncated },
    documentTokens: result.documentTokens,
    droppedDocumentTokens: result.droppedDocumentTokens,
    measures: { ...(emptyUpdates === 0 ? {} : { emptyUpdates }), ...storeMeasures(result) },
    ...(memories ? { memories: result.steps.map(({ memory }) => memory) } : {}),
  };
}

/**
 * Returns what the agent counted and how its store changed; `episodes.*` are 0 or 1, so that their means are fractions
 * of episodes.
 */
export function storeMeasures({ counters = {}, storeDiff }: EpisodeResult): Record<string, number> {
  if (!storeDiff) return { ...counters };
  const { created, updated, deleted } = storeDiff;
  return {
    ...counters,
    "episodes.with_done_call": (counters["done_calls"] ?? 0) > 0 ? 1 : 0,
    "episodes.with_change": created.length + updated.length + deleted.length > 0 ? 1 : 0,
    "records.created": created.length,
    "records.updated": updated.length,
    "records.deleted": deleted.length,
  };
}
