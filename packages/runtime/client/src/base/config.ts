import { parseInput, shownValue } from "@palimpsest/std/input";
import { PalimpsestError, withCaller } from "@palimpsest/wire";
import { z } from "zod";
import { addressForm, isAddress } from "./address-form.js";
import { checkObject } from "./fields.js";
import {
  labelsSchema,
  maxConcurrentSchema,
  millisecondsSchema,
  packagesSchema,
  placementSchema,
  resourcesSchema,
  strategySchema,
  text,
  workingDirSchema,
} from "./option-schemas.js";

const count = z.int().min(1);

const connectOptionsSchema = z.strictObject({
  address: z
    .string()
    .refine(isAddress, { error: ({ input }) => `is ${shownValue(input)}: ${addressForm}` })
    .describe(
      "host:port of the head, or of several heads separated by commas, of which the leading one is found",
    ),
  token: z.string().min(1).describe("The cluster's token"),
  tls: z
    .string()
    .default("")
    .describe("Folder with ca.crt, tls.crt and tls.key, made by `palimpsest certs`; empty means no TLS"),
  name: z.string().default("driver").describe("Name of the session, for people"),
  namespace: z
    .string()
    .min(1, 'is "": leave it out for the default one')
    .default("default")
    .describe("Namespace in which it creates and finds named actors"),
  environment: text
    .default({})
    .describe("Environment variables of everything that it spawns; the job's are added"),
  workingDir: workingDirSchema,
  packages: packagesSchema,
  jobId: z.string().default("").describe("Job that this driver belongs to; empty for an interactive one"),
  owner: z
    .strictObject({
      actorId: z.string().min(1),
      incarnation: count,
      isTaskWorker: z.boolean().default(false),
      capturedBy: z
        .string()
        .default("")
        .describe(
          "Placement group for everything that it spawns, unless the spawn's own options say otherwise",
        ),
    })
    .optional()
    .describe(
      "The actor that connects; whatever it spawns ends with this incarnation. Default: the connection has a session",
    ),
  objectsAddress: z
    .string()
    .default("")
    .describe(
      "host:port of the local node's Objects service; empty means that a node on this machine is looked up",
    ),
  objectHolder: z
    .string()
    .default("")
    .describe(
      "Id of the session, actor or job that owns stored values; empty means the job, else the session",
    ),
  connectTimeoutMs: millisecondsSchema.default(10_000).describe("Milliseconds until connect() fails"),
  callTimeoutMs: millisecondsSchema
    .default(600_000)
    .describe(
      "Deadline in milliseconds of calls to actors without one of their own; Infinity for no deadline",
    ),
  controlTimeoutMs: millisecondsSchema
    .default(30_000)
    .describe("Deadline in milliseconds of calls to the head"),
  notices: z
    .boolean()
    .default(true)
    .describe(
      "Whether standard error says why actors and tasks of this program wait, after five seconds and when the reason changes",
    ),
  output: z
    .enum(["logs", "inherit"])
    .default("logs")
    .describe(
      "logs: what its actors and tasks print stays in the logs of their nodes; inherit: it is printed on this program's standard error too, with the name and the process of each",
    ),
  tracesEndpoint: z
    .union([z.literal(""), z.url({ protocol: /^https?$/ })])
    .default("")
    .describe(
      "Address of an OpenTelemetry collector that receives this process's spans, such as http://localhost:4318; empty means the value of OTEL_EXPORTER_OTLP_ENDPOINT",
    ),
});

const openConnectOptionsSchema = connectOptionsSchema.extend({
  address: connectOptionsSchema.shape.address
    .optional()
    .describe(
      "Default: PALIMPSEST_ADDRESS, as in a job, else what palimpsest.config.json or the user's file says, else the head of this machine",
    ),
  token: connectOptionsSchema.shape.token
    .optional()
    .describe(
      "Default: PALIMPSEST_TOKEN, else the file of PALIMPSEST_TOKEN_FILE, else that of this machine's head",
    ),
  tls: z.string().optional().describe("Default: PALIMPSEST_TLS, else no TLS"),
  jobId: z.string().optional().describe("Default: that of the job in which this program runs"),
  local: z
    .union(
      [
        z.boolean(),
        z.strictObject({
          cpus: z
            .number()
            .positive()
            .optional()
            .describe("CPUs that its worker offers. Default: those of the machine"),
        }),
      ],
      { error: ({ input }) => `is ${JSON.stringify(input)}: give true or { cpus }` },
    )
    .default(false)
    .describe(
      "Starts a head and a worker for this program, on free ports and in a temporary folder, and ends them with it: for tests and notebooks. Needs the package palimpsest",
    ),
});

/** The options of `connect()`. */
export type ConnectOptions = z.input<typeof openConnectOptionsSchema>;
export type ResolvedConnectOptions = z.output<typeof connectOptionsSchema>;

const namespaceSchema = z
  .string()
  .min(1, 'is "": leave it out to use the namespace of the connection')
  .optional();

const placementGroupOptionsSchema = z.strictObject({
  bundles: z
    .array(resourcesSchema)
    .min(1, "is []: give at least one bundle, such as { cpu: 1 }")
    .max(256)
    .describe("Resources that each bundle leases on its node"),
  strategy: z
    .enum(["PACK", "SPREAD", "STRICT_PACK", "STRICT_SPREAD"])
    .default("PACK")
    .describe("PACK: few nodes; SPREAD: many; STRICT_PACK: one; STRICT_SPREAD: one for each bundle"),
  name: z.string().default("").describe("Unique among placement groups; others find it by getPlacementGroup"),
  namespace: namespaceSchema.describe(
    "Namespace whose quotas its bundles count against. Default: the connection's",
  ),
  lifetime: z
    .enum(["owner", "detached"])
    .default("owner")
    .describe(
      "owner: ends with the session, job or actor that created it; detached: ends when it is removed",
    ),
  labels: labelsSchema.describe("Conditions on the labels of every bundle's node"),
});

/** Options of `cluster.placementGroup(options)`; fields with defaults may be absent. */
export type PlacementGroupOptions = z.input<typeof placementGroupOptionsSchema>;
type ResolvedPlacementGroupOptions = z.output<typeof placementGroupOptionsSchema>;

const actorOptionsSchema = z.strictObject({
  name: z
    .string()
    .default("")
    .describe("Unique among actors of its namespace that are not dead; others find it by getActor"),
  namespace: namespaceSchema.describe("Namespace in which its name is unique. Default: the connection's"),
  role: z
    .string()
    .default("")
    .describe("Role of the actor, shown to people and in metrics. Default: the class's name"),
  resources: resourcesSchema.default({}),
  labels: labelsSchema.describe(
    'Conditions on the labels of its node, by label: "value", { in: [...] }, { notIn: [...] } or { exists: true or false }',
  ),
  strategy: strategySchema.describe(
    "pack: fills nodes to half, then spreads; spread: the least full node; { nodeId, soft }: that node or, if soft, another one while it has no room",
  ),
  placement: placementSchema
    .optional()
    .describe(
      "The placement group, and its bundle, from which it takes its resources. Labels and strategy are those of the group and must be left out",
    ),
  process: z
    .enum(["own", "shared"])
    .default("own")
    .describe(
      "own: a process of its own; shared: a light actor, in one process with others of the same owner and module, all of which end if one of them crashes the process",
    ),
  maxRestarts: z.int().min(-1).default(0).describe("Maximum restarts after crashes; -1 for no limit"),
  maxTaskRetries: z
    .int()
    .min(-1)
    .default(0)
    .describe("How often a call runs again after the actor's process died during it; -1 for no limit"),
  maxConcurrency: count
    .optional()
    .describe(
      "Maximum number of calls that run at once; 1 keeps their order. Default 1000 for a class with async methods, else 1",
    ),
  concurrencyGroups: z
    .record(z.string().min(1), z.int().min(1, "must be at least 1"))
    .default({})
    .describe(
      "Maximum number of calls that run at once in each further concurrency group, by its name: { io: 2 }",
    ),
  methodGroups: z
    .record(z.string(), z.string())
    .default({})
    .describe('The concurrency groups of methods that do not run in the default one: { fetch: "io" }'),
  maxPendingCalls: count.default(10_000).describe("Maximum number of calls that wait in its mailbox"),
  maxPendingBytes: count
    .default(256 * 1024 * 1024)
    .describe("Maximum bytes of the calls that wait in its mailbox"),
  detached: z.boolean().default(false).describe("Whether it outlives the session that created it"),
  durable: z
    .boolean()
    .default(false)
    .describe(
      "Whether its state is stored under its name and outlives its process, its node and the head. One method runs at a time, and calls run exactly once. Requires a name; implies detached, maxRestarts -1 and maxTaskRetries -1 unless these are set",
    ),
  environment: text
    .default({})
    .describe("Environment variables of its process; those of the job, or of its parent, are added"),
  workingDir: workingDirSchema,
  packages: packagesSchema,
  maxConcurrent: maxConcurrentSchema.describe(
    "It starts only while fewer than max actors and task processes of the scope run in its namespace; else it waits. Default: no limit",
  ),
  preemptible: z
    .boolean()
    .default(false)
    .describe(
      "Whether it may be stopped, and started again later, when a request of a higher priority, or of a fairness key that uses less by its weight, has waited long. Needs maxRestarts, of which this uses up none",
    ),
  fence: z
    .enum(["lease", "none"])
    .optional()
    .describe(
      "lease: no two processes of it ever run at once, so it is killed when its node cannot renew its lease at the head; none: it keeps running. Default: lease for detached and named actors, else none",
    ),
});

const taskOptionsSchema = z.strictObject({
  name: z.string().default("").describe("Name in messages. Default: the function's name"),
  resources: resourcesSchema.default({ cpu: 1 }),
  labels: labelsSchema.describe("Conditions on the labels of its node, as for an actor"),
  strategy: strategySchema.describe("How its node is chosen, as for an actor"),
  placement: placementSchema
    .optional()
    .describe("The placement group, and its bundle, from which it takes its resources, as for an actor"),
  maxConcurrent: maxConcurrentSchema.describe(
    "It runs only while fewer than max task processes and actors of the scope run in its namespace, as for an actor",
  ),
  preemptible: z
    .boolean()
    .default(false)
    .describe(
      "Whether its process may be stopped for others, as of an actor, so that it runs again. Needs maxRetries, of which this uses up none",
    ),
  environment: text
    .default({})
    .describe("Environment variables of its process; those of the job, or of its parent, are added"),
  workingDir: workingDirSchema,
  packages: packagesSchema,
  maxRetries: z
    .int()
    .min(-1)
    .default(3)
    .describe("How often it runs again after its process ended during it; -1 for no limit"),
  retryExceptions: z
    .boolean()
    .default(false)
    .describe("Whether it is also retried when the function throws, which uses up one of maxRetries"),
  maxCalls: z
    .int()
    .min(0)
    .default(0)
    .describe("Number of calls of the function after which its process is replaced; 0 for no limit"),
  timeoutMs: millisecondsSchema
    .default(Number.POSITIVE_INFINITY)
    .describe(
      "Milliseconds from the call until it fails with GET_TIMEOUT and is canceled. Default: no deadline",
    ),
});

/** Options of `cluster.task(fn, options)`; fields with defaults may be absent. */
export type TaskOptions = z.input<typeof taskOptionsSchema>;
export type ResolvedTaskOptions = z.output<typeof taskOptionsSchema>;

/** @throws {PalimpsestError} CONFIG_INVALID naming the field */
export function parseTaskOptions(value: TaskOptions, name: string): ResolvedTaskOptions {
  const options = parsed(taskOptionsSchema, value, `options of task ${name}`);
  if (options.preemptible && options.maxRetries === 0)
    throw notAgain(`options of task ${name}`, "maxRetries");
  return options;
}

/** Options of `cluster.actor(Class, options)`; fields with defaults may be absent. */
export type ActorOptions = z.input<typeof actorOptionsSchema>;
export type ResolvedActorOptions = z.output<typeof actorOptionsSchema>;

/** The options of a connection whose address and token are known. */
export type LocatedConnectOptions = z.input<typeof connectOptionsSchema>;

/** @throws {PalimpsestError} CONFIG_INVALID naming the field */
export function parseConnectOptions(value: LocatedConnectOptions): ResolvedConnectOptions {
  return parsed(connectOptionsSchema, value, "connect options");
}

/**
 * Checks the options of `connect()` before anything is looked for or started.
 * @returns the options as they were given, and those of a cluster to start
 * @throws {PalimpsestError} CONFIG_INVALID naming the field
 */
export function checkConnectOptions(
  value: ConnectOptions,
): Omit<ConnectOptions, "local"> & { readonly local: { readonly cpus?: number | undefined } | undefined } {
  checkObject(value, "connect options");
  const { local } = parsed(openConnectOptionsSchema, value, "connect options");
  const { local: _, ...others } = value;
  if (local === false) return { ...others, local: undefined };
  const given = (["address", "token", "tls", "jobId"] as const).find((name) => others[name] !== undefined);
  if (given !== undefined) {
    throw new PalimpsestError(
      "CONFIG_INVALID",
      `connect options: local starts a cluster of its own: leave ${given} out, or local`,
    );
  }
  return { ...others, local: local === true ? {} : local };
}

/** @throws {PalimpsestError} CONFIG_INVALID naming the field */
export function parseActorOptions(value: ActorOptions, className: string): ResolvedActorOptions {
  const given = value?.durable ? { ...durableDefaults, ...value } : value;
  const options = parsed(actorOptionsSchema, given, `options of actor ${className}`);
  if (options.durable) checkDurable(options, className);
  if (options.preemptible && options.maxRestarts === 0)
    throw notAgain(`options of actor ${className}`, "maxRestarts");
  return options;
}

function notAgain(what: string, field: string): PalimpsestError {
  const problem = `preemptible is true and ${field} is 0: what is stopped for others would not run again, so give ${field} 1 or more, or -1 for no limit`;
  return withCaller(new PalimpsestError("CONFIG_INVALID", `${what}: ${problem}`));
}

const durableDefaults = { detached: true, maxRestarts: -1, maxTaskRetries: -1 } as const;

function checkDurable(options: ResolvedActorOptions, className: string): void {
  const refuse = (problem: string): never => {
    throw withCaller(
      new PalimpsestError("CONFIG_INVALID", `options of actor ${className}: durable is true and ${problem}`),
    );
  };
  if (options.name === "") refuse("name is empty: its state is stored under its name, so give it one");
  if (options.process === "shared")
    refuse('process is "shared": a durable actor needs a process of its own, so leave process out');
  if ((options.maxConcurrency ?? 1) > 1 || Object.keys(options.concurrencyGroups).length > 0)
    refuse(
      "it has maxConcurrency above 1 or concurrencyGroups: a durable actor runs one method at a time, so leave them out",
    );
}

/** @throws {PalimpsestError} CONFIG_INVALID naming the field */
export function parsePlacementGroupOptions(value: PlacementGroupOptions): ResolvedPlacementGroupOptions {
  return parsed(placementGroupOptionsSchema, value, "options of a placement group");
}

// This module is loaded by the first connection, because actors' processes start faster without zod.
function parsed<Schema extends z.ZodType>(schema: Schema, value: unknown, what: string): z.output<Schema> {
  const refuse = (problem: string) =>
    withCaller(new PalimpsestError("CONFIG_INVALID", `${what}: ${problem}`));
  return parseInput(schema, value, refuse);
}
