import type { Cluster, TaskCountsInfo } from "@palimpsest/client";
import { Argument, type Command } from "commander";
import { z } from "zod";
import { type ConnectionOptions, withCluster, withConnection } from "../../cluster/connection.js";
import { formatBytes } from "../../display/bytes.js";
import { JsonOutput } from "../../display/json-output.js";
import { formatTable } from "../../display/table.js";
import { taskCountsSchema } from "../../state/row-schemas.js";
import { type Row, stateTables } from "../../state/tables.js";

const kinds = ["tasks", "actors", "objects"] as const;

interface SummaryOptions extends ConnectionOptions {
  readonly json?: boolean;
  readonly job?: string;
}

const output = new JsonOutput(() =>
  z.union([
    z.array(taskCountsSchema).describe("of tasks"),
    z.array(z.strictObject({ role: z.string(), state: z.string(), count: z.int() })).describe("of actors"),
    z
      .array(z.strictObject({ heldOn: z.string(), objects: z.int(), bytes: z.number() }))
      .describe("of objects"),
  ]),
);

interface Summarized {
  readonly items: Parameters<typeof output.print>[0];
  readonly headings: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

const maxRows = 50_000;
/** A head lists no more. */
const maxListedObjects = 10_000;

function taskRow(counts: TaskCountsInfo): string[] {
  const { kind, name, jobId, pending, running, finished, failed, cancelled, ranMs, leftOut } = counts;
  const ended = finished + failed + cancelled;
  const mean = ended > 0 ? `${(ranMs / ended).toFixed(2)} ms` : "";
  const numbers = [pending, running, finished, failed, cancelled].map(String);
  return [kind, name, jobId, ...numbers, mean, leftOut > 0 ? String(leftOut) : ""];
}

/** Counts rows of a table by some of its columns, the most frequent first. */
export function countedBy(
  rows: readonly Row[],
  keys: readonly string[],
  sumOf = "",
): { readonly keys: readonly string[]; readonly count: number; readonly sum: number }[] {
  const groups = new Map<string, { keys: string[]; count: number; sum: number }>();
  for (const row of rows) {
    const values = keys.map((key) => String(row[key] ?? ""));
    const name = JSON.stringify(values);
    const group = groups.get(name) ?? { keys: values, count: 0, sum: 0 };
    groups.set(name, group);
    group.count++;
    group.sum += Number(row[sumOf] ?? 0);
  }
  return [...groups.values()].sort((a, b) => b.count - a.count);
}

async function summarize(
  cluster: Cluster,
  kind: (typeof kinds)[number],
  { job }: SummaryOptions,
): Promise<Summarized> {
  if (kind === "tasks") {
    const items = await cluster.taskSummary(job === undefined ? {} : { jobId: job });
    const headings = ["kind", "name", "job", "pending", "running", "finished", "failed", "cancelled"];
    return { items, headings: [...headings, "mean", "not listed"], rows: items.map(taskRow) };
  }
  if (kind === "actors") {
    const rows = (await cluster.actors({ includeDead: true, limit: maxRows })).map(stateTables.actors.row);
    const ofJob = job === undefined ? rows : rows.filter((row) => row["job_id"] === job);
    const groups = countedBy(ofJob, ["role", "state"]);
    const items = groups.map(({ keys: [role = "", state = ""], count }) => ({ role, state, count }));
    const text = items.map(({ role, state, count }) => [role, state, String(count)]);
    return { items, headings: ["role", "state", "actors"], rows: text };
  }
  const { objects: listed } = await cluster.listObjects({ limit: maxListedObjects });
  const rows = listed.map(stateTables.objects.row);
  const groups = countedBy(rows, ["held_on"], "size_bytes");
  const items = groups.map(({ keys: [heldOn = ""], count, sum }) => ({ heldOn, objects: count, bytes: sum }));
  const text = items.map(({ heldOn, objects, bytes }) => [
    heldOn || "-",
    String(objects),
    formatBytes(bytes),
  ]);
  return { items, headings: ["held on", "objects", "size"], rows: text };
}

export function addSummary(program: Command): void {
  withConnection(program.command("summary"))
    .description("counts tasks by name, actors by role and state, or objects by node")
    .addArgument(new Argument("<kind>", "what").choices(kinds))
    .addOption(output.option())
    .option("--job <id>", "only tasks or actors of this job")
    .action(async (kind: (typeof kinds)[number], options: SummaryOptions) => {
      const { items, headings, rows } = await withCluster(options, "summary", (cluster) =>
        summarize(cluster, kind, options),
      );
      if (options.json) output.print(items);
      else process.stdout.write(`${formatTable(headings, rows)}\n`);
    });
}
