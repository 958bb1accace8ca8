/** Which model answers where `ask` is called, from the command line or by an MCP client, and as what agent it was trained. */
import type { AgentKind, AgentSettings } from "@palimpsest/agents";
import { agentModuleOfRun, agentOfRun, holdsRunModel } from "@palimpsest/trainer";
import { shippedAgentSettings } from "../shipped-agent.js";
import { shippedAgentName } from "../shipped-agent-name.js";

export interface AskedModelFlags {
  readonly model?: string | undefined;
  readonly endpoint?: string | undefined;
  readonly agent?: string | undefined;
  readonly preset?: string | undefined;
}

export interface AskedModel {
  /** As `openAgentModel` takes it; absent where its own default, or a server's first model, is meant. */
  readonly model?: string;
  /** The agent that the model was trained as. */
  readonly trained?: AgentSettings;
  /** What the module exports that `trained` names. */
  readonly module?: AgentKind;
}

/**
 * The shipped agent answers where nothing else is named: no model, no server, and neither an agent nor a preset that it was
 * not trained for. A run's model is asked as the run trained it.
 * @throws {PalimpsestError} CONFIG_INVALID where a run's folder does not say what it trained
 */
export async function askedModel({ model, endpoint, agent, preset }: AskedModelFlags): Promise<AskedModel> {
  if (endpoint !== undefined) return model === undefined ? {} : { model };
  const isShipped = model === shippedAgentName;
  if (isShipped || (model === undefined && preset === undefined && (agent ?? "memagent") === "memagent"))
    return { model: shippedAgentName, trained: shippedAgentSettings() };
  if (model === undefined || !holdsRunModel(model)) return model === undefined ? {} : { model };
  const trained = agentOfRun(model);
  const module = trained.kind === "module" ? await agentModuleOfRun(model) : undefined;
  return { model, trained, ...(module ? { module } : {}) };
}
