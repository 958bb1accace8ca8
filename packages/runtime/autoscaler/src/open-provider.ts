import { PalimpsestError } from "@palimpsest/wire";
import type { AutoscaleConfig } from "./config.js";
import type { NodeProvider } from "./provider.js";
import type { ProviderContext } from "./provider-context.js";

/** What Kubernetes needs, in the version that the package is tested with. It brings 54 MB, so that only who scales there installs it. */
const client = "@kubernetes/client-node@1.4.0";

/**
 * Loads only the provider that is configured, because the client library of Kubernetes takes seconds to load.
 * @throws {PalimpsestError} CONFIG_INVALID where Kubernetes' client is not installed, and of the provider itself
 */
export async function openProvider(
  config: AutoscaleConfig["provider"],
  context: ProviderContext,
): Promise<NodeProvider> {
  if (config.kind === "kubernetes") {
    const { KubernetesProvider } = await import("./kubernetes/kubernetes-provider.js").catch(notInstalled);
    return await KubernetesProvider.open(config, context);
  }
  const { LocalProvider } = await import("./local/local-provider.js");
  return new LocalProvider(config.folder ?? context.defaultFolder, context);
}

function notInstalled(cause: unknown): never {
  const isMissing = cause instanceof Error && "code" in cause && cause.code === "ERR_MODULE_NOT_FOUND";
  if (!isMissing || !cause.message.includes("@kubernetes/client-node")) throw cause;
  throw new PalimpsestError(
    "CONFIG_INVALID",
    `provider.kind is kubernetes, whose client is not installed: run \`npm install ${client}\` beside palimpsest (with -g where palimpsest was installed with -g)`,
    { cause },
  );
}
