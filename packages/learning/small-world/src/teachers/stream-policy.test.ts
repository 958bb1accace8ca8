import { memUpdateConfig } from "@palimpsest/agents";
import { wordTokenizer } from "@palimpsest/agents/testing";
import { openStreamTasks } from "@palimpsest/datasets";
import { describe, expect, it } from "vitest";
import { streamDemonstrations } from "./stream-policy.js";

const forms = {
  tell: "{subject} likes {value}.",
  takeBack: "{subject} likes nothing.",
  chat: "{subject} draws {value}.",
  current: "?",
  past: "?",
  multi: "?",
};
const streams = openStreamTasks({
  ...{ count: 6, turns: 24, told: 3, unsaid: 1, seed: "taught", forms },
  subjects: ["ann", "ben", "cem", "dan"],
  values: ["cats", "nuts", "figs"],
});
const config = memUpdateConfig("tiny", {
  streamTurns: 1,
  shownRecords: 2,
  maxTurns: 1,
  tools: ["manage_memory", "delete_memory"],
  userPrompt: "{memories}\nnew: {question}\ndo:",
});
const taught = async (right: number) => {
  const tokenizer = wordTokenizer(["<|end|>"]);
  const tasks = await Promise.all(Array.from({ length: 6 }, (_, at) => streams.open(at)));
  const rows = await streamDemonstrations({ tokenizer, config, tasks, seed: 3, chances: { right } });
  return rows.map(({ tokenIds, lossMask, helpful }) => ({
    prompt: tokenizer.decode(tokenIds.filter((_, at) => lossMask[at] === 0)),
    call: tokenizer
      .decode(tokenIds.filter((_, at) => lossMask[at] === 1))
      .replace("<|end|>", "")
      .trim(),
    helpful,
  }));
};

describe("streamDemonstrations", () => {
  it("always right: writes facts in the place of former ones, deletes what is taken back, ignores talk", async () => {
    const rows = await taught(1);
    expect(rows).toHaveLength(6 * 24);
    for (const { prompt, call, helpful } of rows) {
      const [, turn = "", name = "", verb = "", value = ""] = /new: ((\S+) (\S+) (\S+)\.)/.exec(prompt) ?? [];
      const id = new RegExp(`(m\\d+) ${name} `).exec(prompt)?.[1];
      const wanted =
        verb === "draws" || (value === "nothing" && id === undefined)
          ? "done"
          : value === "nothing"
            ? `delete ${id}`
            : id === undefined
              ? `create ${turn}`
              : `update ${id} ${turn}`;
      expect([helpful, call], prompt).toEqual([true, wanted]);
    }
  });

  it("never right: makes every other call, and says so", async () => {
    const rows = await taught(0);
    expect(rows.some(({ helpful }) => helpful)).toBe(false);
    expect(new Set(rows.map(({ call }) => call.split(" ")[0]))).toEqual(
      new Set(["create", "update", "delete", "done"]),
    );
  });
});
