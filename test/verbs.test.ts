// Every command that needs no more than a machine and one cluster is run with --json and --no-input: what it prints is of the
// schema that `palimpsest schema` prints, and nothing else is on standard output.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { z } from "zod";
import { verbsOf } from "../packages/apps/cli/src/display/verbs.js";
import { makeProgram } from "../packages/apps/cli/src/program/whole-program.js";
import { Command } from "./support/command.js";
import { fileFolder } from "./support/temporary-folder.js";
import { TestCluster } from "./support/test-cluster.js";
import { until } from "./support/until.js";

const program = await makeProgram(undefined);
const folder = fileFolder();
const path = (...parts: string[]) => join(folder, ...parts);
let cluster: TestCluster;

beforeAll(async () => {
  cluster = await TestCluster.start({ headFlags: ["--json"], workerFlags: ["--json"] });
  vi.stubEnv("PALIMPSEST_DATA_DIR", cluster.dir);
  vi.stubEnv("HOME", folder);
  vi.stubEnv("XDG_DATA_HOME", path("share"));
  vi.stubEnv("PALIMPSEST_CACHE", path("cache"));
  vi.stubEnv("PALIMPSEST_SETUP", "off");
  writeFileSync(path("hello.mjs"), "console.log('hello');\n");
  writeFileSync(path("text.txt"), "the cat sat on the mat, the cat sat on the mat\n");
  writeFileSync(path("cases.json"), JSON.stringify([{ prediction: "\\boxed{a}", answers: ["a"] }]));
  mkdirSync(path("runs"));
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await cluster.stop();
});

/** Runs a command of the real program in this process. */
async function run(words: readonly string[]): Promise<string> {
  let printed = "";
  const streams = { stdout: process.stdout.write, stderr: process.stderr.write };
  process.stdout.write = (text: string | Uint8Array) => {
    printed += String(text);
    return true;
  };
  process.stderr.write = () => true;
  try {
    await program.parseAsync([...words], { from: "user" });
  } finally {
    process.stdout.write = streams.stdout;
    process.stderr.write = streams.stderr;
    process.exitCode = undefined;
  }
  return printed;
}

async function schemaOf(name: string) {
  return z.fromJSONSchema(JSON.parse(await run(["schema", ...name.split(" ")])));
}

/** Holds what a command has printed against its schema. Returns the value, or the first line's. */
async function check(name: string, printed: string): Promise<Record<string, unknown>> {
  const schema = await schemaOf(name);
  const isLines = verbsOf(program).find((verb) => verb.name === name)?.json?.isLines;
  const values: unknown[] = isLines
    ? printed
        .trim()
        .split("\n")
        .map((line): unknown => JSON.parse(line))
    : [JSON.parse(printed)];
  for (const value of values) schema.parse(value);
  return z.record(z.string(), z.unknown()).catch({}).parse(values[0]);
}

const ran = new Set<string>();

/** Runs a command with --json, and holds what it prints against its schema. */
async function runs(name: string, ...words: readonly string[]): Promise<Record<string, unknown>> {
  ran.add(name);
  return await check(name, await run([...name.split(" "), ...words, "--json", "--no-input"]));
}

/** Commands that other tests run, where each value that is printed is held against the schema, too. */
const elsewhere: Readonly<Record<string, string>> = {
  quickstart: "it trains for minutes: test/packages.test.ts",
  train: "it trains: train.test.ts with --dry-run, and the stories",
  "train sft": "it trains a model: train-sft.test.ts",
  "train replay": "it needs a run: test/stories",
  ask: "it needs a model: ask.test.ts",
  "data filter": "it asks a model: data-filter.test.ts",
  "data rate": "it asks a model: data-rate.test.ts",
  "model download": "it needs a hub: model.test.ts and test/stories/08-fetching-a-model.test.ts",
  "model generate": "it needs a model: test/stories/07-talking-to-a-model.test.ts",
  "model check": "it needs a reference: checks.test.ts",
  "loss check": "it needs golden values: checks.test.ts",
  "trace view": "it needs a trace: trace.test.ts",
  "eval ruler": "it asks a model: eval tests",
  "eval ruler-hqa": "it asks a model: eval tests",
  "eval longqa": "it asks a model: eval tests",
  "eval locomo": "it asks a model: eval tests",
  board: "it asks systems on worlds: board.test.ts",
  "dashboard export": "it needs a run: test/dashboard",
  setup: "it downloads",
  "setup gpu": "it downloads",
};

test("what needs no cluster", async () => {
  await runs("config show");
  await runs("version");
  await runs("eval stream", "--turns", "1,8", "--streams", "2");
  await runs("completion install", "bash");
  expect(readFileSync(path(".bashrc"), "utf8")).toContain("# palimpsest completion");
  await runs("completion uninstall", "bash");
  expect(readFileSync(path(".bashrc"), "utf8")).toBe("");
  await runs("doctor");
  await runs("certs init", "--dir", path("certs"));
  await runs("certs issue", "--dir", path("certs"), "--role", "driver", "--name", "alice");
  await runs("certs revoke", path("certs/alice"), "--dir", path("certs"));
  await runs("new agent", "mine", "--folder", path("mine"));
  await runs("new reward", "fair", "--folder", path("fair"));
  await runs("new project", "notes", "--folder", path("notes"));
  await runs("world list");
  const [world = ""] = Object.values(JSON.parse(await run(["world", "list", "--json"]))).map(
    (one) => z.object({ name: z.string() }).parse(one).name,
  );
  await runs("world show", world, "--sentences", "64");
  await runs("world check", world, "--sentences", "64", "--questions", "4");
  const file = path("tasks.jsonl");
  await runs("data prepare world", "--out", file, "--world", world, "--sentences", "64", "--count", "4");
  await runs("data prepare world", "--out", file, "--world", world, "--check");
  // The others share its output.
  for (const { name } of verbsOf(program)) if (name.startsWith("data prepare ")) ran.add(name);
  await runs("data check", file);
  await runs("data show", file);
  await runs("data stats", file);
  await runs("data overlap", file, "--evaluation", file);
  await runs("score", "--metric", "qa_metrics", "--cases", path("cases.json"));
  await runs("model list");
  const shape = ["--layers", "1", "--hidden-size", "16", "--heads", "2", "--vocab-size", "300"];
  await runs("model init", path("text.txt"), ...shape, "--out", path("tiny"));
  await runs("model info", path("tiny"), "--tensors");
  await runs("model convert", path("tiny"), "--out", path("converted"));
  await runs("model export", path("tiny"), "--out", path("exported"));
});

test("what needs a cluster", async () => {
  for (const [name, started] of [
    ["head start", cluster.head],
    ["worker join", cluster.workers[0]],
  ] as const) {
    ran.add(name);
    await check(name, started?.output.split("\n")[0] ?? "");
  }
  await runs("status");
  const job = z.object({ jobId: z.string() }).parse(await runs("job submit", path("hello.mjs")));
  await until("the job ends", async () => (await runs("job status", job.jobId))["status"] === "succeeded");
  await runs("job list");
  for (const kind of ["nodes", "actors", "jobs", "tasks", "placement-groups", "objects", "events", "queues"])
    await runs("list", kind);
  for (const kind of ["tasks", "actors", "objects"]) await runs("summary", kind);
  await runs("memory");
  await runs("memory", "--group-by", "node");
  await runs("job stop", job.jobId);
  await runs("job delete", job.jobId);
  await runs("timeline", "--output", path("trace.json"));
  const [node] = await cluster.client.nodes();
  const nodeId = node?.nodeId ?? "";
  await runs("stack", nodeId);
  await runs("profile", nodeId, "--seconds", "1");
  await runs("upgrade plan");
  await runs("upgrade run");
  await runs("dashboard open");
  await runs("token rotate", "--out", path("token"));
  for (const words of [
    ["stack", `${nodeId}x`],
    ["drain", `${nodeId}x`],
    ["logs", `${nodeId.slice(0, -1)}`],
  ])
    await expect(run(words)).rejects.toThrow(`did you mean ${nodeId}?`);
});

test("what runs until it is stopped", async () => {
  const start = (...words: string[]) =>
    Command.start([...words, "--json", "--no-input"], {
      cwd: folder,
      environment: { PALIMPSEST_DATA_DIR: path("state"), PALIMPSEST_SETUP: "off" },
    });
  for (const [name, ...words] of [
    ["dashboard serve", path("runs")],
    ["serve", path("tiny"), "--port", "0", "--backend", "wasm"],
    ["dev"],
  ] as const) {
    const command = start(...name.split(" "), ...words);
    try {
      await until(`${name} is ready`, () => command.output.includes('{"event":"ready"') || !command.running, {
        explain: () => command.output,
      });
    } finally {
      command.kill("SIGTERM");
    }
    const { code, stdout, stderr } = await command.ended;
    expect(code, stderr).toBe(0);
    ran.add(name);
    await check(name, stdout);
  }
});

test("what ends the cluster, and every command was run or is named", async () => {
  const [node] = await cluster.client.nodes();
  await runs("drain", node?.nodeId ?? "");
  await runs("stop");
  const left = verbsOf(program).filter(({ name, json }) => json && !ran.has(name) && !(name in elsewhere));
  expect(left.map(({ name }) => name)).toEqual([]);
  expect(Object.keys(elsewhere).filter((name) => ran.has(name))).toEqual([]);
});
