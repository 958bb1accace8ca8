import {
  type AgentModel,
  type AgentSettings,
  agentKindOf,
  agentSettingsSchema,
  createAgent,
} from "@palimpsest/agents";
import { type Embedder, hashedEmbedder } from "@palimpsest/memory";
import type { TrajectoryReward } from "@palimpsest/rewards";
import { closestWord, parseInput } from "@palimpsest/std/input";
import type { z } from "zod";
import { agentSystem, type OnEpisode } from "../baselines/agent-system.js";
import { closedBook, fullContext, truncatedContext } from "../baselines/direct.js";
import { createReader } from "../baselines/reader.js";
import { readerConfigSchema } from "../baselines/reader-config.js";
import { type Retrieval, retrievalSystem } from "../baselines/retrieval.js";
import { storeSystem } from "../baselines/store-system.js";
import { EvaluationError } from "../error.js";
import { rewardedSystem } from "../suite/rewarded-prediction.js";
import type { System } from "../suite/system.js";
import { builtInSystems, type EvalSettings, type SystemSettings } from "./eval-settings.js";

/** The models and tools on which systems run. */
export interface SystemModel extends AgentModel {
  /** JSON that identifies the model: name and hash of weights, or endpoint. It is part of the key of cached answers. */
  readonly identity: unknown;
  /** Maximum tokens of prompt and reply together, if it is known. */
  readonly contextTokens?: number;
}

/**
 * Returns the system for a name: one of the settings file, or a built-in one.
 * @throws {EvaluationError} BAD_CONFIG
 */
export function systemSettings(name: string, settings: EvalSettings): SystemSettings {
  const found =
    settings.systems[name] ??
    (Object.hasOwn(builtInSystems, name) ? builtInSystems[name as keyof typeof builtInSystems] : undefined);
  if (found) return found;
  const known = [...new Set([...Object.keys(settings.systems), ...Object.keys(builtInSystems)])];
  const meant = closestWord(name, known);
  throw new EvaluationError(
    "BAD_CONFIG",
    `systems: "${name}" is unknown; use one of ${known.join(", ")}${meant === undefined ? "" : `; did you mean ${meant}?`}`,
  );
}

/**
 * @param options.label name in the report
 * @param options.embedder for retrieval by embedding; default: one that needs no model
 * @param options.agentEmbedder for an agent's store, when its settings name one that a program has to open
 * @throws {EvaluationError | AgentError} BAD_CONFIG; {MemoryError} BAD_INPUT when `agentEmbedder` is missing
 */
export function createSystem(options: {
  readonly label: string;
  readonly system: SystemSettings;
  readonly settings: EvalSettings;
  readonly model: SystemModel;
  readonly embedder?: Embedder;
  readonly agentEmbedder?: Embedder;
  /** For systems of kind `trained`: returns the agent of a recipe or, without a name, of the run under evaluation. */
  readonly trainedAgent?: (recipe: string | undefined) => AgentSettings;
  /** Called with every finished episode of an agent. */
  readonly onEpisode?: OnEpisode;
  /** Scores the episodes of agents, for suites whose questions are hidden from them. */
  readonly reward?: TrajectoryReward;
}): System {
  const { label: name, system, settings, model, embedder = hashedEmbedder(), agentEmbedder } = options;
  const { temperature, topP } = settings;
  const known = model.contextTokens === undefined ? {} : { contextTokens: model.contextTokens };
  const reader = () => {
    const asked = { ...known, temperature, topP, ...settings.reader, ...system.reader };
    return createReader(model, parse(`systems.${name}.reader`, readerConfigSchema, asked));
  };
  const base = { name, model: model.identity };
  switch (system.kind) {
    case "agent":
    case "trained": {
      const parsed = systemAgent(name, system, options.trainedAgent);
      const asked = {
        ...base,
        agent: createAgent(parsed, { ...model, ...(agentEmbedder ? { embedder: agentEmbedder } : {}) }),
        settings: parsed,
        temperature,
        topP,
        ...(options.onEpisode ? { onEpisode: options.onEpisode } : {}),
      };
      if (options.reward !== undefined) return rewardedSystem({ ...asked, reward: options.reward });
      if (agentKindOf(parsed, model.module).embedder === undefined)
        return agentSystem({ ...asked, memories: system.memories });
      return storeSystem({ ...asked, reader: reader(), retrieval: retrievalOf(system.by, embedder) });
    }
    case "full-context":
      return fullContext({ ...base, reader: reader() });
    case "truncated":
      return truncatedContext({ ...base, reader: reader() });
    case "closed-book":
      return closedBook({ ...base, reader: reader() });
    case "rag":
      return retrievalSystem({
        ...base,
        reader: reader(),
        retrieval: retrievalOf(system.by, embedder),
      });
  }
}

/**
 * Returns an agent's complete settings: a preset's or a recipe's, with what the system replaces.
 * @throws {EvaluationError} BAD_CONFIG; whatever `trainedAgent` throws
 */
export function systemAgent(
  name: string,
  system: Extract<SystemSettings, { readonly kind: "agent" | "trained" }>,
  trainedAgent: ((recipe: string | undefined) => AgentSettings) | undefined,
): AgentSettings {
  const field = `systems.${name}`;
  for (const idle of ["temperature", "topP"] as const) {
    if (!(idle in system.settings)) continue;
    throw new EvaluationError(
      "BAD_CONFIG",
      `${field}.settings.${idle}: ${String(system.settings[idle])} has no effect, because all systems are asked at the evaluation's ${idle}; set that`,
    );
  }
  if (system.kind === "agent") {
    const { agent: kind, preset = kind, settings } = system;
    return parse(field, agentSettingsSchema, { kind, preset, settings });
  }
  if (!trainedAgent)
    throw new EvaluationError(
      "BAD_CONFIG",
      `${field}: is a recipe, which this program does not read; give the recipe's agent instead`,
    );
  const trained = trainedAgent(system.recipe);
  const settings = { ...trained.config, ...system.settings };
  if (trained.kind === "module") return { ...trained, config: settings };
  const { kind, preset } = trained;
  return parse(field, agentSettingsSchema, { kind, preset, settings });
}

const retrievalOf = (by: Retrieval["by"], embedder: Embedder): Retrieval =>
  by === "embedding" ? { by, embedder } : { by };

function parse<Schema extends z.ZodType>(field: string, schema: Schema, value: unknown): z.output<Schema> {
  return parseInput(schema, value, (problem) => new EvaluationError("BAD_CONFIG", `${field}: ${problem}`));
}
