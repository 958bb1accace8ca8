import { isIP } from "node:net";
import { parseInput } from "@palimpsest/std/input";
import { isLoopback, PalimpsestError, resourceNameProblem } from "@palimpsest/wire";
import { z } from "zod";

const count = z.int().min(1);
const wholeNumber = z.int().min(0);
const nonEmpty = z.string().min(1);

const port = wholeNumber.max(65_535);
const milliseconds = wholeNumber.max(86_400_000);
const minTokenLength = 16;

const quota = z
  .record(
    nonEmpty.refine((name) => resourceNameProblem(name) === undefined, {
      error: ({ input }) => resourceNameProblem(String(input)) ?? "",
    }),
    z.number().min(0),
  )
  .describe("What may be leased at the same time, by resource; objectBytes: what may be stored.");
const quotasSchema = z.strictObject({
  namespaces: z
    .record(nonEmpty, quota)
    .default({})
    .describe(
      'By namespace; "*": each that is not named. Drivers of jobs are in "default"; placement groups, and objects of drivers, in the namespace of the connection.',
    ),
  jobs: z
    .record(nonEmpty, quota)
    .default({})
    .describe('By job id, of the driver and all that it spawns; "*": each that is not named.'),
});
/** Quotas of namespaces and jobs. */
export type QuotaConfig = z.output<typeof quotasSchema>;

/** The schema of the head's settings; docs/configuration.md has every field. */
export const headConfigSchema = z.strictObject({
  dataDir: nonEmpty.describe("Folder of the head's files: token, address, logs, bundles, its Redis's data."),
  host: nonEmpty
    .default("127.0.0.1")
    .describe("Address to listen on. Any other than loopback is visible to the whole network."),
  advertiseHost: nonEmpty
    .refine((host) => isIP(host) !== 0 || /^[^\s:/]+$/.test(host), {
      error: "must be a name or an address alone; ports have flags of their own",
    })
    .optional()
    .describe("Name or address under which other machines reach this one. Default: host."),
  port: port.default(0).describe("0: the port of the last start with this dataDir, or a free one."),
  metricsPort: port.nullable().default(0).describe("Port of the metrics page. 0: a free one; null: none."),
  dashboardPort: port
    .nullable()
    .default(0)
    .describe("Port of the dashboard. 0: that of the last start, or a free one; null: none."),
  redisUrl: z
    .string()
    .regex(
      /^rediss?:\/\//,
      "must be the URL of a Redis, such as redis://127.0.0.1:6379 or rediss://host:6380",
    )
    .optional()
    .describe("redis:// or rediss:// URL. Default: the head runs a Redis of its own."),
  cluster: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/, 'use up to 64 letters, digits, ".", "_" and "-"')
    .default("default")
    .describe(
      "Name of the cluster: its keys in Redis carry it, so that several clusters can share one Redis.",
    ),
  standby: z
    .boolean()
    .default(true)
    .describe("Whether the head waits as a standby while another head leads the cluster. False: it refuses."),
  leaseMs: milliseconds
    .min(100)
    .default(5_000)
    .describe("How long a silent head keeps its lease. Then a standby takes over."),
  queueRedisUrl: z
    .string()
    .regex(
      /^rediss?:\/\//,
      "must be the URL of a Redis, such as redis://127.0.0.1:6379 or rediss://host:6380",
    )
    .optional()
    .describe(
      "URL for nodes and drivers, with a user that can access the keys of runs only. Default: redisUrl.",
    ),
  redisServer: nonEmpty.default("redis-server").describe("Program that the head runs as its own Redis."),
  redisMaxMemoryBytes: wholeNumber
    .optional()
    .describe(
      "Maximum memory of the head's own Redis for its data; 0: no limit. Default: a quarter of the machine's memory. Above 85 % of it, new payloads of training wait.",
    ),
  token: z
    .string()
    .min(minTokenLength)
    .optional()
    .describe("Secret of the cluster. Default: the one in dataDir, generated at the first start."),
  readerTokenFile: nonEmpty
    .optional()
    .describe(
      "A second file for the token of readers, which every user who can reach it may read (mode 0644). Default: none; the file in dataDir can be read only by the head's user.",
    ),
  tls: z
    .string()
    .default("")
    .describe(
      "Folder with the head's ca.crt, tls.crt and tls.key (`palimpsest certs init`); empty: without TLS.",
    ),
  insecure: z
    .boolean()
    .default(false)
    .describe("True: it may listen beyond loopback without TLS, in a trusted network."),
  heartbeatIntervalMs: milliseconds.min(10).default(1_000).describe("How often nodes send heartbeats."),
  nodeTimeoutMs: milliseconds.min(50).default(5_000).describe("Silence after which a node is dead."),
  fenceAfterMs: milliseconds
    .min(50)
    .default(45_000)
    .describe(
      "How long a node runs without a renewal of its lease before it kills its actors with fence: lease. Their replacements wait for that. At least nodeTimeoutMs.",
    ),
  recoveryGraceMs: milliseconds
    .default(15_000)
    .describe(
      "How long nodes have to come back after a restart of the head. Lookups of unknown actors, and requests that name a new actor, wait for them, unless the head's own Redis ran on meanwhile.",
    ),
  ownerGraceMs: milliseconds
    .default(10_000)
    .describe("How long a disconnected driver has to come back before its actors are killed."),
  sessionLeaseMs: milliseconds
    .min(1_000)
    .default(120_000)
    .describe(
      "How long a connected driver may be silent, because it is suspended or its machine is gone, before its actors are killed.",
    ),
  actorStopGraceMs: milliseconds
    .default(2_000)
    .describe("Time between SIGTERM and SIGKILL when an actor is stopped."),
  startRetryAttempts: count
    .default(100)
    .describe("How many consecutive starts of an actor may fail for a transient reason before it is dead."),
  startRetryMs: milliseconds
    .default(600_000)
    .describe("How long starts of an actor may keep failing for transient reasons before it is dead."),
  startMaxLostNodes: count
    .default(3)
    .describe("How many nodes may be lost while they start the same actor before it is dead."),
  driverStopGraceMs: milliseconds
    .default(10_000)
    .describe("Time between SIGTERM and SIGKILL when a driver is stopped."),
  rpcTimeoutMs: milliseconds
    .min(10)
    .default(30_000)
    .describe("Time after which every unary RPC is answered, if necessary with an error."),
  bundleMaxBytes: count.default(64 * 1024 * 1024).describe("Maximum size of a bundle of code."),
  bundleSharedBytes: wholeNumber
    .default(256 * 1024 * 1024)
    .describe(
      "Size limit of all bundle copies in a Redis given by redisUrl, where a standby finds them; the oldest are removed first.",
    ),
  bundleKeepMs: wholeNumber
    .default(7 * 86_400_000)
    .describe("How long a bundle is kept after its upload when no job and no living actor uses it."),
  jobLogMaxBytes: count
    .default(256 * 1024 * 1024)
    .describe("Maximum size of the output that is kept per job."),
  jobLogRetryMs: milliseconds
    .default(60_000)
    .describe("How long a job's output is retried on a disk that cannot be written before it is given up."),
  placementReserveAfterMs: wholeNumber
    .default(10_000)
    .describe("How long a request that fits some node waits before a node is reserved for it."),
  preemptAfterMs: wholeNumber
    .min(1)
    .default(30_000)
    .describe(
      "How long a request waits before preemptible actors and tasks of a lower priority, or of a fairness key that uses more by its weight, are stopped for it, and how long these run at least.",
    ),
  quotas: quotasSchema
    .prefault({})
    .describe(
      'Hard limits on what is leased, such as {"namespaces": {"*": {"cpu": 8}}}, and on bytes of objects (objectBytes). What is above a quota waits.',
    ),
  maxDeadActors: wholeNumber
    .default(1_000)
    .describe(
      "How many dead actors are remembered, and as many again whose process may still run on an unreachable node.",
    ),
  maxEndedJobs: wholeNumber.default(1_000).describe("How many ended jobs are remembered, with their output."),
});

/** The head's settings; fields with defaults may be absent. */
export type HeadConfigInput = z.input<typeof headConfigSchema>;
/** The head's settings with all defaults filled in. */
export type HeadConfig = z.output<typeof headConfigSchema>;

/** Checks the content of a file of quotas. @throws {PalimpsestError} CONFIG_INVALID, one line that names each field */
export function parseQuotas(value: unknown): QuotaConfig {
  return parseInput(quotasSchema, value, (problem) => new PalimpsestError("CONFIG_INVALID", problem), {
    whole: "quotas",
  });
}

/** @throws {PalimpsestError} CONFIG_INVALID, one line that names each field */
export function parseHeadConfig(input: HeadConfigInput): HeadConfig {
  if (input.token === "") {
    const where = isLoopback(input.host ?? "127.0.0.1")
      ? ""
      : ` and host ${input.host} is reachable from outside`;
    throw new PalimpsestError(
      "CONFIG_INVALID",
      `token is empty${where}: leave it out to have one generated, or give a secret`,
    );
  }
  const config = parseInput(
    headConfigSchema,
    input,
    (problem) => new PalimpsestError("CONFIG_INVALID", problem),
    { whole: "head" },
  );
  // A node must not fence its actors before the head declares it dead.
  return { ...config, fenceAfterMs: Math.max(config.fenceAfterMs, config.nodeTimeoutMs) };
}
