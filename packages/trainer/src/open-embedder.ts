import { type AgentKind, type AgentSettings, agentConfigOf, agentKindOf } from "@palimpsest/agents";
import { EndpointEmbedder } from "@palimpsest/engines";
import type { Backend } from "@palimpsest/jit";
import type { Embedder, EmbedderConfig } from "@palimpsest/memory";
import { readToken } from "@palimpsest/rewards";

/** An embedder that settings name and that whoever has them cannot open itself. */
export interface OpenedEmbedder {
  /** Absent where none is needed, or it needs no opening. */
  readonly embedder?: Embedder;
  close(): Promise<void>;
}

/** The embedder of the search that an agent makes in its store; undefined where it has none. */
export function agentEmbedder(settings: AgentSettings, module?: AgentKind): EmbedderConfig | undefined {
  return agentKindOf(settings, module).embedder?.(agentConfigOf(settings, module));
}

/**
 * @param options.environment where a server's key is looked up by name
 * @param options.backend of a model; default: one of its own
 * @throws {RewardError} BAD_CONFIG where the key is not there; {EngineError} CONFIG_INVALID; {ModelError} where the model
 * cannot be read
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
      // Loaded for models alone: a process that embeds by a server, or not at all, starts without tensors.
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
