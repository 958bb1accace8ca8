import { type Add, clusterCommands } from "./cluster-commands.js";

export const commands: Readonly<Record<string, () => Promise<Add>>> = {
  ...clusterCommands,
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
  setup: async () => (await import("./commands/setup.js")).addSetup,
  doctor: async () => (await import("./commands/doctor.js")).addDoctor,
};
