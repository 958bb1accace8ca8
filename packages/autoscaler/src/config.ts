/** What `palimpsest head start --autoscale FILE.yaml` reads. */
import { PalimpsestError } from "@palimpsest/wire";
import { z } from "zod";

const milliseconds = z.int().min(0).max(86_400_000);
const name = z
  .string()
  .regex(/^[a-z]([-a-z0-9]{0,28}[a-z0-9])?$/, 'use up to 30 small letters, digits and "-", a letter first');

export const nodeTypeSchema = z
  .strictObject({
    resources: z
      .record(z.string().min(1), z.number().min(0))
      .refine((resources) => (resources["cpu"] ?? 0) > 0, "give at least cpu")
      .refine((resources) => Number.isInteger(resources["gpu"] ?? 0), "gpu is a whole number of devices")
      .describe("What a node of this type offers: cpu, gpu, memory (bytes) and custom names."),
    labels: z
      .record(z.string().min(1), z.string())
      .default({})
      .describe("Labels of its nodes, for what asks for labels."),
    minNodes: z.int().min(0).max(1_000).default(0).describe("Nodes that are there also when nothing waits."),
    maxNodes: z.int().min(1).max(1_000).describe("Nodes at most, those that start or end counted."),
    podTemplate: z
      .record(z.string(), z.unknown())
      .default({})
      .describe("kubernetes: metadata and spec that are merged into the Pods of this type."),
  })
  .refine(({ minNodes, maxNodes }) => minNodes <= maxNodes, {
    message: "minNodes is above maxNodes: raise maxNodes or lower minNodes",
    path: ["minNodes"],
  });

const localSchema = z.strictObject({
  kind: z.literal("local"),
  folder: z
    .string()
    .min(1)
    .optional()
    .describe("Folder of the nodes that are started. Default: `autoscaled` in the head's data folder."),
});

const kubernetesSchema = z.strictObject({
  kind: z.literal("kubernetes"),
  namespace: z.string().min(1).default("default").describe("Where the Pods are created."),
  image: z.string().min(1).describe("Image whose entry point is the palimpsest command."),
  tokenSecret: z.string().min(1).describe("Name of the Secret with the cluster's token."),
  tokenSecretKey: z.string().min(1).default("token").describe("Its key."),
  headAddress: z
    .string()
    .min(1)
    .optional()
    .describe(
      "host:port at which Pods reach the head, as that of a Service. Default: what the head advertises.",
    ),
  tlsSecret: z
    .string()
    .min(1)
    .optional()
    .describe(
      "Name of a Secret with the files of a node's TLS folder: ca.crt, tls.crt, tls.key, and those of its folders as actor.tls.crt, actor.tls.key, driver.tls.crt, driver.tls.key. Default: no TLS.",
    ),
  kubeconfig: z
    .string()
    .min(1)
    .optional()
    .describe(
      "Path of a kubeconfig. Default: the Pod's service account, else KUBECONFIG, else ~/.kube/config.",
    ),
  context: z.string().min(1).optional().describe("Context of the kubeconfig. Default: its current one."),
});

export const autoscaleConfigSchema = z.strictObject({
  provider: z
    .discriminatedUnion("kind", [localSchema, kubernetesSchema])
    .describe("Where nodes come from: processes of this machine, or Pods."),
  nodeTypes: z
    .record(name, nodeTypeSchema)
    .refine((types) => Object.keys(types).length > 0, "give at least one")
    .describe("Kinds of nodes by name."),
  idleMs: milliseconds
    .min(1_000)
    .default(300_000)
    .describe("A node of which nothing was leased for this long is ended, down to minNodes."),
  upscalingSpeed: z
    .number()
    .min(0.1)
    .max(1_000)
    .default(1)
    .describe(
      "Nodes that may start at a time, as a multiple of those that run; 5 at least. Those of minNodes do not count.",
    ),
  startTimeoutMs: milliseconds
    .min(1_000)
    .default(600_000)
    .describe("A node that has not joined after this long is ended, and its type backs off."),
  intervalMs: milliseconds.min(100).default(1_000).describe("How often it is looked at what waits."),
  providerTimeoutMs: milliseconds
    .min(100)
    .default(30_000)
    .describe("Deadline of each request to the provider."),
  backoffMs: milliseconds
    .min(100)
    .default(5_000)
    .describe(
      "How long after a failure of the provider it is tried again; doubled with each, up to 5 minutes.",
    ),
});

export type AutoscaleConfig = z.output<typeof autoscaleConfigSchema>;
export type NodeTypeConfig = AutoscaleConfig["nodeTypes"][string] & { readonly name: string };
export type KubernetesConfig = z.output<typeof kubernetesSchema>;

/** @throws {PalimpsestError} CONFIG_INVALID naming the file and the field */
export function parseAutoscaleConfig(value: unknown, file: string): AutoscaleConfig {
  const result = autoscaleConfigSchema.safeParse(value);
  if (result.success) return result.data;
  const text = z.prettifyError(result.error).replaceAll("\n", " ");
  throw new PalimpsestError("CONFIG_INVALID", `${file}: ${text}`);
}
