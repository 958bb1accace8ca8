import { writeFile } from "node:fs/promises";
import { type Command, Option } from "commander";
import { z } from "zod";
import { type ConnectionOptions, withCluster, withConnection } from "../../cluster/connection.js";
import { JsonOutput, refuseStdout } from "../../display/json-output.js";
import { parseCount } from "../../input/key-values.js";
import { chromeTrace } from "../../state/chrome-trace.js";

interface TimelineOptions extends ConnectionOptions {
  readonly output: string;
  readonly job?: string;
  readonly limit: number;
  readonly json?: boolean;
}

const timelineOutput = new JsonOutput(() =>
  z.strictObject({ output: z.string(), rows: z.int().describe("tasks, calls and transfers") }),
);

const defaultRows = 20_000;

export function addTimeline(program: Command): void {
  withConnection(program.command("timeline"))
    .description("writes tasks, calls and transfers as a trace for ui.perfetto.dev and chrome://tracing")
    .requiredOption("--output <file>", "file to write, - for standard output")
    .option("--job <id>", "only tasks, calls and transfers of this job")
    .addOption(
      new Option("--limit <rows>", "maximum number, of the newest")
        .argParser(parseCount)
        .default(defaultRows),
    )
    .addOption(timelineOutput.option("prints what was written as JSON"))
    .action(async ({ output, job, limit, json = false, ...connection }: TimelineOptions) => {
      if (output === "-") refuseStdout("--output", { json });
      const filter = { limit, ...(job === undefined ? {} : { jobId: job }) };
      const tasks = await withCluster(connection, "timeline", (cluster) => cluster.tasks(filter));
      const trace = chromeTrace(tasks, Date.now());
      const text = `${JSON.stringify(trace)}\n`;
      if (output === "-") process.stdout.write(text);
      else {
        await writeFile(output, text);
        if (json) timelineOutput.print({ output, rows: tasks.length });
        else process.stderr.write(`wrote ${output}: ${tasks.length} tasks, calls and transfers\n`);
      }
    });
}
