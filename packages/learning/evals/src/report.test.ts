import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { oracleReply, wordTokenizer } from "@palimpsest/agents/testing";
import { boxedExactMatch, rewardConfigSchema, trajectoryReward } from "@palimpsest/rewards";
import { rulerTasks } from "@palimpsest/small-world";
import type { Task } from "@palimpsest/trajectories";
import { beforeAll, describe, expect, it } from "vitest";
import { fileFolder } from "../../../../test/support/temporary-folder.js";
import { scriptedAgent as agentThat, evaluateAgent } from "./evaluate-lengths.fixture.js";
import type { Evaluation } from "./length-results.js";
import { type ReportData, reportFiles, reportMarkdown, summarize, writeReport } from "./report.js";
import { traceEpisode } from "./trace/trace-episode.js";

const tasksByLength = [32, 64, 128].map((lengthTokens) => ({
  lengthTokens,
  tasks: rulerTasks({ count: 20, lengthTokens, seed: lengthTokens }),
}));
const tokenizer = wordTokenizer();
const boxed = rewardConfigSchema.parse({ name: "boxed-exact-match" });

let data: ReportData & { before: Evaluation };
beforeAll(async () => {
  const evaluate = (reply: (prompt: string) => string) =>
    evaluateAgent(agentThat(reply), trajectoryReward(boxed), tasksByLength);
  const task = tasksByLength[0]?.tasks[0] as Task;
  const episode = await agentThat(oracleReply).run(task);
  data = {
    title: "A test run",
    facts: { parameters: 91_000 },
    before: await evaluate((prompt) => (prompt.includes("anna") ? oracleReply(prompt) : "")),
    after: await evaluate(oracleReply),
    trainingLengthTokens: 64,
    rewardCurve: Array.from({ length: 60 }, (_, step) => ({ step, reward: step / 60 })),
    example: traceEpisode(
      task,
      { ...episode, memorySteps: episode.steps },
      {
        origin: "eval",
        trajectoryId: task.id,
        agent: "memagent",
        tokenizer,
        score: boxedExactMatch(episode.answer, task.answers),
      },
    ),
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

describe("rewards that are no exact match", () => {
  const halved = (evaluation: Evaluation): Evaluation => ({
    ...evaluation,
    lengths: evaluation.lengths.map((length) => ({
      ...length,
      meanReward: length.meanReward / 2,
      outcomes: length.outcomes.map((outcome) => ({ ...outcome, reward: outcome.reward / 2 })),
    })),
  });

  it("are not called so where they tell none", () => {
    const without = (evaluation: Evaluation): Evaluation => ({
      ...evaluation,
      lengths: evaluation.lengths.map((length) => ({
        ...length,
        exactMatch: null,
        exactMatchInterval: null,
        outcomes: length.outcomes.map((outcome) => ({ ...outcome, correct: null })),
      })),
    });
    const own = { ...data, before: without(data.before), after: without(data.after) };
    const markdown = reportMarkdown(own);
    expect(markdown).not.toMatch(/exact.match/i);
    expect(markdown).toContain("## Reward by document length");
    expect(reportFiles(own)).not.toHaveProperty(["exact-match.svg"]);
    expect(summarize(own)).toMatchObject({ exactMatchBefore: null, exactMatchAfter: null });
  });

  it("have a table of their own, paired task by task", () => {
    const markdown = reportMarkdown({ ...data, before: halved(data.before), after: halved(data.after) });
    const [, table = ""] = markdown.split("## Reward by document length");
    const { meanReward } = halved(data.before).lengths[1] as Evaluation["lengths"][number];
    const difference = `\\+${(0.5 - meanReward).toFixed(3)} \\[0\\.\\d{3}, 0\\.\\d{3}\\]`;
    expect(table).toMatch(
      new RegExp(`\\| 64 \\| 20 \\| ${meanReward.toFixed(3)} \\| 0\\.500 \\| ${difference} \\| (< )?0\\.0`),
    );
    expect(reportMarkdown(data)).not.toContain("## Reward by document length");
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
  const folder = fileFolder();

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
