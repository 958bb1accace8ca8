import type { AutoscaleConfig } from "./config.js";
import type { NodeProvider } from "./provider.js";
import type { ProviderContext } from "./provider-context.js";

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
