import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { agentSettingsSchema, createAgent } from "@palimpsest/agents";
import { traceEpisode } from "@palimpsest/evals";
import { afterEach, describe, expect, it, vi } from "vitest";
import { openAgentModel } from "./agent-model.js";

interface Asked {
  readonly authorization: string | undefined;
  readonly messages: readonly { readonly role: string; readonly content: string }[];
}

let server: Server | undefined;
afterEach(() => {
  vi.unstubAllEnvs();
  server?.closeAllConnections();
  server?.close();
  server = undefined;
});

/** Says what it is told to, one reply a request. */
async function serverSaying(replies: readonly string[]): Promise<{ url: string; asked: Asked[] }> {
  const asked: Asked[] = [];
  server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      response.setHeader("content-type", "application/json");
      if (request.url === "/v1/models") {
        response.end(JSON.stringify({ data: [{ id: "m", max_model_len: 9000 }] }));
        return;
      }
      const content = replies[asked.length] ?? "DONE";
      const { messages } = JSON.parse(Buffer.concat(chunks).toString()) as Asked;
      asked.push({ authorization: request.headers.authorization, messages });
      response.end(JSON.stringify({ choices: [{ message: { content }, finish_reason: "stop" }] }));
    });
  });
  await new Promise<void>((resolve) => server?.listen(0, "127.0.0.1", resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

const call = (name: string, args: object) =>
  `<tool_call>\n${JSON.stringify({ name, arguments: args })}\n</tool_call>`;

describe("openAgentModel", () => {
  it("runs an agent with tools over a server of messages: calls, answers and the store's change are in its trace", async () => {
    vi.stubEnv("OPENAI_API_KEY", "secret");
    const { url, asked } = await serverSaying([
      call("search_memory", { query: "dog" }),
      `Now I know. ${call("delete_memory", { memory_id: "r1" })}`,
      "DONE",
    ]);
    const model = await openAgentModel({ endpoint: url });
    expect(model).toMatchObject({ name: `m at ${url}`, contextTokens: 9000, trainable: false });
    const agent = createAgent(agentSettingsSchema.parse({ kind: "memupdate", preset: "memupdate" }), model);
    const records = [
      { id: "r1", content: "Ben has a dog.", memoryType: "semantic", provenance: [], metadata: {} } as const,
    ];
    const task = { id: "t", question: "Which pet has Ben?", answers: [], document: "" };
    const result = await agent.run({ ...task, records }, { temperature: 0 });
    await model.close();
    expect(result.storeDiff?.deleted).toEqual(["r1"]);
    expect(asked.map(({ authorization }) => authorization)).toEqual(asked.map(() => "Bearer secret"));
    expect(asked[0]?.messages.map(({ role }) => role)).toEqual(["system", "user"]);
    expect(asked[0]?.messages[0]?.content).toContain('"search_memory"');
    const [said, heard] = asked[1]?.messages.slice(-2) ?? [];
    expect(said).toEqual({ role: "assistant", content: call("search_memory", { query: "dog" }) });
    expect(heard?.role).toBe("user");
    expect(heard?.content).toMatch(/^<tool_response>\n[\s\S]*Ben has a dog\.[\s\S]*<\/tool_response>$/);
    const trace = traceEpisode(
      task,
      { ...result, memorySteps: result.steps },
      { origin: "ask", trajectoryId: "t", agent: agent.name, tokenizer: model.tokenizer },
    );
    expect(trace.toolCalls?.map(({ name, result: answer }) => [name, answer])).toEqual([
      ["search_memory", expect.stringContaining("Ben has a dog.")],
      ["delete_memory", expect.stringContaining("r1")],
    ]);
    expect(trace.storeDiff?.deleted).toEqual(["r1"]);
  });

  it("names what cannot be opened", async () => {
    await expect(openAgentModel({ model: "./none" })).rejects.toThrow(/none/);
    await expect(openAgentModel({ endpoint: "localhost" })).rejects.toThrow(
      /--endpoint: must be the URL of a server.*; it is "localhost"/,
    );
  });
});
