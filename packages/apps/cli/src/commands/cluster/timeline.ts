import { writeFile } from "node:fs/promises";
import { type Command, Option } from "commander";
import { type ConnectionOptions, withCluster, withConnection } from "../../cluster/connection.js";
import { parseCount } from "../../input/key-values.js";
import { chromeTrace } from "../../state/chrome-trace.js";

interface TimelineOptions extends ConnectionOptions {
  readonly output: string;
  readonly job?: string;
  readonly limit: number;
}

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
    .action(async ({ output, job, limit, ...connection }: TimelineOptions) => {
      const filter = { limit, ...(job === undefined ? {} : { jobId: job }) };
      const tasks = await withCluster(connection, "timeline", (cluster) => cluster.tasks(filter));
      const trace = chromeTrace(tasks, Date.now());
      const text = `${JSON.stringify(trace)}\n`;
      if (output === "-") process.stdout.write(text);
      else {
        await writeFile(output, text);
        process.stderr.write(`wrote ${output}: ${tasks.length} tasks, calls and transfers\n`);
      }
    });
}
