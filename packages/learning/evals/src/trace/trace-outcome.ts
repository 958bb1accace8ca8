import type { EpisodeResult, Tokenizer } from "@palimpsest/agents";
import type { EvalItem } from "../suite/item.js";
import type { ItemOutcome } from "../suite/runner.js";
import { traceEpisode } from "./trace-episode.js";
import { type Trace, traceVersion } from "./trace-schema.js";

export interface TraceOutcomeOptions {
  readonly system: string;
  readonly item: EvalItem;
  readonly outcome: ItemOutcome;
  /** What an agent did; absent for baselines and failures. */
  readonly episode?: EpisodeResult | undefined;
  readonly tokenizer: Tokenizer;
  /** The model and where it runs. */
  readonly model: string;
  /** The name of the suite. */
  readonly run: string;
  /** The metric that counts as the reward. */
  readonly metric: string;
  readonly nowMs?: number;
}

/**
 * Converts one item of an evaluation to a line of a trace file: the steps of agents, and the answers of all systems.
 */
export function traceOutcome(options: TraceOutcomeOptions): Trace {
  const { system, item, outcome, episode, tokenizer, model, run, metric, nowMs = Date.now() } = options;
  const { scores, failure, prediction } = outcome;
  const score = { reward: scores[metric] ?? 0, components: scores };
  const named = {
    origin: "eval",
    trajectoryId: `${system}/${item.id}`,
    agent: system,
    model,
    run,
  } as const;
  // A document that is built on demand is not built a second time only to be shown.
  const document = typeof item.document === "string" ? item.document : "";
  if (episode !== undefined && failure === undefined) {
    const done = { ...episode, memorySteps: episode.steps, answer: prediction?.text ?? episode.answer };
    return traceEpisode({ ...item, document }, done, { ...named, tokenizer, score });
  }
  return {
    version: traceVersion,
    ...named,
    task: {
      id: item.id,
      question: item.question,
      answers: [...item.answers],
      metadata: { ...item.metadata },
    },
    answer: prediction?.text ?? "",
    ...(failure === undefined ? {} : { failure }),
    reward: { total: score.reward, components: { ...scores } },
    ...(prediction?.documentTokens === undefined ? {} : { documentTokens: prediction.documentTokens }),
    droppedDocumentTokens: prediction?.droppedDocumentTokens ?? 0,
    conversations: [],
    memorySteps: [],
    policyVersionMin: 0,
    policyVersionMax: 0,
    weightsHash: "",
    startedAtMs: nowMs - outcome.seconds * 1000,
    endedAtMs: nowMs,
  };
}
