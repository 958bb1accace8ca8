/**
 * Servers that answer without an answer, in the ways of real providers: whatever their order, no memory is erased, and
 * nothing but an empty reply of a model that had its say passes for an answer.
 */
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { type AgentSettings, agentSettingsSchema, createAgent, type EpisodeResult } from "@palimpsest/agents";
import { EngineError, openEndpoint } from "@palimpsest/engines";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

type Choice = Readonly<Record<string, unknown>>;
const message = (content: unknown, finish: unknown, more: object = {}): Choice => ({
  message: { role: "assistant", content, ...more },
  finish_reason: finish,
});

/** Replies in which the model did not say what it was asked for; each must be an error with a reason. */
const failures: Readonly<Record<string, Choice | "none" | "error">> = {
  filtered: message("", "content_filter"),
  "filtered half way": message("THIRD", "content_filter"),
  "Gemini's filter": message(null, "SAFETY"),
  "Z.ai's filter": message("", "sensitive"),
  "OpenRouter's upstream": { ...message("", "error"), error: { code: 502, message: "upstream died" } },
  "OpenRouter's refusal": { ...message("", "error"), error: { code: 403, message: "moderated" } },
  "an error without a word": message("", "error"),
  "DeepSeek out of resources": message("half", "insufficient_system_resource"),
  refusal: message(null, "stop", { refusal: "I cannot help with that." }),
  "refusal in parts": message([{ type: "refusal", refusal: "I cannot." }], "stop"),
  "tool call": message(null, "tool_calls", {
    tool_calls: [{ id: "1", function: { name: "f", arguments: "{}" } }],
  }),
  "thought only": message(null, "length", { reasoning_content: "hm" }),
  "thought only, by Ollama and OpenRouter": message("", "stop", { reasoning: "hm" }),
  "thought in parts": message([{ type: "thinking", thinking: [{ type: "text", text: "hm" }] }], "length"),
  "thought in the text": message("<think>hm", "length"),
  "thought, then nothing": message("<think>hm</think>\n", "stop"),
  "thought unseen": message(null, "length"),
  "no choice": "none",
  "error in a 200": "error",
};
/** Replies of a model that had nothing to say. */
const empties: Readonly<Record<string, Choice>> = {
  empty: message("", "stop"),
  null: message(null, "stop"),
  blank: message(" \n\n", "stop"),
  absent: { message: { role: "assistant" }, finish_reason: "stop" },
  "no parts": message([], "stop"),
};

let server: Server;
let url: string;
/** What the model says to the n-th section or turn, and to the final question (the last). */
let behaviors: readonly string[] = [];

beforeAll(async () => {
  server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const json = (value: unknown) =>
        response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(value));
      if (request.url === "/v1/models") return json({ data: [{ id: "m" }] });
      const { messages, stream } = JSON.parse(Buffer.concat(chunks).toString());
      const reply = replyTo(messages);
      if (reply === "error") return json({ error: { message: "no such tier", code: "invalid_tier" } });
      const choices = reply === "none" ? null : [reply];
      if (stream !== true) return json({ choices });
      const streamed = choices?.map(({ message: delta, ...rest }) => ({ delta, ...rest })) ?? null;
      response.writeHead(200, { "content-type": "text/event-stream" });
      return response.end(`data: ${JSON.stringify({ choices: streamed })}\n\ndata: [DONE]\n\n`);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await once(server, "close");
});

function replyTo(messages: readonly { role: string; content: string }[]): Choice | "none" | "error" {
  const prompt = messages.map(({ content }) => content).join("\n");
  const inside = (tag: string) => new RegExp(`<${tag}>\n([\\s\\S]*?)\n</${tag}>`).exec(prompt)?.[1] ?? "";
  const section = /FACT(\d)/.exec(inside("section"))?.[1];
  const turn = prompt.includes("manage_memory")
    ? messages.filter(({ role }) => role === "assistant").length
    : Number(section ?? behaviors.length - 1);
  const behavior = behaviors[turn] ?? "good";
  const bad = failures[behavior] ?? empties[behavior];
  if (bad !== undefined) return bad;
  if (prompt.includes("manage_memory")) {
    const call = { name: "manage_memory", arguments: { operation: "create", content: `FACT${turn}` } };
    return message(`<tool_call>\n${JSON.stringify(call)}\n</tool_call>`, "stop");
  }
  if (section === undefined) return message("\\boxed{yes}", "stop");
  const memory = `${inside("memory")} FACT${section}`;
  return message(prompt.includes("<update>") ? `<update>${memory}</update>` : memory, "stop");
}

const agents: Readonly<Record<string, AgentSettings>> = {
  memagent: agentSettingsSchema.parse({
    kind: "memagent",
    preset: "memagent",
    settings: { chunkTokens: 60 },
  }),
  rememr1: agentSettingsSchema.parse({ kind: "rememr1", preset: "rememr1", settings: { chunkTokens: 60 } }),
  "rememr1 as released": agentSettingsSchema.parse({
    kind: "rememr1",
    preset: "rememr1",
    settings: { chunkTokens: 60, memoryOf: "reply" },
  }),
  memupdate: agentSettingsSchema.parse({
    kind: "memupdate",
    preset: "memupdate",
    settings: { maxTurns: 4, answerTopK: 3 },
  }),
};

/** A token per character, so that a section of 60 tokens holds one fact. */
const characters = {
  encode: (text: string) => [...text].map((character) => character.codePointAt(0) ?? 0),
  decode: (tokenIds: readonly number[]) => String.fromCodePoint(...tokenIds),
};

/** Runs one episode over sections of one fact each. */
async function episode(
  settings: AgentSettings,
  said: readonly string[],
): Promise<EpisodeResult | EngineError> {
  behaviors = said;
  const model = await openEndpoint(
    { url, model: "m", maxAttempts: 2, malformedAttempts: 2 },
    { clock: { wait: async () => undefined, random: () => 0 }, tokenizer: characters },
  );
  const document = said
    .slice(0, -1)
    .map((_, i) => `FACT${i} `.padEnd(60, "x"))
    .join("");
  try {
    return await createAgent(settings, model).run({ question: "which?", document });
  } catch (reason) {
    if (reason instanceof EngineError) return reason;
    throw reason;
  } finally {
    await model.close();
  }
}

const kinds = fc.constantFrom("good", "good", ...Object.keys(empties), ...Object.keys(failures));

describe("replies without content", { timeout: 120_000 }, () => {
  for (const [name, settings] of Object.entries(agents)) {
    it(`${name}: never erase a memory, in any order`, async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(kinds, { minLength: 2, maxLength: 5 }), async (said) => {
          const result = await episode(settings, said);
          const failed = said.some((behavior) => behavior in failures);
          if (result instanceof EngineError) {
            expect(failed, String(result)).toBe(true);
            expect(result.message).toMatch(/^\[(NO_ANSWER|SERVER_FAILED|BAD_REPLY|REFUSED)\] (http|\/v1)?/);
            return;
          }
          const kept = result.storeDiff?.created.map(({ content }) => content).join(" ") ?? result.memory;
          // A turn without a call ends the conversation of an agent with tools.
          const ended =
            settings.kind === "memupdate" ? said.findIndex((behavior) => behavior in empties) : -1;
          const read = settings.kind === "memupdate" ? said : said.slice(0, -1);
          for (const [i, behavior] of read.entries()) {
            if (ended >= 0 && i >= ended) break;
            expect(behavior in failures, behavior).toBe(false);
            if (behavior === "good") expect(kept, said.join(", ")).toContain(`FACT${i}`);
          }
          if (settings.kind === "memupdate") expect(result.storeDiff?.deleted).toEqual([]);
        }),
        { numRuns: 40 },
      );
    });
  }

  it("each is an error that says what happened, to the last question too", async () => {
    for (const behavior of Object.keys(failures)) {
      const settings = agents["memagent"] as AgentSettings;
      for (const said of [
        ["good", behavior, "good"],
        ["good", behavior],
      ]) {
        const result = await episode(settings, said);
        expect(result, behavior).toBeInstanceOf(EngineError);
      }
    }
  });
});
