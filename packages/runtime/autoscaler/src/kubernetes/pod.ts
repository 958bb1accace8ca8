/** Builds the Pod of a node, and reads an instance from its Pod. */
import { posix } from "node:path";
import type { V1Pod } from "@kubernetes/client-node";
import type { KubernetesConfig, NodeTypeConfig } from "../config.js";
import { type Instance, instanceLabel, type NewInstance } from "../provider.js";
import type { ProviderContext } from "../provider-context.js";

export const clusterLabel = "palimpsest.dev/cluster";
const nodeTypeLabel = "palimpsest.dev/node-type";

const { join } = posix;
const tlsFolder = "/etc/palimpsest/tls";
const tokenFolder = "/etc/palimpsest/token";
const tlsVolume = "palimpsest-tls";
const tokenVolume = "palimpsest-token";
const gpuResource = "nvidia.com/gpu";
/** Name of the container that runs the node. A template with a container of this name changes it. */
const containerName = "node";

type Json = Readonly<Record<string, unknown>>;

export function podOf(
  { name, type }: NewInstance,
  config: KubernetesConfig,
  context: Pick<ProviderContext, "clusterName" | "address">,
): V1Pod {
  const own = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name,
      namespace: config.namespace,
      labels: { [clusterLabel]: labelValue(context.clusterName), [nodeTypeLabel]: type.name },
    },
    spec: {
      // A node that has ended does not restart: a new one gets a Pod of its own.
      restartPolicy: "Never",
      containers: [containerOf(name, type, config, context.address)],
      volumes: [
        {
          name: tokenVolume,
          secret: {
            secretName: config.tokenSecret,
            items: [{ key: config.tokenSecretKey, path: "token" }],
          },
        },
        ...(config.tlsSecret === undefined ? [] : [{ name: tlsVolume, secret: tlsFiles(config.tlsSecret) }]),
      ],
    },
  };
  const merged = merge(type.podTemplate, own);
  return merged as V1Pod;
}

/**
 * A Secret has no folders, so the certificates that a node grants to its actors and drivers are stored in it under
 * prefixed keys.
 */
function tlsFiles(secretName: string): Json {
  const files = ["tls.crt", "tls.key"];
  const items = ["", "actor", "driver"].flatMap((role) => [
    { key: "ca.crt", path: join(role, "ca.crt") },
    ...files.map((file) => ({ key: role === "" ? file : `${role}.${file}`, path: join(role, file) })),
  ]);
  return { secretName, items };
}

/** Makes a valid label value of a cluster name, which may not be one. */
export function labelValue(clusterName: string): string {
  return clusterName.replaceAll(/[^A-Za-z0-9._-]/g, "-").slice(0, 63);
}

function containerOf(
  name: string,
  type: NodeTypeConfig,
  config: KubernetesConfig,
  address: () => string,
): Json {
  const { cpu = 0, gpu = 0, memory = 0, ...custom } = type.resources;
  const list = (record: Readonly<Record<string, string | number>>) =>
    Object.entries(record)
      .map(([key, value]) => `${key}=${value}`)
      .join(",");
  const args = [
    ...["worker", "join", "--address", config.headAddress ?? address(), "--host", "$(POD_IP)"],
    ...["--cpus", String(cpu), "--gpus", String(gpu)],
    ...(memory > 0 ? ["--memory", String(memory)] : []),
    ...["--labels", list({ ...type.labels, [instanceLabel]: name })],
    ...(Object.keys(custom).length > 0 ? ["--resources", list(custom)] : []),
    ...(config.tlsSecret === undefined ? ["--insecure"] : ["--tls", tlsFolder]),
  ];
  const asked = {
    cpu: String(cpu),
    ...(memory > 0 ? { memory: String(memory) } : {}),
    ...(gpu > 0 ? { [gpuResource]: String(gpu) } : {}),
  };
  const { cpu: _cpu, ...limits } = asked;
  return {
    name: containerName,
    image: config.image,
    args,
    env: [
      { name: "POD_IP", valueFrom: { fieldRef: { fieldPath: "status.podIP" } } },
      // The token is passed as a file, because environment variables are visible to anyone who inspects or dumps the
      // process.
      { name: "PALIMPSEST_TOKEN_FILE", value: join(tokenFolder, "token") },
    ],
    resources: { requests: asked, ...(Object.keys(limits).length > 0 ? { limits } : {}) },
    volumeMounts: [
      { name: tokenVolume, mountPath: tokenFolder, readOnly: true },
      ...(config.tlsSecret === undefined ? [] : [{ name: tlsVolume, mountPath: tlsFolder, readOnly: true }]),
    ],
  };
}

/** Returns undefined when the Pod is not of this autoscaler. */
export function instanceOf(pod: V1Pod): Instance | undefined {
  const { name, labels, creationTimestamp, deletionTimestamp } = pod.metadata ?? {};
  const nodeType = labels?.[nodeTypeLabel];
  if (name === undefined || nodeType === undefined) return undefined;
  const createdAtMs = creationTimestamp ? new Date(creationTimestamp).getTime() : 0;
  return { name, nodeType, createdAtMs, state: stateOf(pod, deletionTimestamp), problem: problemOf(pod) };
}

function stateOf(pod: V1Pod, deletion: Date | undefined): Instance["state"] {
  if (deletion) return "ending";
  const phase = pod.status?.phase;
  if (phase === "Succeeded" || phase === "Failed") return "ended";
  return phase === "Running" ? "running" : "starting";
}

/** Returns why the Pod does not start, such as "Unschedulable: 0/3 nodes are available" or "ImagePullBackOff: …". */
function problemOf({ status }: V1Pod): string {
  const unscheduled = status?.conditions?.find(
    ({ type, status: holds }) => type === "PodScheduled" && holds === "False",
  );
  const waiting = status?.containerStatuses?.find(({ state }) => state?.waiting)?.state?.waiting;
  const cause = unscheduled ?? (waiting?.reason === "ContainerCreating" ? undefined : waiting);
  return cause ? [cause.reason, cause.message].filter(Boolean).join(": ") : "";
}

/**
 * Merges the template with what the node needs: records key by key, containers, volumes and variables by their names.
 */
function merge(template: unknown, own: unknown): unknown {
  if (Array.isArray(template) && Array.isArray(own)) return mergeLists(template, own);
  if (!isRecord(template) || !isRecord(own)) return own ?? template;
  const names = new Set([...Object.keys(template), ...Object.keys(own)]);
  return Object.fromEntries([...names].map((name) => [name, merge(template[name], own[name])]));
}

function mergeLists(template: readonly unknown[], own: readonly unknown[]): unknown[] {
  const nameOf = (item: unknown) => (isRecord(item) ? item["name"] : undefined);
  const others = template.filter((item) => !own.some((one) => nameOf(one) === nameOf(item)));
  const mine = own.map((one) => {
    const same = template.find((item) => nameOf(item) !== undefined && nameOf(item) === nameOf(one));
    return same === undefined ? one : merge(same, one);
  });
  return [...mine, ...others];
}

function isRecord(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
