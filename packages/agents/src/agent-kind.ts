import type { Embedder, EmbedderConfig } from "@palimpsest/memory";
import { z } from "zod";
import type { ChatFormat } from "./chat-format.js";
import type { Agent } from "./episode.js";
import { AgentError } from "./error.js";
import { presetConfig } from "./preset-config.js";
import type { Sampler, Tokenizer } from "./sampler.js";
import { settingsProblem } from "./settings-problem.js";

/** The model that an agent runs on: sampler, tokenizer and chat format. */
export interface AgentModel {
  readonly sampler: Sampler;
  readonly tokenizer: Tokenizer;
  /** The model's own chat format; absent: it has none. */
  readonly chat?: ChatFormat;
  /** Context length (prompt plus reply, tokens), if known: a growing conversation ends before it exceeds this. */
  readonly contextTokens?: number;
  /** For agents with a store: replaces the embedder of their settings. */
  readonly embedder?: Embedder;
  /** Exports of the module that the settings name; only for settings of kind `module`. */
  readonly module?: AgentKind;
}

/**
 * One kind of agent: the schema of its settings, and a factory. The built-in ones are such records,
 * and a module of a user exports one (`defineAgent`).
 */
export interface AgentKind<Config extends object = object> {
  readonly kind: string;
  /** One-line description for people. */
  readonly description: string;
  /** Settings by preset; a recipe's `settings` replace single ones. None: `settings` are all there is. */
  readonly presets: Readonly<Record<string, object>>;
  /** Settings in full. */
  readonly schema: z.ZodType<Config>;
  /** @throws {AgentError} BAD_CONFIG if settings and model do not fit together */
  create(config: Config, model: AgentModel): Agent;
  /** How it reads a document, section by section; null if it reads none. */
  readonly reads: ReadingShape | null;
  /** Text before and after the filler of a reply of maximum length, for plans. Default: none. */
  longestReply?(config: Config): readonly [before: string, after: string];
  /** The embedder for searches in its store. Default: none. */
  embedder?(config: Config): EmbedderConfig | undefined;
}

/** How the context of a model is divided for an agent that reads section by section. */
export interface ReadingShape {
  /** Memories in one conversation, including the one that is written. */
  readonly memories: number;
  /** A memory gets at most 1 / this of a short context. */
  readonly memoryShare: number;
}

/**
 * A kind with the schema of its section of a recipe: kind, preset, settings.
 * @param usual whether this is the default kind of recipes that name none
 */
export function builtInKind<
  const Name extends string,
  Config extends object,
  Literal extends z.ZodType<Name | undefined>,
>(kind: AgentKind<Config> & { readonly kind: Name }, literal: (name: z.ZodLiteral<Name>) => Literal) {
  const choice = z.strictObject({
    kind: literal(z.literal(kind.kind)).describe(kind.description),
    preset: z.enum(Object.keys(kind.presets)).describe("settings to start from"),
    settings: z
      .record(z.string(), z.unknown())
      .default({})
      .describe("settings that replace the preset's, by name"),
  });
  return { ...kind, choice };
}

/**
 * What turns a recipe's choice into settings in full: `kind.choice.transform(inFull(kind))`. It is applied where kind and settings
 * are known types: the declaration of a schema that transforms types which are still open compiles nowhere else.
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
 * A preset's settings with some of them replaced, checked.
 * @throws {AgentError} BAD_CONFIG
 */
export function settingsInFull<Config extends object>(
  { kind, presets, schema }: Pick<AgentKind<Config>, "kind" | "presets" | "schema">,
  preset: string,
  settings: Readonly<Record<string, unknown>>,
): Config {
  if (Object.keys(presets).length > 0) return presetConfig(kind, schema, presets, preset, settings);
  const parsed = schema.safeParse(settings);
  if (parsed.success) return parsed.data;
  throw new AgentError("BAD_CONFIG", `${kind}: ${settingsProblem(parsed.error, schema)}`);
}
