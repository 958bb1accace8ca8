import { writeFile } from "node:fs/promises";
import { basename } from "node:path";
import { readTraces, type Trace, traceHtml, traceMarkdown } from "@palimpsest/evals";
import { PalimpsestError } from "@palimpsest/wire";
import { type Command, Option } from "commander";
import { z } from "zod";
import { JsonOutput, refuseStdout } from "../../display/json-output.js";
import { parseWhole } from "../../input/key-values.js";

interface ViewFlags {
  readonly out?: string;
  readonly limit?: number;
  readonly title?: string;
  readonly format: "html" | "markdown";
  readonly json?: boolean;
}

const output = new JsonOutput(() => z.strictObject({ out: z.string(), trajectories: z.int() }));

export function addTrace(program: Command): void {
  const trace = program.command("trace").description("trace files of trajectories");
  trace
    .command("view")
    .description("renders trace files as one HTML file, which a browser opens without a server")
    .argument("<files...>", "trace files (.jsonl), such as those of a run's folder `traces`")
    .option("--out <file>", "file to write, - for standard output; default: next to the first")
    .option("--limit <n>", "only the first n trajectories", parseWhole)
    .option("--title <text>", "title of the page; default: the file's name")
    .addOption(new Option("--format <format>", "output format").choices(["html", "markdown"]).default("html"))
    .addOption(output.option("prints what was written as JSON"))
    .action(view);
}

async function view(files: readonly string[], flags: ViewFlags): Promise<void> {
  const [first = ""] = files;
  const traces = await tracesOf(files, flags.limit ?? Number.POSITIVE_INFINITY);
  if (traces.length === 0) {
    throw new PalimpsestError(
      "INVALID_ARGUMENT",
      `${files.join(", ")}: contains no traces; give a file that has some`,
    );
  }
  const title = flags.title ?? basename(first);
  const page =
    flags.format === "html"
      ? traceHtml(traces, { title })
      : traces.map((trace) => traceMarkdown(trace)).join("\n---\n\n");
  const out = flags.out ?? `${first.replace(/\.jsonl$/, "")}.${flags.format === "html" ? "html" : "md"}`;
  if (out === "-") {
    refuseStdout("--out", flags);
    process.stdout.write(page);
    return;
  }
  await writeFile(out, page);
  if (flags.json) output.print({ out, trajectories: traces.length });
  else process.stderr.write(`wrote ${out}: ${traces.length} trajectories\n`);
}

async function tracesOf(files: readonly string[], most: number): Promise<Trace[]> {
  const traces: Trace[] = [];
  for (const file of files) {
    for await (const trace of readTraces(file)) {
      if (traces.length >= most) return traces;
      traces.push(trace);
    }
  }
  return traces;
}
