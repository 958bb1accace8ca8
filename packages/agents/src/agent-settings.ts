import type { Embedder } from "@palimpsest/memory";
import { z } from "zod";
import type { ChatFormat } from "./chat-format.js";
import type { Agent } from "./episode.js";
import type { MemAgentConfigInput } from "./memagent/config.js";
import { memAgent } from "./memagent/memagent.js";
import { type MemAgentPreset, memAgentConfig, memAgentPresets } from "./memagent/presets.js";
import type { MemUpdateConfigInput } from "./memupdate/config.js";
import { memUpdate } from "./memupdate/memupdate.js";
import { type MemUpdatePreset, memUpdateConfig, memUpdatePresets } from "./memupdate/presets.js";
import type { ReMemR1ConfigInput } from "./rememr1/config.js";
import { type ReMemR1Preset, rememr1Config, rememr1Presets } from "./rememr1/presets.js";
import { rememr1 } from "./rememr1/rememr1.js";
import type { Sampler, Tokenizer } from "./sampler.js";

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
}

/** Fields of every agent's settings: a preset, and what replaces parts of it. */
const settingsFields = (presets: readonly string[]) => ({
  preset: z.enum(presets as [string, ...string[]]).describe("settings to start from"),
  settings: z
    .record(z.string(), z.unknown())
    .default({})
    .describe("settings that replace the preset's, by name"),
});

/** Every kind of agent: its presets, its settings in full, and the agent of them. */
const kinds = {
  memagent: {
    presets: memAgentPresets,
    config: (preset: string, settings: Readonly<Record<string, unknown>>) =>
      memAgentConfig(preset as MemAgentPreset, settings as Partial<MemAgentConfigInput>),
  },
  rememr1: {
    presets: rememr1Presets,
    config: (preset: string, settings: Readonly<Record<string, unknown>>) =>
      rememr1Config(preset as ReMemR1Preset, settings as Partial<ReMemR1ConfigInput>),
  },
  memupdate: {
    presets: memUpdatePresets,
    config: (preset: string, settings: Readonly<Record<string, unknown>>) =>
      memUpdateConfig(preset as MemUpdatePreset, settings as Partial<MemUpdateConfigInput>),
  },
} as const;

type AgentKind = keyof typeof kinds;

/** An agent's kind, the preset it was made from, and its settings in full. */
export type AgentSettings = {
  [K in AgentKind]: {
    readonly kind: K;
    readonly preset: string;
    readonly config: ReturnType<(typeof kinds)[K]["config"]>;
  };
}[AgentKind];

/** Which agent, from which preset, with which settings in place of the preset's. */
export const agentSettingsSchema = z
  .discriminatedUnion("kind", [
    z.strictObject({
      kind: z.literal("memagent").optional().describe("overwrites a memory, section by section; the default"),
      ...settingsFields(memAgentPresets),
    }),
    z.strictObject({
      kind: z.literal("rememr1").describe("overwrites a memory and may recall an earlier one"),
      ...settingsFields(rememr1Presets),
    }),
    z.strictObject({
      kind: z.literal("memupdate").describe("looks into a store of memories and changes it by calling tools"),
      ...settingsFields(memUpdatePresets),
    }),
  ])
  .transform(({ kind = "memagent", preset, settings }, context): AgentSettings => {
    try {
      return { kind, preset, config: kinds[kind].config(preset, settings) } as AgentSettings;
    } catch (reason) {
      context.addIssue({
        code: "custom",
        message: reason instanceof Error ? reason.message : String(reason),
      });
      return z.NEVER;
    }
  });

/** Of agents that read a document section by section. */
export type ReadingAgentSettings = Exclude<AgentSettings, { readonly kind: "memupdate" }>;

/** The same, without agents that have no document to read. */
export const readingAgentSettingsSchema = agentSettingsSchema.transform(
  (settings, context): ReadingAgentSettings => {
    if (settings.kind !== "memupdate") return settings;
    context.addIssue({
      code: "custom",
      message: "memupdate reads no document; use memagent or rememr1",
      path: ["kind"],
    });
    return z.NEVER;
  },
);

export type AgentSettingsInput = z.input<typeof agentSettingsSchema>;

/**
 * The agent that the settings describe, on this model.
 * @throws {AgentError} BAD_CONFIG where settings and model do not fit together
 */
export function createAgent(settings: AgentSettings, model: AgentModel): Agent {
  switch (settings.kind) {
    case "memagent":
      return memAgent({ ...model, config: settings.config });
    case "rememr1":
      return rememr1({ ...model, config: settings.config });
    case "memupdate":
      return memUpdate({ ...model, config: settings.config });
  }
}
