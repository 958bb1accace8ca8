import { memAgent, memAgentConfig } from "@palimpsest/agents";
import { oracleReply, scriptedSampler, wordTokenizer } from "@palimpsest/agents/testing";
import type { Trace } from "./trace-schema.js";
import { traceVersion } from "./trace-schema.js";

/** Returns an episode of an agent that reads correctly, with its task and tokenizer. */
export async function anEpisode() {
  const tokenizer = wordTokenizer();
  const agent = memAgent({
    sampler: scriptedSampler({ tokenizer, reply: oracleReply }),
    tokenizer,
    config: memAgentConfig("tiny"),
  });
  const document = `${" sam likes milk.".repeat(6)} tom likes figs.${" mia likes tea.".repeat(6)}`;
  const task = {
    id: "needle/1",
    question: "what does tom like?",
    answers: ["figs"],
    document,
    metadata: { lengthTokens: 52 },
  };
  const result = await agent.run(task);
  return { task, tokenizer, episode: { ...result, memorySteps: result.steps } };
}

/** Builds a trace from the given fields. */
export function aTrace(fields: Partial<Trace> = {}): Trace {
  return {
    version: traceVersion,
    origin: "ask",
    trajectoryId: "t",
    agent: "memagent",
    task: { id: "task", question: "who?", answers: [] },
    answer: "nobody",
    droppedDocumentTokens: 0,
    conversations: [],
    memorySteps: [],
    policyVersionMin: 0,
    policyVersionMax: 0,
    weightsHash: "",
    startedAtMs: 1000,
    endedAtMs: 3000,
    ...fields,
  };
}

export const aStep = (step: number, memory: string, more: object = {}) => ({
  step,
  documentTokenStart: step * 10,
  documentTokenEnd: (step + 1) * 10,
  memory,
  recalled: "",
  ...more,
});

export const aTurn = (step: number, more: Partial<Trace["conversations"][number]> = {}) => ({
  kind: "memory" as const,
  step,
  promptTokens: 20,
  sampledTokens: 5,
  stopReason: "stop" as const,
  policyVersion: 0,
  ...more,
});
