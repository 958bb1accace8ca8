import type { Command } from "commander";

/**
 * Adds one command to the program. Its module is loaded only when the command is used, so that a head starts without
 * tensors.
 */
export type Add = (program: Command) => void;

/** The commands of a cluster, and the completion of commands: those of the package `@palimpsest/runtime`, which has no part that learns. */
export const clusterCommands: Readonly<Record<string, () => Promise<Add>>> = {
  dev: async () => (await import("./commands/dev.js")).addDev,
  head: async () => (await import("./commands/head.js")).addHead,
  worker: async () => (await import("./commands/worker.js")).addWorker,
  status: async () => (await import("./commands/status.js")).addStatus,
  list: async () => (await import("./commands/list.js")).addList,
  summary: async () => (await import("./commands/summary.js")).addSummary,
  drain: async () => (await import("./commands/drain.js")).addDrain,
  memory: async () => (await import("./commands/memory.js")).addMemory,
  timeline: async () => (await import("./commands/timeline.js")).addTimeline,
  logs: async () => (await import("./commands/logs.js")).addLogs,
  stack: async () => (await import("./commands/stack.js")).addStack,
  stop: async () => (await import("./commands/stop.js")).addStop,
  job: async () => (await import("./commands/job.js")).addJob,
  certs: async () => (await import("./commands/certs.js")).addCerts,
  token: async () => (await import("./commands/token.js")).addToken,
  completion: async () => (await import("./commands/completion.js")).addCompletion,
};
