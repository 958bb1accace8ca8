/**
 * Chooses the model that answers `ask`, on the command line or for an MCP client, and the agent as which it was
 * trained.
 */
import type { AgentKind, AgentSettings } from "@palimpsest/agents";
import { agentModuleOfRun, agentOfRun, holdsRunModel } from "@palimpsest/trainer";
import { type ChosenModel, chooseModel } from "../models/chosen-model.js";
import { modelCache } from "../models/model-cache.js";
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
  /** Set if the user named no model: what was chosen, and why, in one line. */
  readonly note?: string;
  /** The agent as which the model was trained. */
  readonly trained?: AgentSettings;
  /** The export of the module that `trained` names. */
  readonly module?: AgentKind;
}

/**
 * Chooses the best known model of this machine if no model and no server is named, else the shipped agent, unless an
 * agent or a preset is named for which it was not trained. A run's model is used as the agent that the run trained.
 * @param choose chooses for a user who names no model; default: by this machine's caches and free memory
 * @throws {PalimpsestError} CONFIG_INVALID if a run's folder does not name the agent
 */
export async function askedModel(
  { model, endpoint, agent, preset }: AskedModelFlags,
  choose: () => Promise<ChosenModel> = () => chooseModel(modelCache(), process.availableMemory()),
): Promise<AskedModel> {
  if (endpoint !== undefined) return model === undefined ? {} : { model };
  if (model === undefined) {
    const { name, note } = await choose();
    if (name !== undefined) return { model: name, note };
    const isTrained = preset === undefined && (agent ?? "memagent") === "memagent";
    return isTrained ? { model: shippedAgentName, trained: shippedAgentSettings(), note } : {};
  }
  if (model === shippedAgentName) return { model, trained: shippedAgentSettings() };
  if (!holdsRunModel(model)) return { model };
  const trained = agentOfRun(model);
  const module = trained.kind === "module" ? await agentModuleOfRun(model) : undefined;
  return { model, trained, ...(module ? { module } : {}) };
}
