/** The trained memory agent that comes along: adapters over a small model, and the prompts that they were trained on. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { AgentSettings } from "@palimpsest/agents";
import { parseEvalSettings, systemAgent, systemSettings } from "@palimpsest/evals";
import type { ModelFolder } from "@palimpsest/model";
import { builtinRecipesDir } from "@palimpsest/trainer";
import { parse as parseYaml } from "yaml";
import { readModelInput } from "./model-input.js";
import { shippedAgentName } from "./shipped-agent-name.js";

/** The model that the adapters belong to. */
const shippedAgentBase = "smollm2-135m-instruct";
const folder = join(builtinRecipesDir, "adapters", shippedAgentName);

/** The settings that the shipped agent was trained with, from the file by which its card was measured. */
export function shippedAgentSettings(): AgentSettings {
  const file = join(folder, "evaluation.yaml");
  const settings = parseEvalSettings(parseYaml(readFileSync(file, "utf8")), file);
  const system = systemSettings("memagent", settings);
  if (system.kind !== "agent") throw new Error(`${file}: systems.memagent is no agent`);
  return systemAgent("memagent", system, undefined);
}

/**
 * The base model with the adapters merged into it. The base is fetched where it is not on this machine.
 * @throws {ModelError}
 */
export async function readShippedAgent(): Promise<ModelFolder> {
  const { loadAdapters, mergeLora } = await import("@palimpsest/model");
  const base = await readModelInput(shippedAgentBase);
  const { adapters, lora } = await loadAdapters(folder, base.config);
  return { ...base, parameters: mergeLora(base.config, base.parameters, adapters, lora, { inPlace: true }) };
}
