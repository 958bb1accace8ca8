import { memAgent, memAgentConfig } from "@palimpsest/agents";
import { oracleReply, scriptedSampler, wordTokenizer } from "@palimpsest/agents/testing";
import { expect, it } from "vitest";
import { agentSystem } from "../baselines/agent-system.js";
import type { EvalItem } from "../suite/item.js";
import { runSuite } from "../suite/runner.js";
import type { System } from "../suite/system.js";
import { traceOutcome } from "./trace-outcome.js";
import { type Trace, traceSchema } from "./trace-schema.js";

it("an evaluation's items become traces: an agent's with its steps, a baseline's with its answer, failures with why", async () => {
  const tokenizer = wordTokenizer();
  const agent = memAgent({
    sampler: scriptedSampler({ tokenizer, reply: oracleReply }),
    tokenizer,
    config: memAgentConfig("tiny"),
  });
  const item: EvalItem = {
    id: "1",
    group: "all",
    question: "what does tom like?",
    answers: ["figs"],
    document: ` tom likes figs.${" mia likes tea.".repeat(8)}`,
    metadata: {},
  };
  const episodes = new Map<
    string,
    Parameters<NonNullable<Parameters<typeof agentSystem>[0]["onEpisode"]>>[1]
  >();
  const counts = { conversations: 1, promptTokens: 1, sampledTokens: 1, truncated: 0 };
  const baseline: System = {
    name: "closed-book",
    settings: {},
    answer: async () => ({ text: "milk", counts }),
  };
  const failing: System = {
    name: "failing",
    settings: {},
    answer: async () => {
      throw new Error("no memory left");
    },
  };
  const traces: Trace[] = [];
  await runSuite({
    suite: "needle",
    items: [item],
    systems: [
      agentSystem({
        name: "memagent",
        agent,
        settings: {},
        model: {},
        onEpisode: ({ id }, result) => episodes.set(id, result),
      }),
      baseline,
      failing,
    ],
    scorer: {
      name: "holds",
      metrics: [{ name: "exactMatch", label: "EM", kind: "share" }],
      score: (_, { text }) => ({ exactMatch: text.includes("figs") ? 1 : 0 }),
    },
    onOutcome: (system, { id }, outcome) => {
      const episode = system === "memagent" ? episodes.get(id) : undefined;
      const base = { system, item, outcome, episode, tokenizer, model: "script", nowMs: 1e12 };
      traces.push(traceOutcome({ ...base, run: "needle", metric: "exactMatch" }));
    },
  });
  for (const trace of traces) expect(traceSchema.parse(trace)).toEqual(trace);
  const [first, second, third] = traces;
  expect(first).toMatchObject({
    origin: "eval",
    trajectoryId: "memagent/1",
    run: "needle",
    reward: { total: 1 },
    answer: expect.stringContaining("figs"),
  });
  expect(first?.memorySteps.map(({ section }) => section).join("")).toBe(item.document);
  expect(second).toMatchObject({
    agent: "closed-book",
    answer: "milk",
    reward: { total: 0 },
    memorySteps: [],
  });
  expect(third).toMatchObject({ agent: "failing", failure: expect.stringContaining("no memory left") });
});
