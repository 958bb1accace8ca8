/**
 * Chooses the model that answers `ask`, on the command line or for an MCP client, and the agent as which it was
 * trained.
 */
import type { AgentKind, AgentSettings } from "@palimpsest/agents";
import { agentModuleOfRun, agentOfRun, holdsRunModel } from "@palimpsest/trainer";
import { shippedAgentSettings } from "../models/shipped-agent.js";
import { shippedAgentName } from "../models/shipped-agent-name.js";

export interface AskedModelFlags {
  readonly model?: string | undefined;
  readonly endpoint?: string | undefined;
  readonly agent?: string | undefined;
  readonly preset?: string | undefined;
}

export interface AskedModel {
  /** The model argument for `openAgentModel`. Absent for the default model, or for a server's first model. */
  readonly model?: string;
  /** The agent as which the model was trained. */
  readonly trained?: AgentSettings;
  /** The export of the module that `trained` names. */
  readonly module?: AgentKind;
}

/**
 * Chooses the shipped agent if nothing else is named: no model, no server, and no agent or preset for which it was
 * not trained. A run's model is used as the agent that the run trained.
 * @throws {PalimpsestError} CONFIG_INVALID if a run's folder does not name the agent
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
