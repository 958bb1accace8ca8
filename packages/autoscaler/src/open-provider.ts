import type { AutoscaleConfig } from "./config.js";
import type { NodeProvider } from "./provider.js";

/** What providers need to know about the head. */
export interface ProviderContext {
  readonly clusterName: string;
  /** host:port of the head, which is known once it leads. */
  readonly address: () => string;
  /** The command that starts a node on this machine. */
  readonly command: readonly string[];
  /** Returns the cluster's current token. */
  readonly token: () => string;
  /** Folder with certificates of the role node; "" without TLS. */
  readonly tls: string;
  /** Folder of the nodes of this machine unless the configuration names another. */
  readonly defaultFolder: string;
}

/** Loads only the provider that is configured, because the client library of Kubernetes takes seconds to load. */
export async function openProvider(
  config: AutoscaleConfig["provider"],
  context: ProviderContext,
): Promise<NodeProvider> {
  if (config.kind === "kubernetes") {
    const { KubernetesProvider } = await import("./kubernetes/kubernetes-provider.js");
    return await KubernetesProvider.open(config, context);
  }
  const { LocalProvider } = await import("./local/local-provider.js");
  return new LocalProvider(config.folder ?? context.defaultFolder, context);
}
