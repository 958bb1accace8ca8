// Every command that needs no more than a machine and one cluster is run with --json and --no-input: what it prints is of the
// schema that `palimpsest schema` prints, and nothing else is on standard output.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { builtinRecipesDir } from "@palimpsest/trainer";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { z } from "zod";
import { verbsOf } from "../packages/apps/cli/src/display/verbs.js";
import { makeProgram } from "../packages/apps/cli/src/program/whole-program.js";
import { giveChatTemplate } from "../scripts/docs-check/files.mjs";
import { Command } from "./support/command.js";
import { fileFolder } from "./support/temporary-folder.js";
import { TestCluster } from "./support/test-cluster.js";
import { until } from "./support/until.js";

const program = await makeProgram(undefined);
const folder = fileFolder();
const path = (...parts: string[]) => join(folder, ...parts);
const shared = process.env["PALIMPSEST_SHARED"] ?? join(import.meta.dirname, "../../shared");
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
  quickstart: "it trains for minutes: test/packages.test.ts; what --dry-run prints is held here",
  "model download": "it needs a hub: model.test.ts and test/stories/08-fetching-a-model.test.ts",
  setup: "it downloads",
  ...(existsSync(shared)
    ? {}
    : { "model check": "it needs a reference", "loss check": "it needs golden values" }),
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

test("what asks a model", async () => {
  const wasm = ["--backend", "wasm"];
  const model = ["--model", path("tiny"), ...wasm];
  const asked = (out: string) => [...model, "--systems", "truncated", "--limit", "1", "--out", path(out)];
  await runs("model generate", path("tiny"), "--prompt", "the cat", "--max-tokens", "4", ...wasm);
  await runs("ask", path("text.txt"), "-q", "who sat?", ...model, "--trace", path("trace.jsonl"));
  await runs("trace view", path("trace.jsonl"));
  const question = {
    _id: "a",
    question: "who sat?",
    answer: "cat",
    supporting_facts: [["t", 0]],
    context: [
      ["t", ["the cat sat."]],
      ["u", ["a dog ran."]],
    ],
  };
  writeFileSync(path("hotpot.json"), JSON.stringify([question]));
  await runs("eval longqa", "--input", path("hotpot.json"), ...asked("longqa"));
  await runs("eval ruler-hqa", "--input", path("hotpot.json"), "--lengths", "2", ...asked("hqa"));
  await runs("eval ruler", "--lengths", "512", "--count", "1", "--tasks", "niah_single_1", ...asked("ruler"));
  const conversation = {
    sample_id: "conv-1",
    conversation: {
      speaker_a: "Ann",
      speaker_b: "Ben",
      session_1_date_time: "1:56 pm on 8 May, 2023",
      session_1: [{ speaker: "Ben", dia_id: "D1:1", text: "Ben has moved to Oslo." }],
    },
    observation: { session_1_observation: { Ben: [["This is observed.", "D1:1"]] } },
    event_summary: { events_session_1: { Ann: [], Ben: ["This is an event."], date: "8 May, 2023" } },
    session_summary: {},
    qa: [{ question: "Who moved?", answer: "Ben", evidence: ["D1:1"], category: 4 }],
  };
  writeFileSync(path("locomo.json"), JSON.stringify([conversation]));
  await runs("eval locomo", "--input", path("locomo.json"), "--split", "all", ...asked("locomo"));
  const base = join(builtinRecipesDir, "bases/small-store");
  const board = {
    description: "A cell",
    worlds: ["carry"],
    sentences: [40],
    lowercase: true,
    difficulty: { cast: 4 },
    rows: { BM25: { system: "rag-bm25" } },
    reader: {
      documentPrompt: "{document} {question}",
      closedPrompt: "{question}",
      prompt: "text",
      stopTokens: ["<|end|>"],
      answerTokens: 4,
      passageTokens: 24,
      passages: 2,
      contextTokens: 128,
    },
    maxLength: 128,
  };
  // JSON is YAML, too.
  writeFileSync(path("board.yaml"), JSON.stringify(board));
  await runs(
    "board",
    path("board.yaml"),
    "--model",
    base,
    ...wasm,
    "--questions",
    "3",
    "--out",
    path("board"),
  );
  if (!existsSync(shared)) return;
  const reference = join(shared, "fixtures/hf-parity/qwen2");
  await runs("model check", "--reference", reference, "--model", reference, "--mode", "eager", ...wasm);
  await runs("loss check", "--golden", join(shared, "fixtures/losses/golden.json"));
});

test("what trains a model, and what reads its run", async () => {
  writeFileSync(path("shown.jsonl"), `${JSON.stringify({ prompt: "the", completion: " cat" })}\n`);
  const shown = ["--data", path("shown.jsonl"), "--epochs", "1"];
  await runs("train sft", "--model", path("tiny"), ...shown, "--out", path("taught"));
  const rows = ["ben", "ken"].map((name) => ({
    id: name,
    question: `what does ${name} like?`,
    answers: ["bats"],
    document: ` ${name} likes bats.`,
  }));
  writeFileSync(path("questions.jsonl"), rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
  const recipe = {
    name: "brief",
    model: { path: "builtin:quickstart" },
    agent: { preset: "tiny" },
    data: { source: "jsonl", path: "./questions.jsonl" },
    rollout: { maxTokens: 52, concurrency: 8 },
    learner: { preset: "memagent", groupSize: 4, buckets: [{ rows: 8, length: 49 }] },
    train: { steps: 1, groupsPerStep: 2 },
  };
  writeFileSync(path("brief.yaml"), JSON.stringify(recipe));
  await runs("data rate", path("brief.yaml"), "--samples", "1", "--backend", "wasm", "--out", path("rates"));
  giveChatTemplate(path("tiny"));
  const filter = ["--model", path("tiny"), "--backend", "wasm", "--max-tokens", "4"];
  await runs("data filter", path("questions.jsonl"), ...filter, "--out", path("kept.jsonl"));
  for (const words of [
    ["quickstart", "--dry-run"],
    ["train", path("brief.yaml"), "--dry-run"],
  ])
    await check(words[0] ?? "", await run([...words, "--json", "--no-input"]));
  const runDir = path("runs/brief");
  await runs("train", path("brief.yaml"), "--run-dir", runDir);
  await runs("train replay", "--run", runDir, "--step", "1");
  await runs("dashboard export", runDir, "--out", path("pages"));
  await runs("setup gpu", "--dry-run");
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
