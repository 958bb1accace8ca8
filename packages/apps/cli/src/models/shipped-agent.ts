/**
 * The trained memory agent of the installation: adapters on a small model, and the prompts with which they were
 * trained.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { AgentSettings } from "@palimpsest/agents";
import { parseEvalSettings, systemAgent, systemSettings } from "@palimpsest/evals";
import type { ModelFolder } from "@palimpsest/model";
import { builtinRecipesDir, parseYaml } from "@palimpsest/trainer";
import { readModelInput } from "./model-input.js";
import { shippedAgentBase, shippedAgentName } from "./shipped-agent-name.js";

const folder = join(builtinRecipesDir, "adapters", shippedAgentName);

/** Reads the settings with which the shipped agent was trained, from the file that also measured its card. */
export function shippedAgentSettings(): AgentSettings {
  const file = join(folder, "evaluation.yaml");
  const settings = parseEvalSettings(parseYaml(readFileSync(file, "utf8"), file), file);
  const system = systemSettings("memagent", settings);
  if (system.kind !== "agent") throw new Error(`${file}: systems.memagent is not an agent`);
  return systemAgent("memagent", system, undefined);
}

/**
 * Returns the base model with the adapters merged into it. The base is downloaded if it is not on this machine.
 * @throws {ModelError}
 */
export async function readShippedAgent(): Promise<ModelFolder> {
  const { loadAdapters, mergeLora } = await import("@palimpsest/model");
  const base = await readModelInput(shippedAgentBase);
  const { adapters, lora } = await loadAdapters(folder, base.config);
  return { ...base, parameters: mergeLora(base.config, base.parameters, adapters, lora, { inPlace: true }) };
}
