/**
 * Responsibility: provides nodes as Pods of Kubernetes, which are distinguished from others by a label with the
 * cluster's name.
 * Not responsible for: the machines under the Pods (Kubernetes' own autoscaler starts those).
 *
 * Invariants:
 * - PODS-1. Only Pods with the cluster's label are listed, and only listed Pods with that label are deleted.
 * - PODS-2. A name that already exists counts as created only when it is a Pod of this cluster.
 */

import {
  ApiException,
  CoreV1Api,
  createConfiguration,
  KubeConfig,
  type Middleware,
  ServerConfiguration,
  type V1Pod,
  type V1PodList,
} from "@kubernetes/client-node";
import { reasonText } from "@palimpsest/std/input";
import { PalimpsestError } from "@palimpsest/wire";
import type { KubernetesConfig } from "../config.js";
import type { Instance, NewInstance, NodeProvider } from "../provider.js";
import type { ProviderContext } from "../provider-context.js";
import { clusterLabel, instanceOf, labelValue, podOf } from "./pod.js";

const pageRows = 250;
/** How often a list may be restarted because the API server had dropped its continue token. */
const maxRestarts = 3;

export class KubernetesProvider implements NodeProvider {
  readonly kind = "kubernetes";
  readonly #config: KubernetesConfig;
  readonly #context: ProviderContext;
  readonly #kubeConfig: KubeConfig;

  private constructor(config: KubernetesConfig, context: ProviderContext, kubeConfig: KubeConfig) {
    this.#config = config;
    this.#context = context;
    this.#kubeConfig = kubeConfig;
  }

  /** @throws {PalimpsestError} CONFIG_INVALID when the API server cannot be reached with this configuration */
  static async open(config: KubernetesConfig, context: ProviderContext): Promise<KubernetesProvider> {
    return new KubernetesProvider(config, context, kubeConfigOf(config));
  }

  async list(signal: AbortSignal): Promise<readonly Instance[]> {
    for (let restarts = 0; ; restarts++) {
      try {
        return await this.#listOnce(signal);
      } catch (reason) {
        // The continue token of the next page has expired.
        const expired = reason instanceof ApiException && reason.code === 410;
        if (!expired || restarts === maxRestarts) throw this.#explained(reason, "list");
      }
    }
  }

  async create(instances: readonly NewInstance[], signal: AbortSignal): Promise<void> {
    for (const instance of instances) {
      const body = podOf(instance, this.#config, this.#context);
      try {
        await this.#api(signal).createNamespacedPod({ namespace: this.#config.namespace, body });
      } catch (reason) {
        if (
          reason instanceof ApiException &&
          reason.code === 409 &&
          (await this.#isOurs(instance.name, signal))
        )
          continue;
        throw this.#explained(reason, `create Pod ${instance.name}`);
      }
    }
  }

  async terminate(names: readonly string[], signal: AbortSignal): Promise<void> {
    for (const name of names) {
      try {
        if (!(await this.#isOurs(name, signal))) continue;
        await this.#api(signal).deleteNamespacedPod({ namespace: this.#config.namespace, name });
      } catch (reason) {
        if (reason instanceof ApiException && reason.code === 404) continue;
        throw this.#explained(reason, `delete Pod ${name}`);
      }
    }
  }

  /** Creates a client whose requests end with the signal. */
  #api(signal: AbortSignal): CoreV1Api {
    const server = this.#kubeConfig.getCurrentCluster()?.server ?? "";
    const heeding: Middleware = {
      pre: (request) => {
        request.setSignal(signal);
        return Promise.resolve(request);
      },
      post: (response) => Promise.resolve(response),
    };
    return new CoreV1Api(
      createConfiguration({
        baseServer: new ServerConfiguration(server, {}),
        authMethods: { default: this.#kubeConfig },
        promiseMiddleware: [heeding],
      }),
    );
  }

  async #listOnce(signal: AbortSignal): Promise<readonly Instance[]> {
    const { namespace } = this.#config;
    const labelSelector = `${clusterLabel}=${labelValue(this.#context.clusterName)}`;
    const pods: V1Pod[] = [];
    let place: string | undefined;
    do {
      const page: V1PodList = await this.#api(signal).listNamespacedPod({
        ...{ namespace, labelSelector, limit: pageRows },
        ...(place === undefined ? {} : { _continue: place }),
      });
      pods.push(...page.items);
      place = page.metadata?._continue || undefined;
    } while (place !== undefined);
    return pods.flatMap((pod) => instanceOf(pod) ?? []);
  }

  /** PODS-1, PODS-2 */
  async #isOurs(name: string, signal: AbortSignal): Promise<boolean> {
    const pod = await this.#api(signal).readNamespacedPod({ namespace: this.#config.namespace, name });
    const owner = pod.metadata?.labels?.[clusterLabel];
    if (owner === labelValue(this.#context.clusterName)) return true;
    throw new PalimpsestError(
      "ALREADY_EXISTS",
      `Pod ${name} in namespace ${this.#config.namespace} does not belong to cluster ${this.#context.clusterName}: remove it, or give the cluster another name or namespace`,
    );
  }

  /** Puts the API server's answer into one line, with the retry delay that it asked for. */
  #explained(reason: unknown, what: string): PalimpsestError {
    if (!(reason instanceof ApiException)) {
      if (reason instanceof PalimpsestError) return reason;
      const message = reason instanceof Error ? reason.message : String(reason);
      return new PalimpsestError("UNAVAILABLE", `${what}: the Kubernetes API does not answer: ${message}`, {
        cause: reason,
      });
    }
    const retryAfterS = Number(headerOf(reason.headers, "retry-after") ?? 0);
    const code = reason.code === 401 || reason.code === 403 ? "PERMISSION_DENIED" : "UNAVAILABLE";
    return new PalimpsestError(
      code,
      `${what}: the Kubernetes API answered ${reason.code}: ${messageOf(reason.body)}`,
      { details: retryAfterS > 0 ? { retryAfterMs: String(retryAfterS * 1_000) } : {} },
    );
  }
}

function kubeConfigOf({ kubeconfig, context }: KubernetesConfig): KubeConfig {
  const config = new KubeConfig();
  try {
    if (kubeconfig === undefined) config.loadFromDefault();
    else config.loadFromFile(kubeconfig);
    if (context !== undefined) config.setCurrentContext(context);
  } catch (reason) {
    const file = kubeconfig ?? "of this user";
    throw new PalimpsestError(
      "CONFIG_INVALID",
      `provider.kubeconfig ${file} cannot be read: ${reasonText(reason)}; name a file of kubectl's form`,
    );
  }
  if (config.getCurrentCluster() === null)
    throw new PalimpsestError(
      "CONFIG_INVALID",
      `provider.context ${JSON.stringify(config.getCurrentContext())} names no cluster of the kubeconfig`,
    );
  return config;
}

function headerOf(headers: Readonly<Record<string, string>>, name: string): string | undefined {
  return Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
}

/** Returns the message of a Status object. Errors of proxies can have any form. */
function messageOf(body: unknown): string {
  const text = typeof body === "string" ? body : JSON.stringify(body ?? "");
  try {
    const status: unknown = typeof body === "string" ? JSON.parse(body) : body;
    if (typeof status === "object" && status !== null && "message" in status) return String(status.message);
  } catch {
    // A body that is not JSON, such as a proxy's page, is shown as it is.
  }
  return text.slice(0, 200);
}
