import { type Add, clusterCommands } from "./cluster-commands.js";

export const commands: Readonly<Record<string, () => Promise<Add>>> = {
  ...clusterCommands,
  train: async () => (await import("../commands/training/train.js")).addTrain,
  quickstart: async () => (await import("../commands/training/quickstart.js")).addQuickstart,
  new: async () => (await import("../commands/agents/new.js")).addNew,
  ask: async () => (await import("../commands/agents/ask.js")).addAsk,
  dashboard: async () => (await import("../commands/cluster/dashboard.js")).addDashboard,
  trace: async () => (await import("../commands/training/trace.js")).addTrace,
  serve: async () => (await import("../commands/agents/serve.js")).addServe,
  mcp: async () => (await import("../commands/agents/mcp.js")).addMcp,
  model: async () => (await import("../commands/model/model.js")).addModel,
  data: async () => (await import("../commands/data/data.js")).addData,
  world: async () => (await import("../commands/data/world.js")).addWorld,
  score: async () => (await import("../commands/training/score.js")).addScore,
  loss: async () => (await import("../commands/training/loss-check.js")).addLoss,
  eval: async () => (await import("../commands/eval/eval.js")).addEval,
  board: async () => (await import("../commands/eval/board.js")).addBoard,
  setup: async () => (await import("../commands/installation/setup.js")).addSetup,
  doctor: async () => (await import("../commands/installation/doctor.js")).addDoctor,
};
