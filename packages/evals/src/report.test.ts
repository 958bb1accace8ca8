import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { memAgent, memAgentConfig } from "@palimpsest/agents";
import { oracleReply, scriptedSampler, wordTokenizer } from "@palimpsest/agents/testing";
import { rulerTasks } from "@palimpsest/datasets";
import { boxedExactMatch, rewardConfigSchema, trajectoryReward } from "@palimpsest/rewards";
import type { Task } from "@palimpsest/trajectories";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Evaluation, evaluateByLength } from "./evaluate.js";
import { type ReportData, reportFiles, reportMarkdown, summarize, writeReport } from "./report.js";
import { traceEpisode, traceMarkdown } from "./trace.js";

const tasksByLength = [32, 64, 128].map((lengthTokens) => ({
  lengthTokens,
  tasks: rulerTasks({ count: 20, lengthTokens, seed: lengthTokens }),
}));
const tokenizer = wordTokenizer();
const boxed = rewardConfigSchema.parse({ name: "boxed-exact-match" });
const agentThat = (reply: (prompt: string) => string) =>
  memAgent({ sampler: scriptedSampler({ tokenizer, reply }), tokenizer, config: memAgentConfig("tiny") });

let data: ReportData & { before: Evaluation };
beforeAll(async () => {
  const evaluate = (reply: (prompt: string) => string) =>
    evaluateByLength({ agent: agentThat(reply), tasksByLength, reward: trajectoryReward(boxed) });
  const task = tasksByLength[0]?.tasks[0] as Task;
  const episode = await agentThat(oracleReply).run(task);
  data = {
    title: "A test run",
    facts: { parameters: 91_000 },
    before: await evaluate((prompt) => (prompt.includes("anna") ? oracleReply(prompt) : "")),
    after: await evaluate(oracleReply),
    trainingLengthTokens: 64,
    rewardCurve: Array.from({ length: 60 }, (_, step) => ({ step, reward: step / 60 })),
    example: traceEpisode(task, episode, boxedExactMatch(episode.answer, task.answers), tokenizer),
  };
});

describe("reportMarkdown", () => {
  it("shows before, after and their difference for every length", () => {
    const table = reportMarkdown(data)
      .split("\n")
      .filter((line) => line.startsWith("|"));
    expect(table[0]).toBe(
      "| document tokens | tasks | before | after | difference | p | of training length | failed |",
    );
    expect(table[3]).toMatch(
      /^\| 64 \(trained\) \| 20 \| .* \| 100\.0 % \[83\.9, 100\.0\] \| \+.* \| 100\.0 % \| 0 \|$/,
    );
    const columns = table.slice(0, 5).map((line) => line.split("|").length);
    expect(new Set(columns).size).toBe(1);
  });

  it("leaves the comparison out where there was no evaluation before", () => {
    const { before: _, ...alone } = data;
    expect(reportMarkdown(alone)).toContain(
      "| document tokens | tasks | exact match | of training length | failed |",
    );
    expect(summarize(alone).exactMatchBefore).toBeNull();
  });
});

describe("summarize", () => {
  it("names the values at the training length", () => {
    const summary = summarize(data);
    expect(summary.exactMatchBefore).toBe(data.before.lengths[1]?.exactMatch);
    expect(summary.exactMatchAfter).toBe(1);
    expect(summary.exactMatchByLength.map((length) => length.shareOfTrainingLength)).toEqual([1, 1, 1]);
    expect(summary.exactMatchByLength[0]).not.toHaveProperty("outcomes");
  });
});

describe("writeReport", () => {
  let folder = "";
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "report-"));
  });
  afterAll(() => rm(folder, { recursive: true }));

  it("writes every file that the report names, whole", async () => {
    const paths = await writeReport(join(folder, "deep", "report"), data);
    const names = await readdir(join(folder, "deep", "report"));
    expect(names.sort()).toEqual(Object.keys(reportFiles(data)).sort());
    expect(paths).toHaveLength(names.length);
    const markdown = await readFile(join(folder, "deep", "report", "report.md"), "utf8");
    const named = [...markdown.matchAll(/\]\(([^)]+)\)/g)].map((match) => match[1] as string);
    expect(named.length).toBeGreaterThanOrEqual(5);
    for (const name of named) expect(names).toContain(name);
    const json = JSON.parse(await readFile(join(folder, "deep", "report", "report.json"), "utf8"));
    expect(json).toEqual(JSON.parse(JSON.stringify(summarize(data))));
  });
});

describe("traceMarkdown", () => {
  it("shows every section, the memory after it, the answer and the right one", () => {
    const trace = data.example as NonNullable<ReportData["example"]>;
    expect(trace.steps.map((step) => step.section).join("")).toBe(tasksByLength[0]?.tasks[0]?.document);
    const markdown = traceMarkdown(trace);
    for (const step of trace.steps) {
      expect(markdown).toContain(step.section.trim());
      expect(markdown).toContain(step.memory.trim());
    }
    expect(markdown).toContain(`\\boxed{${trace.answers[0]}}`);
    expect(markdown).toContain("Reward 1.");
  });

  it("marks memories that did not change, cuts long sections, and is not broken by code fences", () => {
    const task = { ...(tasksByLength[0]?.tasks[0] as Task), document: `\`\`\` ${"word ".repeat(400)}` };
    const steps = [0, 1].map((step) => ({
      step,
      documentTokenStart: step * 200,
      documentTokenEnd: (step + 1) * 200,
      memory: " same",
      recalled: "",
    }));
    const trace = traceEpisode(task, { answer: "x", steps }, { reward: 0, components: {} }, tokenizer);
    expect(trace.steps.map((step) => step.changed)).toEqual([true, false]);
    const markdown = traceMarkdown(trace, { mostCharacters: 100 });
    expect(markdown).toContain("characters left out");
    expect(markdown).toContain("````");
    expect(markdown).toContain("(as before)");
  });
});
