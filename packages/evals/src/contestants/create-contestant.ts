import { type AgentModel, agentSettingsSchema, createAgent } from "@palimpsest/agents";
import { type Embedder, hashedEmbedder } from "@palimpsest/memory";
import { z } from "zod";
import { agentContestant } from "../baselines/agent-contestant.js";
import { closedBook, fullContext, truncatedContext } from "../baselines/direct.js";
import { createReader } from "../baselines/reader.js";
import { readerConfigSchema } from "../baselines/reader-config.js";
import { retrievalContestant } from "../baselines/retrieval.js";
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
 * @throws {EvaluationError | AgentError} BAD_CONFIG
 */
export function createContestant(options: {
  readonly label: string;
  readonly contestant: ContestantSettings;
  readonly settings: EvalSettings;
  readonly model: ContestantModel;
  readonly embedder?: Embedder;
}): Contestant {
  const { label: name, contestant, settings, model, embedder } = options;
  const { temperature, topP } = settings;
  if (contestant.kind === "agent") {
    const { agent: kind, preset = kind, memories } = contestant;
    const input = { kind, preset, settings: contestant.settings };
    const parsed = parse(`contestants.${name}`, agentSettingsSchema, input);
    const agent = createAgent(parsed, model);
    return agentContestant({
      name,
      agent,
      settings: parsed,
      model: model.identity,
      temperature,
      topP,
      memories,
    });
  }
  const known = model.contextTokens === undefined ? {} : { contextTokens: model.contextTokens };
  const config = parse(`contestants.${name}.reader`, readerConfigSchema, {
    ...known,
    temperature,
    topP,
    ...settings.reader,
    ...contestant.reader,
  });
  const base = { name, reader: createReader(model, config), model: model.identity };
  switch (contestant.kind) {
    case "full-context":
      return fullContext(base);
    case "truncated":
      return truncatedContext(base);
    case "closed-book":
      return closedBook(base);
    case "rag": {
      const retrieval =
        contestant.by === "bm25"
          ? ({ by: "bm25" } as const)
          : ({ by: "embedding", embedder: embedder ?? hashedEmbedder() } as const);
      return retrievalContestant({ ...base, retrieval });
    }
  }
}

function parse<Schema extends z.ZodType>(field: string, schema: Schema, value: unknown): z.output<Schema> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new EvaluationError("BAD_CONFIG", `${field}: ${z.prettifyError(parsed.error)}`);
}
