/** Responsibility: what `rollout.engine` changes in the rest of a recipe, and which other settings contradict it.
 *  Not responsible for: contradictions within the section (engine-settings.ts). */
import { resolveLearnerConfig } from "@palimpsest/learner";
import { z } from "zod";
import { engineCount, loadOf } from "./engine-settings.js";
import type { Recipe } from "./recipe-schema.js";

/** Settings of a sampler in the actor's own process. */
const ofOwnSampler = [
  "actors",
  "maxBatch",
  "cacheTokens",
  "prefillTokens",
  "prefixCache",
  "speculate",
  "batchInvariant",
  "precision",
  "lanes",
  "stepsPerCall",
] as const;
const rolloutGiven = z.looseObject({ rollout: z.record(z.string(), z.unknown()) });

/** Returns the recipe with the consequences of its engines: one actor for each, and a correction for their log-probs. */
export function withEngineDefaults(recipe: Recipe): Recipe {
  const { rollout, learner } = recipe;
  const { engine } = rollout;
  if (engine === undefined) return recipe;
  const { importance, oldLogprobs } = resolveLearnerConfig(learner);
  // If the ratio is taken against the engine's own log-probs, it already corrects for them.
  const corrected =
    learner.importance !== undefined || importance.kind !== "none" || oldLogprobs === "rollout";
  return {
    ...recipe,
    rollout: { ...rollout, actors: engineCount(engine) },
    learner: corrected ? learner : { ...learner, importance: { kind: "tis-token", cap: 2 } },
  };
}

/** @param given the recipe as written */
export function engineProblems({ rollout, agent, learner }: Recipe, given: unknown): string[] {
  const { engine } = rollout;
  if (engine === undefined) return [];
  const written = rolloutGiven.safeParse(given).data?.rollout ?? {};
  const problems = ofOwnSampler
    .filter((field) => written[field] !== undefined)
    .map((field) =>
      field === "actors"
        ? `rollout.actors: ${String(written[field])} has no effect with rollout.engine, which has one rollout actor per server; set the number by addresses or start.count`
        : `rollout.${field}: ${String(written[field])} has no effect with rollout.engine, because it is a setting of Palimpsest's own sampler; leave it out`,
    );
  if (rollout.weightUpdates === "in-flight" && (engine.kind !== "vllm" || loadOf(engine) === "restart"))
    problems.push(
      `rollout.weightUpdates: is in-flight, but engines of kind ${engine.kind}${loadOf(engine) === "restart" ? " that are restarted for each version" : ""} cannot keep running requests while they load weights; set it to drained`,
    );
  if (rollout.weightUpdates === "staged")
    problems.push(
      "rollout.weightUpdates: is staged, which only Palimpsest's own sampler does; set it to in-flight or drained",
    );
  const topP = agent.kind === "module" ? 1 : agent.config.topP;
  if (topP !== 1) {
    problems.push(
      `agent.settings.topP: is ${topP}, but with rollout.engine tokens are drawn without truncation, because servers differ in the log-probs that they report after truncation; set it to 1`,
    );
  }
  if (engine.adapters === "served") {
    const fault =
      (learner.lora ?? null) === null
        ? "learner.lora is not set, so that there are no adapters"
        : engine.kind === "llama-cpp" || loadOf(engine) === "restart"
          ? `engines of kind ${engine.kind} ${loadOf(engine) === "restart" ? "that are restarted for each version" : ""} load none`
          : undefined;
    if (fault !== undefined)
      problems.push(`rollout.engine.adapters: is served, but ${fault}; set it to merged`);
  }
  if (engine.originalLogprobs && rollout.temperature !== 1) {
    problems.push(
      `rollout.engine.originalLogprobs: is true, but with rollout.temperature ${rollout.temperature} the learner needs log-probs after the temperature; start SGLang without SGLANG_RETURN_ORIGINAL_LOGPROB and leave the setting out, or set the temperature to 1`,
    );
  }
  return problems;
}
