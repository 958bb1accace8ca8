/** Story 14: a user's own agent and reward, two TypeScript files beside a recipe, are trained through every process. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { TestCluster } from "../support/test-cluster.js";
import { TrainingRun } from "../support/training-run.js";

/**
 * It takes seconds on an idle machine. A busy one starts six processes, each with TensorFlow, and the TypeScript
 * compiler.
 */

let cluster: TestCluster;
let folder: string;

beforeAll(async () => {
  cluster = await TestCluster.start();
  folder = join(cluster.dir, "diary");
  const made = await cluster.start(["new", "agent", "diary", "--folder", folder]).ended;
  expect(made.code, made.stderr).toBe(0);
});

afterAll(async () => {
  expect(await cluster?.stop()).toEqual([]);
});

const change = (file: string, from: string | RegExp, to: string) => {
  const path = join(folder, file);
  const text = readFileSync(path, "utf8");
  expect(text).toMatch(from);
  writeFileSync(path, text.replace(from, to));
};

test("what `palimpsest new agent` writes trains; INPROCESS-1: the same in one process; the run keeps the code and refuses another", async () => {
  change("recipe.yaml", /^train:.*$/m, "train: { steps: 2, groupsPerStep: 4 }");
  change("recipe.yaml", /tasks: 64\n {2}lengths: \[1, 2\]/, "tasks: 4\n  lengths: [1]");
  const runDir = join(cluster.dir, "run");
  const run = TrainingRun.start(cluster, join(folder, "recipe.yaml"), runDir);
  const end = await run.end();
  expect(end.code, end.stdout + end.stderr).toBe(0);
  expect(run.steps).toHaveLength(2);
  for (const { components, rewardMean } of run.steps) {
    expect(Object.keys(components).sort()).toEqual(["noted", "right"]);
    expect(rewardMean).toBeCloseTo((components["right"] ?? 0) + 0.25 * (components["noted"] ?? 0), 6);
  }
  const { modules } = JSON.parse(readFileSync(join(runDir, "run.json"), "utf8")) as {
    modules: { field: string; file: string; sha256: string }[];
  };
  expect(modules.map(({ field, file }) => [field, file])).toEqual([
    ["agent", "agent.ts"],
    ["reward", "reward.ts"],
  ]);
  for (const { sha256 } of modules) readFileSync(join(runDir, "modules", `${sha256}.mjs`));

  const report = join(cluster.dir, "in-process.json");
  const flags = ["--in-process", "--report", report];
  const alone = await cluster.start(["train", join(folder, "recipe.yaml"), ...flags]).ended;
  expect(alone.code, alone.stderr).toBe(0);
  const { steps } = JSON.parse(readFileSync(report, "utf8")) as { steps: { weightsHash: string }[] };
  expect(steps.map(({ weightsHash }) => weightsHash)).toEqual(run.steps.map((step) => step.weightsHash));

  // The agent is made from the code that was stored with the run.
  const document = join(cluster.dir, "document.txt");
  writeFileSync(document, "ben has cats. day and night.");
  const asked = await cluster.run(["ask", document, "--question", "ben has", "--model", runDir, "--json"]);
  expect(asked.code, asked.stderr).toBe(0);
  const { agent, counts } = JSON.parse(asked.stdout) as {
    readonly agent: { readonly kind: string; readonly module: string };
    readonly counts: { readonly conversations: number };
  };
  expect(agent).toMatchObject({ kind: "module", module: `modules/${modules[0]?.sha256}.mjs` });
  expect(counts.conversations).toBeGreaterThan(1);

  change("reward.ts", "? 1 : 0;", "? 2 : 0;");
  const refused = await TrainingRun.start(cluster, join(folder, "recipe.yaml"), runDir).end();
  expect(refused.code).not.toBe(0);
  expect(refused.stderr).toContain("reward.module: reward.ts has changed since the run");
});

test("the guide's agent with tools trains as it is printed", async () => {
  const guide = readFileSync(new URL("../../docs/guides/your-own-agent.md", import.meta.url), "utf8");
  const printed = guide
    .split("```")
    .find((block) => block.startsWith("ts\n") && block.includes("defineTool("));
  writeFileSync(join(folder, "clerk.ts"), printed?.slice("ts\n".length) ?? "");
  const recipe = join(folder, "clerk.yaml");
  writeFileSync(
    recipe,
    readFileSync(join(folder, "recipe.yaml"), "utf8")
      .replace(/^agent:.*$/m, "agent: { module: ./clerk.ts, settings: { callForm: lines } }")
      .replace(/^train:.*$/m, "train: { steps: 1, groupsPerStep: 2 }")
      .replace(/^evaluation:[\s\S]*$/m, ""),
  );
  const report = join(cluster.dir, "clerk.json");
  const end = await cluster.start(["train", recipe, "--in-process", "--report", report]).ended;
  expect(end.code, end.stderr).toBe(0);
  const { steps } = JSON.parse(readFileSync(report, "utf8")) as { steps: { weightsHash: string }[] };
  expect(steps).toHaveLength(1);
});

test("a broken one fails before anything starts, with file and line", async () => {
  change("agent.ts", "episode.note(reply.text)", "episode.note(reply.words)");
  const runDir = join(cluster.dir, "broken");
  const end = await TrainingRun.start(cluster, join(folder, "recipe.yaml"), runDir).end();
  expect(end.code).not.toBe(0);
  expect(end.stderr).toMatch(/agent\.ts:42:22: Property 'words' does not exist on type 'Reply'/);
  expect(await cluster.client.actors()).toEqual([]);
});
