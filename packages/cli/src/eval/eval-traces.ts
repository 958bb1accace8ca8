import type { EpisodeResult } from "@palimpsest/agents";
import { type EvalItem, type ItemOutcome, TraceFile, traceOutcome } from "@palimpsest/evals";
import type { AgentModel } from "../models/agent-model.js";
import type { EvalPlan } from "./eval-plan.js";

/** Appends evaluated items to a trace file; undefined if no file is named. */
export async function openEvalTraces(path: string | undefined, { suite, scorer }: EvalPlan) {
  if (path === undefined) return undefined;
  const file = await TraceFile.open(path);
  /** Finished episodes that are not scored yet. */
  const episodes = new Map<string, EpisodeResult>();
  const keyOf = (system: string, item: EvalItem) => `${system}\n${item.id}`;
  return {
    episodeOf: (system: string) => (item: EvalItem, episode: EpisodeResult) => {
      episodes.set(keyOf(system, item), episode);
    },
    outcomeWith: (model: AgentModel) => async (system: string, item: EvalItem, outcome: ItemOutcome) => {
      const key = keyOf(system, item);
      const trace = traceOutcome({
        system,
        item,
        outcome,
        episode: episodes.get(key),
        tokenizer: model.tokenizer,
        model: model.name,
        run: suite,
        metric: scorer.metrics[0]?.name ?? "",
      });
      episodes.delete(key);
      await file.append(trace);
    },
    close: () => file.close(),
  };
}
