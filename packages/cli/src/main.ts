import { Command } from "commander";
import { addDoctor } from "./commands/doctor.js";
import { addHead } from "./commands/head.js";
import { addJob } from "./commands/job.js";
import { addList } from "./commands/list.js";
import { addModel } from "./commands/model.js";
import { addQuickstart } from "./commands/quickstart.js";
import { addStatus } from "./commands/status.js";
import { addStop } from "./commands/stop.js";
import { addTrain } from "./commands/train.js";
import { addWorker } from "./commands/worker.js";
import { reportFailure } from "./failure.js";
import { version } from "./version.js";

const program = new Command("palimpsest")
  .description("A distributed actor system, and on it reinforcement learning of memory agents.")
  .version(version)
  .showHelpAfterError("(palimpsest --help shows what there is)");

for (const add of [addHead, addWorker, addStatus, addList, addStop, addJob, addTrain, addQuickstart, addModel, addDoctor]) {
  add(program);
}

try {
  await program.parseAsync();
} catch (reason) {
  process.exitCode = reportFailure(reason);
}
