import { memAgent, memAgentConfig, rememr1, rememr1Config, toTrajectory } from "@palimpsest/agents";
import { scriptedSampler, wordTokenizer } from "@palimpsest/agents/testing";
import { AdvantageConfig, rowsFromGroups } from "@palimpsest/learner";
import { expect, it } from "vitest";

it("rows of episodes with memory heads are prompt and reply as they were sampled, names and cut ends included", async () => {
  const tokenizer = wordTokenizer(["<|end|>", "<update>", "</update>", "<recall>", "</recall>"]);
  const memory = { heads: 3, select: "chosen" as const };
  for (const agentOf of [
    (parts: Pick<Parameters<typeof memAgent>[0], "sampler">) =>
      memAgent({ ...parts, tokenizer, config: memAgentConfig("tiny", { chunkTokens: 4, memory }) }),
    (parts: Pick<Parameters<typeof memAgent>[0], "sampler">) =>
      rememr1({ ...parts, tokenizer, config: rememr1Config("tiny", { chunkTokens: 4, memory }) }),
  ]) {
    const sampled: number[][] = [];
    const scripted = scriptedSampler({
      tokenizer,
      reply: (prompt) => (prompt.endsWith("answer:") ? " x" : "<update>[3] a b c d</update>"),
    });
    const agent = agentOf({
      sampler: {
        async generate(request, signal) {
          const result = await scripted.generate(request, signal);
          sampled.push([...request.promptTokenIds, ...result.tokenIds]);
          return result;
        },
      },
    });
    const result = await agent.run({ question: "what?", document: " a b c d e f g h i j k l" });
    const ids = { trajectoryId: "t", groupId: "g", taskId: "q", episodeIndex: 0, actorId: "a" };
    const scored = (episodeIndex: number, reward: number) => ({
      trajectory: {
        ...toTrajectory(agent.name, result, ids),
        trajectoryId: `t-${episodeIndex}`,
        episodeIndex,
      },
      score: { reward, components: {} },
    });
    const group = { groupId: "g", taskId: "q", groupSize: 2, members: [scored(0, 1), scored(1, 0)] };
    const { rows } = rowsFromGroups([group], { advantage: AdvantageConfig.parse({ kind: "grpo" }) });
    expect(rows.slice(0, 4).map(({ tokenIds }) => [...tokenIds])).toEqual(sampled);
    expect(sampled).toHaveLength(4);
  }
});
