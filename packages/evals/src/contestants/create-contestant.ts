import {
  type AgentModel,
  type AgentSettings,
  agentKindOf,
  agentSettingsSchema,
  createAgent,
} from "@palimpsest/agents";
import { type Embedder, hashedEmbedder } from "@palimpsest/memory";
import { z } from "zod";
import { agentContestant, type OnEpisode } from "../baselines/agent-contestant.js";
import { closedBook, fullContext, truncatedContext } from "../baselines/direct.js";
import { createReader } from "../baselines/reader.js";
import { readerConfigSchema } from "../baselines/reader-config.js";
import { type Retrieval, retrievalContestant } from "../baselines/retrieval.js";
import { storeContestant } from "../baselines/store-contestant.js";
import { EvaluationError } from "../error.js";
import type { Contestant } from "../suite/contestant.js";
import { builtInContestants, type ContestantSettings, type EvalSettings } from "./eval-settings.js";

/** What contestants run on. */
export interface ContestantModel extends AgentModel {
  /** JSON that says which model this is: name and hash of weights, or endpoint. Part of what cached answers are kept by. */
  readonly identity: unknown;
  /** Tokens of prompt and reply together, where it is known. */
  readonly contextTokens?: number;
}

/**
 * The contestant that a name stands for: of the settings file, or a built-in one.
 * @throws {EvaluationError} BAD_CONFIG
 */
export function contestantSettings(name: string, settings: EvalSettings): ContestantSettings {
  const found =
    settings.contestants[name] ??
    (Object.hasOwn(builtInContestants, name)
      ? builtInContestants[name as keyof typeof builtInContestants]
      : undefined);
  if (found) return found;
  const known = [...new Set([...Object.keys(settings.contestants), ...Object.keys(builtInContestants)])];
  throw new EvaluationError("BAD_CONFIG", `contestants: "${name}" is none of ${known.join(", ")}`);
}

/**
 * @param options.label name in the report
 * @param options.embedder of retrieval by embedding; default: one that needs no model
 * @param options.agentEmbedder of an agent's store, where its settings name one that a program has to open
 * @throws {EvaluationError | AgentError} BAD_CONFIG; {MemoryError} BAD_INPUT where `agentEmbedder` is wanted
 */
export function createContestant(options: {
  readonly label: string;
  readonly contestant: ContestantSettings;
  readonly settings: EvalSettings;
  readonly model: ContestantModel;
  readonly embedder?: Embedder;
  readonly agentEmbedder?: Embedder;
  /** The agent of a recipe, for contestants of kind `trained`; without a name that of the run that is evaluated. */
  readonly trainedAgent?: (recipe: string | undefined) => AgentSettings;
  /** Told of every finished episode of an agent. */
  readonly onEpisode?: OnEpisode;
}): Contestant {
  const { label: name, contestant, settings, model, embedder = hashedEmbedder(), agentEmbedder } = options;
  const { temperature, topP } = settings;
  const known = model.contextTokens === undefined ? {} : { contextTokens: model.contextTokens };
  const reader = () => {
    const asked = { ...known, temperature, topP, ...settings.reader, ...contestant.reader };
    return createReader(model, parse(`contestants.${name}.reader`, readerConfigSchema, asked));
  };
  const base = { name, model: model.identity };
  switch (contestant.kind) {
    case "agent":
    case "trained": {
      const parsed = contestantAgent(name, contestant, options.trainedAgent);
      const asked = {
        ...base,
        agent: createAgent(parsed, { ...model, ...(agentEmbedder ? { embedder: agentEmbedder } : {}) }),
        settings: parsed,
        temperature,
        topP,
        ...(options.onEpisode ? { onEpisode: options.onEpisode } : {}),
      };
      if (agentKindOf(parsed, model.module).embedder === undefined)
        return agentContestant({ ...asked, memories: contestant.memories });
      return storeContestant({ ...asked, reader: reader(), retrieval: retrievalOf(contestant.by, embedder) });
    }
    case "full-context":
      return fullContext({ ...base, reader: reader() });
    case "truncated":
      return truncatedContext({ ...base, reader: reader() });
    case "closed-book":
      return closedBook({ ...base, reader: reader() });
    case "rag":
      return retrievalContestant({
        ...base,
        reader: reader(),
        retrieval: retrievalOf(contestant.by, embedder),
      });
  }
}

/**
 * An agent's settings in full: a preset's or a recipe's, with what the contestant replaces.
 * @throws {EvaluationError} BAD_CONFIG; what `trainedAgent` throws
 */
export function contestantAgent(
  name: string,
  contestant: Extract<ContestantSettings, { readonly kind: "agent" | "trained" }>,
  trainedAgent: ((recipe: string | undefined) => AgentSettings) | undefined,
): AgentSettings {
  const field = `contestants.${name}`;
  for (const idle of ["temperature", "topP"] as const) {
    if (!(idle in contestant.settings)) continue;
    throw new EvaluationError(
      "BAD_CONFIG",
      `${field}.settings.${idle}: ${String(contestant.settings[idle])} would do nothing: everybody is asked at the evaluation's ${idle}; set that`,
    );
  }
  if (contestant.kind === "agent") {
    const { agent: kind, preset = kind, settings } = contestant;
    return parse(field, agentSettingsSchema, { kind, preset, settings });
  }
  if (!trainedAgent)
    throw new EvaluationError("BAD_CONFIG", `${field}: no recipe can be read here; give its agent`);
  const trained = trainedAgent(contestant.recipe);
  const settings = { ...trained.config, ...contestant.settings };
  if (trained.kind === "module") return { ...trained, config: settings };
  const { kind, preset } = trained;
  return parse(field, agentSettingsSchema, { kind, preset, settings });
}

const retrievalOf = (by: "bm25" | "embedding", embedder: Embedder): Retrieval =>
  by === "bm25" ? { by } : { by, embedder };

function parse<Schema extends z.ZodType>(field: string, schema: Schema, value: unknown): z.output<Schema> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new EvaluationError("BAD_CONFIG", `${field}: ${z.prettifyError(parsed.error)}`);
}
