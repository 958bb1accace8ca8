import { PalimpsestError } from "@palimpsest/wire";
import { z } from "zod";
import {
  labelsSchema,
  packagesSchema,
  placementSchema,
  resourcesSchema,
  strategySchema,
  text,
  workingDirSchema,
} from "./option-schemas.js";

const connectOptionsSchema = z.strictObject({
  address: z
    .string()
    .min(1)
    .describe("host:port of the head; of several, separated by commas, the one that serves is found"),
  token: z.string().min(1).describe("The cluster's token"),
  tls: z
    .string()
    .default("")
    .describe("Folder with ca.crt, tls.crt and tls.key, made by `palimpsest certs`; empty: without TLS"),
  name: z.string().default("driver").describe("Name of the session, for people"),
  namespace: z
    .string()
    .min(1, 'is "": leave it out for the default one')
    .default("default")
    .describe("Where its actors have their names, and where it looks for actors by name"),
  environment: text.default({}).describe("Variables of what it spawns; the job's are added"),
  workingDir: workingDirSchema,
  packages: packagesSchema,
  jobId: z.string().default("").describe("Job that this driver belongs to; empty for an interactive one"),
  owner: z
    .strictObject({
      actorId: z.string().min(1),
      incarnation: z.int().min(1),
      isTaskWorker: z.boolean().default(false),
      capturedBy: z
        .string()
        .default("")
        .describe("Placement group that what it spawns goes into, unless that says another place"),
    })
    .optional()
    .describe(
      "The actor that connects: what it spawns ends with this incarnation of it. Default: a session of its own",
    ),
  objectsAddress: z
    .string()
    .default("")
    .describe("host:port of the local node's Objects service; empty: a node on this machine is looked up"),
  objectHolder: z
    .string()
    .default("")
    .describe("Id of the session, actor or job that holds what is put; empty: the job, else the session"),
  connectTimeoutMs: z.number().positive().default(10_000).describe("Until connect() gives up"),
  callTimeoutMs: z
    .number()
    .positive()
    .default(600_000)
    .describe("Deadline of calls to actors that name none; Infinity for none"),
  controlTimeoutMs: z.number().positive().default(30_000).describe("Deadline of calls to the head"),
  tracesEndpoint: z
    .union([z.literal(""), z.url({ protocol: /^https?$/ })])
    .default("")
    .describe(
      "Address of a collector of OpenTelemetry that this process sends spans to, such as http://localhost:4318; empty: what OTEL_EXPORTER_OTLP_ENDPOINT says",
    ),
});

export type ConnectOptions = z.input<typeof connectOptionsSchema>;
export type ResolvedConnectOptions = z.output<typeof connectOptionsSchema>;

const placementGroupOptionsSchema = z.strictObject({
  bundles: z
    .array(z.record(z.string(), z.number().nonnegative()))
    .min(1, "is []: give at least one bundle, such as { cpu: 1 }")
    .max(256)
    .describe("What each bundle leases of its node"),
  strategy: z
    .enum(["PACK", "SPREAD", "STRICT_PACK", "STRICT_SPREAD"])
    .default("PACK")
    .describe("PACK: few nodes; SPREAD: many; STRICT_PACK: one; STRICT_SPREAD: one for each bundle"),
  name: z.string().default("").describe("Unique among placement groups; others find it by getPlacementGroup"),
  lifetime: z
    .enum(["owner", "detached"])
    .default("owner")
    .describe("owner: ends with the session, job or actor that made it; detached: when it is removed"),
  labels: labelsSchema.describe("What the labels of every bundle's node must be like"),
});

export type PlacementGroupOptions = z.input<typeof placementGroupOptionsSchema>;
type ResolvedPlacementGroupOptions = z.output<typeof placementGroupOptionsSchema>;

const actorOptionsSchema = z.strictObject({
  name: z
    .string()
    .default("")
    .describe("Unique among actors of its namespace that are not dead; others find it by getActor"),
  namespace: z
    .string()
    .min(1, 'is "": leave it out for that of the connection')
    .optional()
    .describe("In which its name is unique; default that of the connection"),
  role: z.string().default("").describe("For people and metrics; default the class's name"),
  resources: resourcesSchema.default({}),
  labels: labelsSchema.describe(
    'What the labels of its node must be like: "value", { in: [...] }, { notIn: [...] } or { exists: true or false } for each name',
  ),
  strategy: strategySchema.describe(
    "pack: fills nodes to half, then spreads; spread: the least full node; { nodeId, soft }: that node, with soft another while it has no room",
  ),
  placement: placementSchema
    .optional()
    .describe(
      "The placement group, and its bundle, of which it takes its resources: without labels and strategy, which the group has",
    ),
  process: z
    .enum(["own", "shared"])
    .default("own")
    .describe(
      "own: a process of its own; shared: a light actor, in one process with others of the same owner and module, which ends when one of them crashes it",
    ),
  maxRestarts: z.int().min(-1).default(0).describe("Restarts after a crash; -1 without limit"),
  maxTaskRetries: z
    .int()
    .min(-1)
    .default(0)
    .describe("How often a call runs again after its process died under it; -1 without limit"),
  maxConcurrency: z
    .int()
    .min(1)
    .optional()
    .describe(
      "Calls that run at once; 1 keeps their order. Default 1000 for a class with async methods, else 1",
    ),
  concurrencyGroups: z
    .record(z.string().min(1), z.int().min(1, "must be at least 1"))
    .default({})
    .describe("Calls that run at once in lanes besides the default one, by the lane's name: { io: 2 }"),
  methodGroups: z
    .record(z.string(), z.string())
    .default({})
    .describe('The lanes of methods that do not run in the default one: { fetch: "io" }'),
  maxPendingCalls: z.int().min(1).default(10_000).describe("Calls that wait in its mailbox"),
  maxPendingBytes: z
    .int()
    .min(1)
    .default(256 * 1024 * 1024)
    .describe("Bytes of the calls that wait in its mailbox"),
  detached: z.boolean().default(false).describe("Outlives the session that made it"),
  durable: z
    .boolean()
    .default(false)
    .describe(
      "Its state lies under its name and outlives its process, its node and the head; one method runs at a time, and calls run once. Needs a name; detached, maxRestarts -1 and maxTaskRetries -1 unless said otherwise",
    ),
  environment: text
    .default({})
    .describe("Variables of its process; those of the job, or of what spawns it, are added"),
  workingDir: workingDirSchema,
  packages: packagesSchema,
  fence: z
    .enum(["lease", "none"])
    .optional()
    .describe(
      "lease: no two processes of it ever run at once, so it is killed when its node cannot renew its lease at the head; none: it runs on. Default lease for detached and named actors, else none",
    ),
});

const taskOptionsSchema = z.strictObject({
  name: z.string().default("").describe("For people, in messages; default the function's name"),
  resources: resourcesSchema.default({ cpu: 1 }),
  labels: labelsSchema.describe("What the labels of its node must be like, as for an actor"),
  strategy: strategySchema.describe("How its node is chosen, as for an actor"),
  placement: placementSchema
    .optional()
    .describe("The placement group, and its bundle, of which it takes its resources, as for an actor"),
  environment: text
    .default({})
    .describe("Variables of its process; those of the job, or of what spawns it, are added"),
  workingDir: workingDirSchema,
  packages: packagesSchema,
  maxRetries: z
    .int()
    .min(-1)
    .default(3)
    .describe("How often it runs again after its process ended under it; -1 without limit"),
  retryExceptions: z
    .boolean()
    .default(false)
    .describe("Whether what the function throws is retried too, as one of maxRetries"),
  maxCalls: z
    .int()
    .min(0)
    .default(0)
    .describe("Calls of the function after which its process ends and is replaced; 0 without limit"),
  timeoutMs: z
    .number()
    .positive()
    .default(Number.POSITIVE_INFINITY)
    .describe("From the call until it fails with GET_TIMEOUT and is ended; default none"),
});

export type TaskOptions = z.input<typeof taskOptionsSchema>;
export type ResolvedTaskOptions = z.output<typeof taskOptionsSchema>;

/** @throws {PalimpsestError} CONFIG_INVALID that names the field */
export function parseTaskOptions(value: TaskOptions, name: string): ResolvedTaskOptions {
  return parsed(taskOptionsSchema.safeParse(value), `options of task ${name}`);
}

export type ActorOptions = z.input<typeof actorOptionsSchema>;
export type ResolvedActorOptions = z.output<typeof actorOptionsSchema>;

/** @throws {PalimpsestError} CONFIG_INVALID that names the field */
export function parseConnectOptions(value: ConnectOptions): ResolvedConnectOptions {
  return parsed(connectOptionsSchema.safeParse(value), "connect options");
}

/** @throws {PalimpsestError} CONFIG_INVALID that names the field */
export function parseActorOptions(value: ActorOptions, className: string): ResolvedActorOptions {
  const given = value.durable ? { ...durableDefaults, ...value } : value;
  const options = parsed(actorOptionsSchema.safeParse(given), `options of actor ${className}`);
  if (options.durable) checkDurable(options, className);
  return options;
}

const durableDefaults = { detached: true, maxRestarts: -1, maxTaskRetries: -1 } as const;

function checkDurable(options: ResolvedActorOptions, className: string): void {
  const refuse = (problem: string): never => {
    throw new PalimpsestError(
      "CONFIG_INVALID",
      `options of actor ${className}: durable is true and ${problem}`,
    );
  };
  if (options.name === "") refuse("name is empty: its state lies under its name, so give it one");
  if (options.process === "shared") refuse('process is "shared": it has a process of its own');
  if ((options.maxConcurrency ?? 1) > 1 || Object.keys(options.concurrencyGroups).length > 0)
    refuse("one method of it runs at a time: leave maxConcurrency and concurrencyGroups out");
}

/** @throws {PalimpsestError} CONFIG_INVALID that names the field */
export function parsePlacementGroupOptions(value: PlacementGroupOptions): ResolvedPlacementGroupOptions {
  return parsed(placementGroupOptionsSchema.safeParse(value), "options of a placement group");
}

function parsed<Value>(result: z.ZodSafeParseResult<Value>, what: string): Value {
  if (result.success) return result.data;
  // This module is loaded by the first that connects: actors' processes start faster without zod.
  const text = z.prettifyError(result.error).replaceAll("\n", " ");
  throw new PalimpsestError("CONFIG_INVALID", `${what}: ${text}`);
}
