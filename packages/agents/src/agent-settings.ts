import { z } from "zod";
import type { ChatFormat } from "./chat-format.js";
import type { Agent } from "./episode.js";
import type { MemAgentConfigInput } from "./memagent/config.js";
import { memAgent } from "./memagent/memagent.js";
import { type MemAgentPreset, memAgentConfig, memAgentPresets } from "./memagent/presets.js";
import type { Sampler, Tokenizer } from "./sampler.js";

/** What an agent runs on. */
export interface AgentModel {
  readonly sampler: Sampler;
  readonly tokenizer: Tokenizer;
  /** The model's own chat format; absent: it has none. */
  readonly chat?: ChatFormat;
}

/** Fields of every agent's settings: a preset, and what replaces parts of it. */
const settingsFields = (presets: readonly string[]) => ({
  preset: z.enum(presets as [string, ...string[]]).describe("settings to start from"),
  settings: z
    .record(z.string(), z.unknown())
    .default({})
    .describe("settings that replace the preset's, by name"),
});

/** One kind of agent: its settings as a user writes them, and the agent of them. */
const kinds = {
  memagent: {
    presets: memAgentPresets,
    config: (preset: string, settings: Readonly<Record<string, unknown>>) =>
      memAgentConfig(preset as MemAgentPreset, settings as Partial<MemAgentConfigInput>),
  },
} as const;

/** Which agent, from which preset, with which settings in place of the preset's. */
export const agentSettingsSchema = z
  .strictObject({
    kind: z.literal("memagent").default("memagent").describe("which memory agent"),
    ...settingsFields(kinds.memagent.presets),
  })
  .transform(({ kind, preset, settings }, context) => {
    try {
      return { kind, preset, config: kinds[kind].config(preset, settings) };
    } catch (reason) {
      context.addIssue({
        code: "custom",
        message: reason instanceof Error ? reason.message : String(reason),
      });
      return z.NEVER;
    }
  });

export type AgentSettings = z.output<typeof agentSettingsSchema>;
export type AgentSettingsInput = z.input<typeof agentSettingsSchema>;

/**
 * The agent that the settings describe, on this model.
 * @throws {AgentError} BAD_CONFIG where settings and model do not fit together
 */
export function createAgent(settings: AgentSettings, model: AgentModel): Agent {
  return memAgent({ ...model, config: settings.config });
}
