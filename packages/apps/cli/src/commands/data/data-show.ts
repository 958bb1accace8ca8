import { preparedTasks, type SourceBadRow } from "@palimpsest/datasets";
import type { Task } from "@palimpsest/trajectories";
import { PalimpsestError } from "@palimpsest/wire";
import { type Command, InvalidArgumentError } from "commander";
import { taskOutput } from "../../data/data-outputs.js";
import { taskText } from "../../data/task-text.js";
import { parseWhole } from "../../input/key-values.js";
import { untilStopped } from "../../input/signals.js";

interface ShowFlags {
  readonly id?: string;
  readonly index?: number;
  readonly documentChars: number;
  readonly corpus?: string;
  readonly json?: boolean;
}

export function addDataShow(data: Command): void {
  data
    .command("show")
    .description("prints one task in readable form")
    .argument("<file>", "file of tasks")
    .option("--id <id>", "id of the task")
    .option("--index <n>", "index of the task, from 0; default 0", parseWhole)
    .option("--document-chars <n>", "maximum characters of a document; 0: all", parseWhole, 2000)
    .option("--corpus <file>", "corpus for files whose contexts are indices; default: the one next to them")
    .addOption(taskOutput.option())
    .action(async (path: string, flags: ShowFlags) => {
      if (flags.id !== undefined && flags.index !== undefined) {
        throw new InvalidArgumentError("give --id or --index, not both");
      }
      const task = await untilStopped((signal) => find(path, flags, signal));
      if (flags.json) taskOutput.print(task);
      else process.stdout.write(taskText(task, flags.documentChars));
    });
}

async function find(path: string, { id, index = 0, corpus }: ShowFlags, signal: AbortSignal): Promise<Task> {
  let bad = "";
  const onBadRow = ({ row, reason, detail }: SourceBadRow) => {
    bad ||= `; row ${row} is no task: ${reason}, ${detail}`;
  };
  const options = { signal, onBadRow, ...(corpus === undefined ? {} : { corpus }) };
  let at = 0;
  for await (const task of preparedTasks(path, options)) {
    if (id === undefined ? at === index : task.id === id) return task;
    at += 1;
  }
  const wanted = id === undefined ? `index ${index}` : `id "${id}"`;
  // A file without a task is none of tasks.
  const code = at === 0 ? "INVALID_ARGUMENT" : "NOT_FOUND";
  throw new PalimpsestError(code, `${path}: none of its ${at} tasks has the ${wanted}${bad}`);
}
