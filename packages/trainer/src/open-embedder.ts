import type { AgentSettings } from "@palimpsest/agents";
import { EndpointEmbedder } from "@palimpsest/engines";
import type { Backend } from "@palimpsest/jit";
import type { Embedder } from "@palimpsest/memory";
import { loadAnyModel, ModelEmbedder } from "@palimpsest/model";

/** An embedder that an agent's settings name and that the agent cannot open itself. */
export interface OpenedEmbedder {
  /** Absent where the agent needs none, or makes its own. */
  readonly embedder?: Embedder;
  close(): Promise<void>;
}

/**
 * @param apiKey of an endpoint
 * @throws {EngineError} CONFIG_INVALID; {ModelError} where the model cannot be read
 */
export async function openEmbedder(
  settings: AgentSettings,
  backend: Backend,
  apiKey?: string,
): Promise<OpenedEmbedder> {
  const config = settings.kind === "memupdate" ? settings.config.embedder : undefined;
  switch (config?.kind) {
    case "endpoint": {
      const { url, model, dimensions } = config;
      const server = { url, model, ...(apiKey === undefined ? {} : { apiKey }) };
      const embedder = new EndpointEmbedder(server, { dimensions });
      return { embedder, close: () => embedder.close() };
    }
    case "model": {
      const { model: name, maxTokens } = config;
      const embedder = new ModelEmbedder(await loadAnyModel(name), { backend, name, maxTokens });
      return { embedder, close: async () => embedder.dispose() };
    }
    default:
      return { close: async () => {} };
  }
}
