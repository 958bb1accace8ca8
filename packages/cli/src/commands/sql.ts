import type { Command } from "commander";
import { type ConnectionOptions, withCluster, withConnection } from "../connection.js";
import { printableJson } from "../display/printable.js";
import { parseCount } from "../key-values.js";
import { formatTable } from "../table.js";

interface SqlOptions extends ConnectionOptions {
  readonly json?: boolean;
  readonly limit?: number;
}

const defaultRows = 1_000;

export function addSql(program: Command): void {
  withConnection(program.command("sql"))
    .description(
      "queries the state and history of the cluster with SQL: tables nodes, actors, jobs, tasks, objects, placement_groups, events",
    )
    .argument(
      "<question>",
      "one read-only SQLite statement, such as: select state, count(*) from tasks group by 1",
    )
    .option("--json", "as JSON: one object per row")
    .option("--limit <rows>", `maximum number of rows in the answer (default: ${defaultRows})`, parseCount)
    .action(async (question: string, options: SqlOptions) => {
      const { askSql, incompleteTables, tablesNamedIn } = await import("../state/state-database.js");
      const { stateTables } = await import("../state/tables.js");
      const content = await withCluster(options, "sql", async (cluster) => {
        const tables = Object.entries(stateTables).filter(([name]) => tablesNamedIn(question).includes(name));
        const read = tables.map(
          async ([name, table]) => [name, await table.read(cluster, table.maxRows)] as const,
        );
        return Object.fromEntries(await Promise.all(read));
      });
      const { columns, rows, hasMore } = await askSql(question, content, options.limit ?? defaultRows);
      const records = () =>
        rows.map((row) => Object.fromEntries(columns.map((name, index) => [name, row[index] ?? null])));
      const text = () =>
        formatTable(
          columns,
          rows.map((row) => row.map((cell) => String(cell ?? ""))),
        );
      process.stdout.write(`${options.json ? printableJson(records()) : text()}\n`);
      for (const sentence of incompleteTables(content)) process.stderr.write(`${sentence}\n`);
      if (hasMore) process.stderr.write("there are more rows: raise --limit to see them\n");
    });
}
