import type { Command } from "commander";

/**
 * Adds one command to the program. Its module is loaded only when the command is used, so that a head starts without
 * tensors.
 */
export type Add = (program: Command) => void;

export const commands: Readonly<Record<string, () => Promise<Add>>> = {
  dev: async () => (await import("./commands/dev.js")).addDev,
  head: async () => (await import("./commands/head.js")).addHead,
  worker: async () => (await import("./commands/worker.js")).addWorker,
  status: async () => (await import("./commands/status.js")).addStatus,
  list: async () => (await import("./commands/list.js")).addList,
  summary: async () => (await import("./commands/summary.js")).addSummary,
  drain: async () => (await import("./commands/drain.js")).addDrain,
  memory: async () => (await import("./commands/memory.js")).addMemory,
  timeline: async () => (await import("./commands/timeline.js")).addTimeline,
  sql: async () => (await import("./commands/sql.js")).addSql,
  logs: async () => (await import("./commands/logs.js")).addLogs,
  stack: async () => (await import("./commands/stack.js")).addStack,
  stop: async () => (await import("./commands/stop.js")).addStop,
  job: async () => (await import("./commands/job.js")).addJob,
  train: async () => (await import("./commands/train.js")).addTrain,
  quickstart: async () => (await import("./commands/quickstart.js")).addQuickstart,
  new: async () => (await import("./commands/new.js")).addNew,
  ask: async () => (await import("./commands/ask.js")).addAsk,
  dashboard: async () => (await import("./commands/dashboard.js")).addDashboard,
  trace: async () => (await import("./commands/trace.js")).addTrace,
  serve: async () => (await import("./commands/serve.js")).addServe,
  mcp: async () => (await import("./commands/mcp.js")).addMcp,
  model: async () => (await import("./commands/model.js")).addModel,
  data: async () => (await import("./commands/data.js")).addData,
  score: async () => (await import("./commands/score.js")).addScore,
  loss: async () => (await import("./commands/loss-check.js")).addLoss,
  eval: async () => (await import("./commands/eval.js")).addEval,
  certs: async () => (await import("./commands/certs.js")).addCerts,
  token: async () => (await import("./commands/token.js")).addToken,
  setup: async () => (await import("./commands/setup.js")).addSetup,
  doctor: async () => (await import("./commands/doctor.js")).addDoctor,
};
