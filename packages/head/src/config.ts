import { isLoopback, PalimpsestError } from "@palimpsest/wire";
import { z } from "zod";

const port = z.int().min(0).max(65_535);
const milliseconds = z.int().min(0).max(86_400_000);
const minTokenLength = 16;

export const headConfigSchema = z.strictObject({
  dataDir: z
    .string()
    .min(1)
    .describe("Folder of the head's files: token, address, logs, bundles, its Redis's data."),
  host: z
    .string()
    .min(1)
    .default("127.0.0.1")
    .describe("Address to listen on. Other than loopback: the whole network sees it."),
  advertiseHost: z
    .string()
    .min(1)
    .optional()
    .describe("Name or address under which others reach this machine. Default: host."),
  port: port.default(0).describe("0: the port of the last start with this dataDir, or a free one."),
  metricsPort: port.nullable().default(0).describe("Port of the metrics page. 0: a free one; null: none."),
  dashboardPort: port
    .nullable()
    .default(0)
    .describe("Port of the dashboard. 0: that of the last start, or a free one; null: none."),
  redisUrl: z
    .string()
    .regex(/^rediss?:\/\//)
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
    .describe("How long a head that says nothing keeps the lead. A standby takes over after it."),
  queueRedisUrl: z
    .string()
    .regex(/^rediss?:\/\//)
    .optional()
    .describe(
      "URL that nodes and drivers get, of a user that may touch keys of runs only. Default: redisUrl.",
    ),
  redisServer: z
    .string()
    .min(1)
    .default("redis-server")
    .describe("Program that the head runs as its own Redis."),
  redisMaxMemoryBytes: z
    .int()
    .min(0)
    .optional()
    .describe(
      "Most memory that the head's own Redis may take for its data; 0: no limit. Default: a quarter of the machine's memory. Payloads of training wait above 85 % of it.",
    ),
  token: z
    .string()
    .min(minTokenLength)
    .optional()
    .describe("Secret of the cluster. Default: the one in dataDir, made at the first start."),
  readerTokenFile: z
    .string()
    .min(1)
    .optional()
    .describe(
      "A second file with the token of readers, which every user who reaches it may read (mode 0644). Default: none; the one in dataDir is the head's user's alone.",
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
    .describe("True: it may listen beyond loopback without TLS, in a network that is trusted."),
  heartbeatIntervalMs: milliseconds.min(10).default(1_000).describe("How often nodes say that they live."),
  nodeTimeoutMs: milliseconds.min(50).default(5_000).describe("Silence after which a node is dead."),
  fenceAfterMs: milliseconds
    .min(50)
    .default(45_000)
    .describe(
      "How long a node goes on without a renewal of its lease before it kills its actors with fence: lease. Their replacements wait for that. At least nodeTimeoutMs.",
    ),
  recoveryGraceMs: milliseconds
    .default(15_000)
    .describe(
      "What nodes have to come back in after a restart of the head. Who asks for an unknown actor, and who gives a new one a name, waits for them.",
    ),
  ownerGraceMs: milliseconds
    .default(10_000)
    .describe("What a driver has to come back in before its actors are killed."),
  sessionLeaseMs: milliseconds
    .min(1_000)
    .default(120_000)
    .describe(
      "How long a connected driver may be silent, as when it is stopped or its machine is gone, before its actors are killed.",
    ),
  actorStopGraceMs: milliseconds.default(2_000).describe("Between SIGTERM and SIGKILL of an actor."),
  startRetryAttempts: z
    .int()
    .min(1)
    .default(100)
    .describe("Starts of an actor in a row that may fail for a passing reason before it is dead."),
  startRetryMs: milliseconds
    .default(600_000)
    .describe("How long starts of an actor may go on failing for passing reasons before it is dead."),
  startMaxLostNodes: z
    .int()
    .min(1)
    .default(3)
    .describe("Nodes that may be lost while they start the same actor before it is dead."),
  driverStopGraceMs: milliseconds.default(10_000).describe("Between SIGTERM and SIGKILL of a driver."),
  rpcTimeoutMs: milliseconds
    .min(10)
    .default(30_000)
    .describe("Longest time that any unary RPC takes to be answered."),
  bundleMaxBytes: z
    .int()
    .min(1)
    .default(64 * 1024 * 1024)
    .describe("Largest bundle of code."),
  bundleSharedBytes: z
    .int()
    .min(0)
    .default(256 * 1024 * 1024)
    .describe(
      "What copies of bundles may take in a Redis given by redisUrl, where a standby finds them; the longest stored go first.",
    ),
  bundleKeepMs: z
    .int()
    .min(0)
    .default(7 * 86_400_000)
    .describe("How long a bundle is kept after its upload when no job and no living actor uses it."),
  jobLogMaxBytes: z
    .int()
    .min(1)
    .default(256 * 1024 * 1024)
    .describe("What is kept of one job's output."),
  jobLogRetryMs: milliseconds
    .default(60_000)
    .describe("How long a job's output waits for a disk that cannot be written before it is given up."),
  placementReserveAfterMs: z
    .int()
    .min(0)
    .default(10_000)
    .describe("How long a request that a node could hold waits before a node is kept free for it."),
  maxDeadActors: z
    .int()
    .min(0)
    .default(1_000)
    .describe(
      "Dead actors that are remembered, and as many again whose process may still run on a node out of reach.",
    ),
  maxEndedJobs: z.int().min(0).default(1_000).describe("Ended jobs that are remembered, with their output."),
});

export type HeadConfigInput = z.input<typeof headConfigSchema>;
export type HeadConfig = z.output<typeof headConfigSchema>;

/** @throws {PalimpsestError} CONFIG_INVALID, one line that names each field */
export function parseHeadConfig(input: HeadConfigInput): HeadConfig {
  if (input.token === "") {
    const where = isLoopback(input.host ?? "127.0.0.1")
      ? ""
      : ` and host ${input.host} is reachable from outside`;
    throw new PalimpsestError(
      "CONFIG_INVALID",
      `token is empty${where}: leave it out to have one made, or give a secret`,
    );
  }
  const parsed = headConfigSchema.safeParse(input);
  if (parsed.success) {
    const { fenceAfterMs, nodeTimeoutMs } = parsed.data;
    // The head declares a node dead before the node fences, never after it.
    return { ...parsed.data, fenceAfterMs: Math.max(fenceAfterMs, nodeTimeoutMs) };
  }
  const problems = parsed.error.issues.map((issue) => `${issue.path.join(".") || "head"}: ${issue.message}`);
  throw new PalimpsestError("CONFIG_INVALID", problems.join("; "));
}
