import type { Command } from "commander";

/**
 * Adds one command to the program. Its module is loaded only when the command is used, so that a head starts without
 * tensors.
 */
export type Add = (program: Command) => void;

/** The commands of a cluster, and those about the installation and about commands: those of the package `@palimpsest/runtime`, which has no part that learns. */
export const clusterCommands: Readonly<Record<string, () => Promise<Add>>> = {
  dev: async () => (await import("../commands/cluster/dev.js")).addDev,
  head: async () => (await import("../commands/cluster/head.js")).addHead,
  worker: async () => (await import("../commands/cluster/worker.js")).addWorker,
  status: async () => (await import("../commands/cluster/status.js")).addStatus,
  list: async () => (await import("../commands/cluster/list.js")).addList,
  summary: async () => (await import("../commands/cluster/summary.js")).addSummary,
  drain: async () => (await import("../commands/cluster/drain.js")).addDrain,
  upgrade: async () => (await import("../commands/cluster/upgrade.js")).addUpgrade,
  memory: async () => (await import("../commands/cluster/memory.js")).addMemory,
  timeline: async () => (await import("../commands/cluster/timeline.js")).addTimeline,
  logs: async () => (await import("../commands/cluster/logs.js")).addLogs,
  stack: async () => (await import("../commands/cluster/stack.js")).addStack,
  profile: async () => (await import("../commands/cluster/profile.js")).addProfile,
  stop: async () => (await import("../commands/cluster/stop.js")).addStop,
  job: async () => (await import("../commands/cluster/job.js")).addJob,
  certs: async () => (await import("../commands/cluster/certs.js")).addCerts,
  token: async () => (await import("../commands/cluster/token.js")).addToken,
  config: async () => (await import("../commands/installation/config.js")).addConfig,
  version: async () => (await import("../commands/installation/version.js")).addVersion,
  schema: async () => (await import("../commands/installation/schema.js")).addSchema,
  completion: async () => (await import("../commands/installation/completion.js")).addCompletion,
};
