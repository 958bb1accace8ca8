import { expect, test } from "vitest";
import { askSql, incompleteTables, tablesNamedIn } from "./state-database.js";
import type { Row } from "./tables.js";

const tasks: Row[] = [
  { task_id: "a", name: "echo", state: "finished", ran_ms: 2 },
  { task_id: "b", name: "echo", state: "failed", ran_ms: 4 },
  { task_id: "c", name: "sum", state: "finished", ran_ms: null },
];

test("a question is answered over the tables", async () => {
  const sql = "select name, count(*) as n, avg(ran_ms) as mean from tasks group by name order by name";
  expect(await askSql(sql, { tasks }, 10)).toEqual({
    columns: ["name", "n", "mean"],
    rows: [
      ["echo", 2, 3],
      ["sum", 1, null],
    ],
    hasMore: false,
  });
});

test("an answer has at most so many rows, also where there is no end of them (STATESQL-2)", async () => {
  expect(await askSql("select task_id from tasks", { tasks }, 2)).toMatchObject({
    rows: [["a"], ["b"]],
    hasMore: true,
  });
  const endless = "with recursive n(x) as (select 1 union all select x + 1 from n) select x from n";
  expect((await askSql(endless, {}, 5)).rows).toHaveLength(5);
});

test("a typo is answered with what there is", async () => {
  await expect(askSql("select * from taks", {}, 5)).rejects.toMatchObject({
    code: "INVALID_ARGUMENT",
    message: expect.stringMatching(
      /no such table: taks; the tables are\n {2}nodes: node_id, hostname.*\n {2}events: at_ms/s,
    ),
  });
  await expect(askSql("select stat from tasks", { tasks }, 5)).rejects.toThrow(
    /no such column: stat; the tables and their columns are.*tasks: task_id, kind/s,
  );
  await expect(askSql("selct 1", {}, 5)).rejects.toThrow(/syntax error/);
});

test("nothing is written, and one thing is asked (STATESQL-1)", async () => {
  for (const sql of ["delete from tasks", "drop table tasks", "create table x (y)"])
    await expect(askSql(sql, { tasks }, 5)).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
  await expect(askSql("select 1; select 2", {}, 5)).rejects.toThrow("give one statement");
  await expect(askSql("", {}, 5)).rejects.toThrow("give one statement");
});

test("only tables that are named are read", () => {
  expect(tablesNamedIn("SELECT a.state FROM actors a JOIN nodes USING (node_id)")).toEqual([
    "nodes",
    "actors",
  ]);
  expect(tablesNamedIn("select 1")).toEqual([]);
});

test("a table of which there may be more rows than were read is named (STATESQL-2)", () => {
  const rows = (count: number) => Array.from({ length: count }, () => ({ object_id: "a" }));
  expect(incompleteTables({ objects: rows(9_999), tasks })).toEqual([]);
  expect(incompleteTables({ objects: rows(10_000), tasks })).toEqual([
    expect.stringMatching(/^objects: only 10000 rows/),
  ]);
});
