import { type AgentKind, type AgentSettings, agentConfigOf, agentKindOf } from "@palimpsest/agents";
import { EndpointEmbedder } from "@palimpsest/engines";
import type { Backend } from "@palimpsest/jit";
import type { Embedder, EmbedderConfig } from "@palimpsest/memory";
import { readToken } from "@palimpsest/rewards";

/** An embedder that was opened from settings, and the function that closes it. */
export interface OpenedEmbedder {
  /** Absent if no embedder is needed, or if it needs no opening. */
  readonly embedder?: Embedder;
  close(): Promise<void>;
}

/** Returns the embedder for an agent's search in its store; undefined if it has none. */
export function agentEmbedder(settings: AgentSettings, module?: AgentKind): EmbedderConfig | undefined {
  return agentKindOf(settings, module).embedder?.(agentConfigOf(settings, module));
}

/**
 * @param options.environment environment variables in which a server's key is looked up by name
 * @param options.backend backend of an embedding model; default: a new one
 * @throws {RewardError} BAD_CONFIG if the key is missing; {EngineError} CONFIG_INVALID; {ModelError} if the model
 *   cannot be read
 */
export async function openEmbedder(
  config: EmbedderConfig | undefined,
  options: {
    readonly environment: Readonly<Record<string, string | undefined>>;
    readonly backend?: Backend;
  },
): Promise<OpenedEmbedder> {
  switch (config?.kind) {
    case "endpoint": {
      const { url, model, dimensions, tokenEnv } = config;
      const apiKey = await readToken({ tokenEnv }, options.environment);
      const server = { url, model, ...(apiKey === undefined ? {} : { apiKey }) };
      const embedder = new EndpointEmbedder(server, { dimensions });
      return { embedder, close: () => embedder.close() };
    }
    case "model": {
      const { model: name, maxTokens } = config;
      // Tensors are loaded only for models: a process that embeds through a server, or not at all, starts without them.
      const [jit, { loadAnyModel, ModelEmbedder }] = await Promise.all([
        import("@palimpsest/jit"),
        import("@palimpsest/model"),
      ]);
      const { backend = await jit.loadBackend() } = options;
      const embedder = new ModelEmbedder(await loadAnyModel(name), { backend, name, maxTokens });
      return { embedder, close: async () => embedder.dispose() };
    }
    default:
      return { close: async () => {} };
  }
}
