import type { AutoscaleConfig } from "./config.js";
import type { NodeProvider } from "./provider.js";

/** What providers need to know of the head. */
export interface ProviderContext {
  readonly clusterName: string;
  /** host:port of the head; known when it leads. */
  readonly address: () => string;
  /** The command that nodes of this machine are started with. */
  readonly command: readonly string[];
  /** The cluster's token of this moment. */
  readonly token: () => string;
  /** Folder with certificates of the role node; empty without TLS. */
  readonly tls: string;
  /** Where the nodes of this machine lie unless the file says so. */
  readonly defaultFolder: string;
}

/** Loads the one provider that is asked for: the client library of Kubernetes takes seconds. */
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
