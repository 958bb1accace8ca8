/**
 * Responsibility: answers one SQL query over the cluster's state, with SQLite in memory.
 * Not responsible for: reading the cluster (tables.ts).
 *
 * Invariants:
 * - STATESQL-1. A query cannot change the cluster: the database contains copies, and becomes read-only after they are
 *   inserted.
 * - STATESQL-2. An answer has at most `maxRows` rows, and a table at most its own `maxRows`. A table that may have more
 *   is named, because counts and sums over it are too small.
 */
import { PalimpsestError } from "@palimpsest/wire";
import initSqlJs, { type Database } from "sql.js";
import { type Cell, type Row, type StateTable, stateTables } from "./tables.js";

export interface SqlAnswer {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly Cell[])[];
  /** Whether there are more rows than requested. */
  readonly hasMore: boolean;
}

type Tables = Readonly<Record<string, Pick<StateTable, "columns">>>;

/** Returns the names of the tables that the query may refer to. */
export function tablesNamedIn(sql: string): string[] {
  const words = new Set(sql.toLowerCase().match(/[a-z_]+/g));
  return Object.keys(stateTables).filter((name) => words.has(name));
}

/** Returns a sentence for each table that has as many rows as are read at most (STATESQL-2). */
export function incompleteTables(content: Readonly<Record<string, readonly Row[]>>): string[] {
  return Object.entries(stateTables).flatMap(([name, { maxRows }]) =>
    (content[name]?.length ?? 0) < maxRows
      ? []
      : [
          `${name}: only ${maxRows} rows were read, and there may be more, so counts and sums may be too small`,
        ],
  );
}

/** @throws {PalimpsestError} INVALID_ARGUMENT; for an unknown name it lists the known ones */
export async function askSql(
  sql: string,
  content: Readonly<Record<string, readonly Row[]>>,
  maxRows: number,
  tables: Tables = stateTables,
): Promise<SqlAnswer> {
  const { Database } = await initSqlJs();
  const database = new Database();
  try {
    for (const [name, { columns }] of Object.entries(tables))
      fill(database, name, columns, content[name] ?? []);
    // STATESQL-1
    database.run("PRAGMA query_only = ON");
    return answer(database, sql, maxRows);
  } catch (reason) {
    if (reason instanceof PalimpsestError) throw reason;
    const message = reason instanceof Error ? reason.message : String(reason);
    throw new PalimpsestError("INVALID_ARGUMENT", `sql: ${message}${helpFor(message, tables)}`);
  } finally {
    database.close();
  }
}

function fill(database: Database, name: string, columns: StateTable["columns"], rows: readonly Row[]): void {
  const names = Object.keys(columns);
  database.run(`CREATE TABLE ${name} (${names.map((column) => `${column} ${columns[column]}`).join(", ")})`);
  if (rows.length === 0) return;
  const insert = database.prepare(`INSERT INTO ${name} VALUES (${names.map(() => "?").join(", ")})`);
  database.run("BEGIN");
  for (const row of rows) insert.run(names.map((column) => row[column] ?? null));
  database.run("COMMIT");
  insert.free();
}

function answer(database: Database, sql: string, maxRows: number): SqlAnswer {
  const [statement, ...others] = [...statementsOf(database, sql)];
  if (statement === undefined || others.length > 0)
    throw new PalimpsestError("INVALID_ARGUMENT", "sql: give one statement, such as: select * from nodes");
  const asked = database.prepare(statement);
  const rows: (readonly Cell[])[] = [];
  let hasMore = false;
  while (asked.step()) {
    if (rows.length === maxRows) {
      hasMore = true;
      break;
    }
    rows.push(
      asked.get().map((cell) => (cell instanceof Uint8Array ? Buffer.from(cell).toString("hex") : cell)),
    );
  }
  const columns = asked.getColumnNames();
  asked.free();
  return { columns, rows, hasMore };
}

function* statementsOf(database: Database, sql: string): Generator<string> {
  for (const statement of database.iterateStatements(sql)) {
    const text = statement.getSQL().trim();
    if (text !== "" && text !== ";") yield text;
  }
}

function helpFor(message: string, tables: Tables): string {
  const lines = (names: readonly string[]) =>
    names.map((name) => `\n  ${name}: ${Object.keys(tables[name]?.columns ?? {}).join(", ")}`).join("");
  if (/no such table/.test(message)) return `; the tables are${lines(Object.keys(tables))}`;
  if (/no such column/.test(message))
    return `; the tables and their columns are${lines(Object.keys(tables))}`;
  if (/readonly|read-only/.test(message)) return "; only queries (select) are allowed";
  return "";
}
