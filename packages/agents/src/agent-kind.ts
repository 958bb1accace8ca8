import type { Embedder, EmbedderConfig } from "@palimpsest/memory";
import { z } from "zod";
import type { ChatFormat } from "./chat-format.js";
import type { Agent } from "./episode.js";
import { AgentError } from "./error.js";
import { presetConfig } from "./preset-config.js";
import type { Sampler, Tokenizer } from "./sampler.js";
import { settingsProblem } from "./settings-problem.js";

/** What an agent runs on. */
export interface AgentModel {
  readonly sampler: Sampler;
  readonly tokenizer: Tokenizer;
  /** The model's own chat format; absent: it has none. */
  readonly chat?: ChatFormat;
  /** Tokens of prompt and reply together, where it is known: a conversation that grows ends before it is longer. */
  readonly contextTokens?: number;
  /** Of agents with a store, in place of the one that their settings name. */
  readonly embedder?: Embedder;
  /** What the module exports that the settings name; for settings of kind `module` alone. */
  readonly module?: AgentKind;
}

/**
 * One kind of agent: what a recipe may say of it, and the agent that comes of that. The built-in ones are such records,
 * and a module of a user exports one (`defineAgent`).
 */
export interface AgentKind<Config extends object = object> {
  readonly kind: string;
  /** What it does, in one line for people. */
  readonly description: string;
  /** Settings by preset; a recipe's `settings` replace single ones. None: `settings` are all there is. */
  readonly presets: Readonly<Record<string, object>>;
  /** Settings in full. */
  readonly schema: z.ZodType<Config>;
  /** @throws {AgentError} BAD_CONFIG where settings and model do not fit together */
  create(config: Config, model: AgentModel): Agent;
  /** How it reads a document, section by section; null: it reads none. */
  readonly reads: ReadingShape | null;
  /** What stands before and after the filling of a reply as long as it may be, for plans. Default: nothing. */
  longestReply?(config: Config): readonly [before: string, after: string];
  /** The embedder of the search that it makes in its store. Default: it makes none. */
  embedder?(config: Config): EmbedderConfig | undefined;
}

/** How the context of a model is shared out where an agent reads section by section. */
export interface ReadingShape {
  /** Memories in one conversation, the one that is written included. */
  readonly memories: number;
  /** A memory gets at most one of so many parts of a short context. */
  readonly memoryShare: number;
}

/**
 * A kind with the schema of what a recipe says of it: kind, preset, settings.
 * @param usual whether a recipe that names no kind means this one
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
