import type { Embedder, EmbedderConfig } from "@palimpsest/memory";
import { parseInput } from "@palimpsest/std/input";
import { z } from "zod";
import type { ChatFormat } from "./chat-format.js";
import type { Agent } from "./episode.js";
import { AgentError } from "./error.js";
import { presetConfig } from "./preset-config.js";
import type { Sampler, Tokenizer } from "./sampler.js";

/** The model that an agent runs on: sampler, tokenizer and chat format. */
export interface AgentModel {
  readonly sampler: Sampler;
  readonly tokenizer: Tokenizer;
  /** The model's own chat format; absent if it has none. */
  readonly chat?: ChatFormat;
  /** Context length in tokens (prompt plus reply), if it is known. A growing conversation ends before it exceeds it. */
  readonly contextTokens?: number;
  /** Replaces the embedder that the settings of an agent with a store name. */
  readonly embedder?: Embedder;
  /** The exports of the module that the settings name; it is read only for settings of kind `module`. */
  readonly module?: AgentKind;
}

/**
 * Describes one kind of agent: the schema of its settings, and a factory. The built-in kinds are such records,
 * and a user's module exports one (`defineAgent`).
 */
export interface AgentKind<Config extends object = object> {
  readonly kind: string;
  /** One-line description for people. */
  readonly description: string;
  /**
   * The settings of each preset, of which a recipe's `settings` replace individual ones. If there are no presets, a
   * recipe's `settings` are the complete settings.
   */
  readonly presets: Readonly<Record<string, object>>;
  /** Schema of the complete settings. */
  readonly schema: z.ZodType<Config>;
  /** Creates the agent. @throws {AgentError} BAD_CONFIG if settings and model do not fit together */
  create(config: Config, model: AgentModel): Agent;
  /** Says how the agent reads a document section by section; null if it reads no document. */
  readonly reads: ReadingShape | null;
  /** Returns the text before and after the filler of a reply of maximum length, for dry runs. Default: no text. */
  longestReply?(config: Config): readonly [before: string, after: string];
  /** Returns the embedder for searches in the agent's store. Default: there is none. */
  embedder?(config: Config): EmbedderConfig | undefined;
}

/** Says how the context of a model is divided for an agent that reads section by section. */
export interface ReadingShape {
  /** The number of memories in one conversation, including the one that is written. */
  readonly memories: number;
  /** A memory gets at most 1 / `memoryShare` of a short context. */
  readonly memoryShare: number;
}

/**
 * Returns the kind together with the schema of its section of a recipe: kind, preset, settings.
 * @param literal makes the schema of the section's `kind`, which is optional for the default kind
 */
export function builtInKind<
  const Name extends string,
  Config extends object,
  Literal extends z.ZodType<Name | undefined>,
>(kind: AgentKind<Config> & { readonly kind: Name }, literal: (name: z.ZodLiteral<Name>) => Literal) {
  const choice = z.strictObject({
    kind: literal(z.literal(kind.kind)).describe(kind.description),
    preset: z.enum(Object.keys(kind.presets)).describe("named settings to start from"),
    settings: z
      .record(z.string(), z.unknown())
      .default({})
      .describe("settings that replace the preset's, by name"),
  });
  return { ...kind, choice };
}

/**
 * Returns the transform from a recipe's choice to the complete settings: `kind.choice.transform(inFull(kind))`. It is
 * applied where the types of kind and settings are known, because the declaration of a schema that transforms generic
 * types does not compile anywhere else.
 */
export function inFull<const Name extends string, Config extends object>(
  kind: AgentKind<Config> & { readonly kind: Name },
) {
  return (
    { preset, settings }: { readonly preset: string; readonly settings: Readonly<Record<string, unknown>> },
    context: z.RefinementCtx,
  ): { kind: Name; preset: string; config: Config } => {
    try {
      return { kind: kind.kind, preset, config: settingsInFull(kind, preset, settings) };
    } catch (reason) {
      const message = reason instanceof Error ? reason.message : String(reason);
      context.addIssue({ code: "custom", message });
      return z.NEVER;
    }
  };
}

/**
 * Replaces some of a preset's settings, and validates the result.
 * @throws {AgentError} BAD_CONFIG
 */
export function settingsInFull<Config extends object>(
  { kind, presets, schema }: Pick<AgentKind<Config>, "kind" | "presets" | "schema">,
  preset: string,
  settings: Readonly<Record<string, unknown>>,
): Config {
  if (Object.keys(presets).length > 0) return presetConfig(kind, schema, presets, preset, settings);
  return parseInput(schema, settings, (problem) => new AgentError("BAD_CONFIG", `${kind}: ${problem}`));
}
