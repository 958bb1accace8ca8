import { parseInput } from "@palimpsest/std/input";
import { type OwnResource, ownResource, PalimpsestError } from "@palimpsest/wire";
import { z } from "zod";

const wholeNumber = z.int().min(0);

const quantity = z.number().nonnegative();
const milliseconds = wholeNumber;

/** The options that offer what every node has, where other values than the machine's are wanted. */
const options: Readonly<Record<OwnResource, string>> = {
  cpu: "cpus (worker join --cpus)",
  gpu: "gpus (worker join --gpus)",
  memory: "memoryBytes (worker join --memory)",
};

export const nodeConfigSchema = z.strictObject({
  headAddress: z
    .string()
    .min(1)
    .describe("host:port of the head; of several, separated by commas, the one that serves is used"),
  token: z.string().min(1).describe("The cluster's token"),
  tls: z
    .string()
    .default("")
    .describe(
      "Folder with the node's ca.crt, tls.crt and tls.key, and the folders actor and driver; empty: without TLS",
    ),
  insecure: z
    .boolean()
    .default(false)
    .describe("True: it may listen beyond loopback without TLS, in a trusted network"),
  passEnvironment: z
    .array(
      z
        .string()
        .trim()
        .regex(/^[^\s=]+$/, "must be the name of a variable alone; its value is the worker's"),
    )
    .default([])
    .describe('Names of variables that actors and drivers get although they look like secrets; "*" for all'),
  nodeId: z.string().default("").describe("Id of the node, unique in the cluster; empty: a new one"),
  version: z.string().default("").describe("Version of the software, for lists; empty: the installation's"),
  listenHost: z
    .string()
    .default("127.0.0.1")
    .describe("Address that its services and its actors listen on; callers must reach it"),
  objectsPort: wholeNumber.max(65535).default(0).describe("Port of the object service; 0: a free one"),
  metricsPort: wholeNumber.max(65535).default(0).describe("Port of the metrics endpoint; 0: a free one"),
  actorPorts: z
    .strictObject({ first: z.int().min(1).max(65535), last: z.int().min(1).max(65535) })
    .refine(({ first, last }) => first <= last, "first must not be above last")
    .optional()
    .describe(
      "Ports for the processes of actors and tasks, which take two each: calls and metrics. Default: free ones",
    ),
  dataDir: z.string().min(1).describe("Absolute path of a folder for logs, bundles and objects"),
  modulesFrom: z
    .string()
    .min(1)
    .describe('Absolute path of a file of the installation: "@palimpsest/…" is resolved from there'),
  bundledWorker: z
    .string()
    .optional()
    .describe("Absolute path of a program to run in place of the worker's modules: a bundle of them"),
  workerSnapshot: z
    .string()
    .optional()
    .describe(
      "Absolute path of a snapshot of V8's heap in which `bundledWorker` is loaded, written by this version of Node.js",
    ),
  bundledModules: z
    .record(z.string(), z.string())
    .default({})
    .describe(
      "Absolute paths of bundles of modules of the installation, by specifier; for actors of `bundledWorker`",
    ),
  driverCommand: z
    .array(z.string())
    .default([])
    .describe("The palimpsest command: arguments after node that come before `train FILE`"),
  cpus: quantity.optional().describe("CPUs to offer; default: those of the machine"),
  gpus: wholeNumber
    .optional()
    .describe(
      "GPUs to offer, the first of those in CUDA_VISIBLE_DEVICES; default all of them, or what nvidia-smi lists",
    ),
  memoryBytes: quantity.optional().describe("Memory to offer; default: that of the machine"),
  resources: z
    .record(z.string(), quantity)
    .superRefine((resources, context) => {
      for (const name of Object.keys(resources)) {
        const own = ownResource(name);
        if (own !== undefined)
          context.addIssue({
            code: "custom",
            path: [name],
            message: `every node has it: offer it as ${options[own]}`,
          });
      }
    })
    .default({})
    .describe("Custom resources to offer"),
  labels: z
    .record(z.string(), z.string())
    .default({})
    .describe("Labels that actors' conditions can refer to"),
  objectStoreDir: z
    .string()
    .default("")
    .describe("Folder of the object store; empty: /dev/shm if 256 MiB are free there, else in dataDir"),
  objectStoreBytes: z
    .int()
    .positive()
    .optional()
    .describe(
      "Size limit of the object store; default: 30 % of the memory, in /dev/shm at most 90 % of what is free there",
    ),
  objectSpillBytes: wholeNumber
    .optional()
    .describe(
      "Size limit of objects spilled from a full object store to the folder spill of dataDir; 0: objects are not spilled; default: half of that disk's free space when the node starts",
    ),
  objectTransferBytes: z
    .int()
    .min(1024 * 1024)
    .default(64 * 1024 * 1024)
    .describe(
      "Maximum bytes of objects that are in transfer from other nodes at once, and the same for transfers to them; further transfers wait",
    ),
  taskEvents: z
    .boolean()
    .default(true)
    .describe("Whether its processes report the outcome of calls and tasks, for listings and timelines"),
  tracesEndpoint: z
    .union([z.literal(""), z.url({ protocol: /^https?$/ })])
    .default("")
    .describe(
      "Address of a collector of OpenTelemetry that its actors and drivers send spans to, such as http://localhost:4318; empty: OTEL_EXPORTER_OTLP_ENDPOINT of its environment",
    ),
  objectAdoption: z
    .boolean()
    .default(true)
    .describe(
      "True: the file of an object of another node on the same machine is linked; false: the object is sent, as between machines",
    ),
  objectHolderCheckMs: milliseconds
    .min(10)
    .default(10_000)
    .describe("How often it reports the owners of leases on its objects, to learn which have ended"),
  headAwayLimitMs: milliseconds
    .default(600_000)
    .describe("How long the head may be unreachable before the node ends its processes and itself"),
  sharedProcessBlockMs: z
    .int()
    .positive()
    .default(30_000)
    .describe("How long a process of light actors may be unresponsive before it is killed"),
  actorStartTimeoutMs: milliseconds
    .default(300_000)
    .describe("Time limit for loading an actor's module and running its constructor and start()"),
  warmProcesses: wholeNumber
    .optional()
    .describe(
      "Processes that are always kept warm for actors and task workers, if they fit in a tenth of the machine's memory and while memory is not short; 0: none are, whatever the demand; default the number of cores, at most 4",
    ),
  warmProcessesMost: wholeNumber
    .optional()
    .describe(
      "Processes that are kept warm at most: as many are as were needed in the busiest second of the last `warmProcessIdleSeconds`; default 16 per core",
    ),
  warmProcessIdleSeconds: z
    .number()
    .nonnegative()
    .default(60)
    .describe("How long processes beyond `warmProcesses` are kept warm after they were needed"),
  actorLogsBytes: wholeNumber
    .default(1024 * 1024 * 1024)
    .describe("Size limit of actors' logs; beyond it the oldest logs of ended processes are removed"),
  bundleCacheBytes: wholeNumber
    .default(1024 * 1024 * 1024)
    .describe("Size limit of bundles of code; beyond it the least recently used are removed"),
  environmentCacheBytes: wholeNumber
    .default(8 * 1024 * 1024 * 1024)
    .describe(
      "Size limit of unpacked working directories and packages; beyond it the least recently used are removed, but never those in use",
    ),
  environmentSetupMs: milliseconds
    .default(600_000)
    .describe("Time limit for installing the packages of an environment"),
  stopGraceMs: milliseconds.default(5_000).describe("Time between SIGTERM and SIGKILL when the node ends"),
  logLevel: z.string().default("info").describe("Lowest level of log lines of its actors"),
});

export type NodeConfig = z.input<typeof nodeConfigSchema>;
export type ResolvedNodeConfig = z.output<typeof nodeConfigSchema>;

/** @throws {PalimpsestError} CONFIG_INVALID that names the fields */
export function parseNodeConfig(input: NodeConfig): ResolvedNodeConfig {
  return parseInput(nodeConfigSchema, input, (problem) => new PalimpsestError("CONFIG_INVALID", problem), {
    whole: "node",
  });
}
