import { checkKind } from "@palimpsest/std/input";
import { z } from "zod";
import { type AgentKind, type AgentModel, inFull, settingsInFull } from "./agent-kind.js";
import type { Agent } from "./episode.js";
import { AgentError } from "./error.js";
import { memAgentKind } from "./memagent/kind.js";
import { memUpdateKind } from "./memupdate/kind.js";
import { parallelKind } from "./parallel/kind.js";
import { rememr1Kind } from "./rememr1/kind.js";

/** The built-in kinds: all other code gets the properties of an agent from this list. */
export const agentKinds: readonly AgentKind[] = [memAgentKind, rememr1Kind, parallelKind, memUpdateKind];

/** Selects a kind and a preset, with settings that replace the preset's. */
export const builtInAgentSchema = z.discriminatedUnion("kind", [
  memAgentKind.choice.transform(inFull(memAgentKind)),
  rememr1Kind.choice.transform(inFull(rememr1Kind)),
  parallelKind.choice.transform(inFull(parallelKind)),
  memUpdateKind.choice.transform(inFull(memUpdateKind)),
]);

/** An agent's kind, its preset, and its complete settings. */
export type BuiltInAgentSettings = z.output<typeof builtInAgentSchema>;

const moduleAgentSchema = z
  .strictObject({
    module: z
      .string()
      .min(1)
      .describe("TypeScript or JavaScript file that exports an agent (`defineAgent`), relative to the recipe")
      .meta({ format: "path" }),
    preset: z.string().min(1).optional().describe("named settings to start from, if the module has presets"),
    settings: z.record(z.string(), z.unknown()).default({}).describe("the agent's settings, by name"),
  })
  .transform(({ module, preset = "", settings }) => ({
    kind: "module" as const,
    module,
    preset,
    config: settings,
  }));

/** Selects an agent, built-in or from a module. */
export const agentSettingsSchema = z.union([moduleAgentSchema, builtInAgentSchema]);
/** An agent's kind, preset and settings, with all defaults filled in. */
export type AgentSettings = z.output<typeof agentSettingsSchema>;
/** The same as the section `agent` of a recipe gives it: fields with defaults may be absent. */
export type AgentSettingsInput = z.input<typeof agentSettingsSchema>;

/** Settings of agents that read a document section by section. */
export type ReadingAgentSettings = Exclude<BuiltInAgentSettings, { readonly kind: "memupdate" }>;

/** Excludes agents that read no document. */
export const readingAgentSettingsSchema = builtInAgentSchema.transform(
  (settings, context): ReadingAgentSettings => {
    if (settings.kind !== "memupdate") return settings;
    const reading = agentKinds.filter(({ reads }) => reads !== null).map(({ kind }) => kind);
    context.addIssue({
      code: "custom",
      message: `${settings.kind} does not read a document, which is needed here; use ${reading.join(" or ")}`,
      path: ["kind"],
    });
    return z.NEVER;
  },
);

/**
 * Returns the record of the settings' kind.
 * @param module exports of the module, for settings of kind `module`
 * @throws {AgentError} BAD_CONFIG
 */
export function agentKindOf({ kind }: Pick<AgentSettings, "kind">, module?: AgentKind): AgentKind {
  const found = kind === "module" ? module : agentKinds.find((one) => one.kind === kind);
  if (found !== undefined) return found;
  const known = agentKinds.map((one) => one.kind).join(", ");
  const problem =
    kind === "module"
      ? `needs the exports of its module, but the agent's module was not loaded; load it, or use one of ${known}`
      : `is unknown; use one of ${known}`;
  throw new AgentError("BAD_CONFIG", `agent.kind: "${kind}" ${problem}`);
}

/** Returns the complete settings, parsed by the module's schema for a module's agent. @throws {AgentError} BAD_CONFIG */
export function agentConfigOf(settings: AgentSettings, module?: AgentKind): object {
  if (settings.kind !== "module") return settings.config;
  return settingsInFull(agentKindOf(settings, module), settings.preset, settings.config);
}

/**
 * Creates the agent of the settings on this model.
 * @throws {AgentError} BAD_CONFIG if settings and model do not fit together
 */
export function createAgent(settings: AgentSettings, model: AgentModel): Agent {
  const refuse = (problem: string) => new AgentError("BAD_CONFIG", problem);
  checkKind(settings, "settings of createAgent()", "an object", refuse);
  checkKind(model, "model of createAgent()", "an object", refuse);
  const kind = agentKindOf(settings, model.module);
  return kind.create(agentConfigOf(settings, model.module), model);
}
