/** The schema of the file that `palimpsest head start --autoscale FILE.yaml` reads. */
import { parseInput } from "@palimpsest/std/input";
import { PalimpsestError, resourceNameProblem } from "@palimpsest/wire";
import { z } from "zod";

const nonEmpty = z.string().min(1);

const milliseconds = z.int().min(0).max(86_400_000);
const name = z
  .string()
  .regex(
    /^[a-z]([-a-z0-9]{0,28}[a-z0-9])?$/,
    'use up to 30 lower-case letters, digits and "-", starting with a letter',
  );

/** The schema of a node type: its resources, labels and bounds. */
export const nodeTypeSchema = z
  .strictObject({
    resources: z
      .record(z.string().min(1), z.number().min(0))
      .superRefine((resources, context) => {
        for (const name of Object.keys(resources)) {
          const message = resourceNameProblem(name);
          if (message !== undefined) context.addIssue({ code: "custom", path: [name], message });
        }
      })
      .refine((resources) => (resources["cpu"] ?? 0) > 0, "give at least cpu")
      .refine((resources) => Number.isInteger(resources["gpu"] ?? 0), "gpu must be a whole number of devices")
      .describe("What a node of this type offers: cpu, gpu, memory (bytes) and custom resource names."),
    labels: z
      .record(z.string().min(1), z.string())
      .default({})
      .describe("Labels of the nodes, for requests with label conditions."),
    minNodes: z
      .int()
      .min(0)
      .max(1_000)
      .default(0)
      .describe("Number of nodes that run even when nothing waits."),
    maxNodes: z
      .int()
      .min(1)
      .max(1_000)
      .describe("Maximum number of nodes, including those that are starting or ending."),
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
  folder: nonEmpty
    .optional()
    .describe("Folder of the nodes that are started. Default: `autoscaled` in the head's data folder."),
});

const kubernetesSchema = z.strictObject({
  kind: z.literal("kubernetes"),
  namespace: nonEmpty.default("default").describe("Namespace in which the Pods are created."),
  image: nonEmpty.describe("Image whose entry point is the palimpsest command."),
  tokenSecret: nonEmpty.describe("Name of the Secret with the cluster's token."),
  tokenSecretKey: nonEmpty.default("token").describe("Key of the token in that Secret."),
  headAddress: nonEmpty
    .optional()
    .describe(
      "host:port at which Pods reach the head, such as that of a Service. Default: the address that the head advertises.",
    ),
  tlsSecret: nonEmpty
    .optional()
    .describe(
      "Name of a Secret with the files of a node's TLS folder: ca.crt, tls.crt and tls.key, and those of its subfolders as actor.tls.crt, actor.tls.key, driver.tls.crt and driver.tls.key. Default: no TLS.",
    ),
  kubeconfig: nonEmpty
    .optional()
    .describe(
      "Path of a kubeconfig. Default: the Pod's service account, else KUBECONFIG, else ~/.kube/config.",
    ),
  context: nonEmpty.optional().describe("Context of the kubeconfig. Default: its current context."),
});

/** The schema of the file of `head start --autoscale`. */
export const autoscaleConfigSchema = z.strictObject({
  provider: z
    .discriminatedUnion("kind", [localSchema, kubernetesSchema])
    .describe("Where nodes come from: processes on this machine, or Pods."),
  nodeTypes: z
    .record(name, nodeTypeSchema)
    .refine((types) => Object.keys(types).length > 0, "give at least one node type")
    .describe("Node types by name."),
  idleMs: milliseconds
    .min(1_000)
    .default(300_000)
    .describe("A node of which nothing was leased for this many milliseconds is ended, down to minNodes."),
  upscalingSpeed: z
    .number()
    .min(0.1)
    .max(1_000)
    .default(1)
    .describe(
      "Number of nodes that may be starting at once, as a multiple of those that run, and at least 5. Nodes of minNodes do not count.",
    ),
  startTimeoutMs: milliseconds
    .min(1_000)
    .default(600_000)
    .describe("A node that has not joined after this many milliseconds is ended, and its type backs off."),
  intervalMs: milliseconds
    .min(100)
    .default(1_000)
    .describe("Milliseconds between two rounds of the autoscaler."),
  providerTimeoutMs: milliseconds
    .min(100)
    .default(30_000)
    .describe("Deadline of each request to the provider, in milliseconds."),
  backoffMs: milliseconds
    .min(100)
    .default(5_000)
    .describe(
      "Milliseconds after which a failed request to the provider is retried. The delay doubles with each failure, up to 5 minutes.",
    ),
});

/** The file of `head start --autoscale`, with all defaults filled in. */
export type AutoscaleConfig = z.output<typeof autoscaleConfigSchema>;
/** One of the file's node types, with its name. */
export type NodeTypeConfig = AutoscaleConfig["nodeTypes"][string] & { readonly name: string };
export type KubernetesConfig = z.output<typeof kubernetesSchema>;

/** @throws {PalimpsestError} CONFIG_INVALID naming the file and the field */
export function parseAutoscaleConfig(value: unknown, file: string): AutoscaleConfig {
  return parseInput(
    autoscaleConfigSchema,
    value,
    (problem) => new PalimpsestError("CONFIG_INVALID", `${file}: ${problem}`),
  );
}
