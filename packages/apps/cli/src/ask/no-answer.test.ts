/**
 * Servers that answer without an answer, in the ways of real providers and in generated ones: whatever their order, no
 * memory is erased and none is a success. What a model with nothing to say costs is one update, or the answer.
 */
import { once } from "node:events";
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import {
  AgentError,
  type AgentSettings,
  agentSettingsSchema,
  createAgent,
  type EpisodeResult,
} from "@palimpsest/agents";
import { EngineError, openEndpoint } from "@palimpsest/engines";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

type Choice = Readonly<Record<string, unknown>>;
const message = (content: unknown, finish: unknown, more: object = {}): Choice => ({
  message: { role: "assistant", content, ...more },
  finish_reason: finish,
});

/** How a reply is sent. What is cut says nothing, however it begins. */
const sendings = ["json", "events", "pieces", "unended events", "cut json", "cut events", "status"] as const;
interface Shape {
  readonly sending: (typeof sendings)[number];
  /** Sent where the sending is "status". */
  readonly status: number;
  readonly choice: Choice | null;
  /** What an agent may make of it. */
  readonly is: "error" | "empty" | "either";
}
const shape = (is: Shape["is"], choice: Shape["choice"]): Shape => ({
  sending: "events",
  status: 200,
  choice,
  is,
});
const everyOne = (is: Shape["is"], choices: Readonly<Record<string, Choice | null>>) =>
  Object.fromEntries(Object.entries(choices).map(([name, choice]) => [name, shape(is, choice)]));

/** Replies in which the model did not say what it was asked for; each must be an error with a reason. */
const failures: Readonly<Record<string, Shape>> = everyOne("error", {
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
  "no choice": null,
  "error in a 200": { error: { message: "no such tier", code: "invalid_tier" } },
});
/** Replies of a model that had nothing to say. */
const empties: Readonly<Record<string, Shape>> = everyOne("empty", {
  empty: message("", "stop"),
  null: message(null, "stop"),
  blank: message(" \n\n", "stop"),
  absent: { message: { role: "assistant" }, finish_reason: "stop" },
  "no parts": message([], "stop"),
});

const thoughts = {
  reasoning: "hm",
  reasoning_content: "hm",
  thinking: "hm",
  reasoning_details: [{ text: "hm" }],
};
const refusals = {
  refusal: "No.",
  tool_calls: [{ id: "1", function: { name: "f" } }],
  function_call: { name: "f" },
};
const harmless = { audio: null, annotations: [], refusal: null, tool_calls: [], name: "" };
const some = (fields: object) =>
  fc.subarray(Object.entries(fields)).map((entries): object => Object.fromEntries(entries));
const blankTexts = [
  "",
  " ",
  "\n\n",
  "\t",
  "\u00a0",
  "\u3000",
  "\u200b",
  "\ufeff",
  "\u2028",
  "</s>",
  "<|im_end|>",
  "<|eot_id|>\n",
];
const thinkingTexts = [
  "<think>",
  "<think>hm",
  "<think>hm</think>",
  "<think>\n\n</think>\n\n",
  "<|channel|>analysis<|message|>hm<|end|>",
];
const silentParts = [
  ...blankTexts.map((text) => ({ type: "text", text })),
  { type: "thinking", thinking: [{ type: "text", text: "hm" }] },
  { type: "reasoning", text: "hm" },
  { type: "refusal", refusal: "No." },
  { type: "tool_use", name: "f", input: {} },
  { type: "image_url", image_url: { url: "data:," } },
];
const silence = fc.oneof(
  fc.constantFrom<unknown>(undefined, null, ...blankTexts, ...thinkingTexts),
  fc.array(fc.constantFrom<unknown>(...silentParts), { maxLength: 3 }),
  fc
    .array(fc.constantFrom(" ", "\n", "\u200b", "\u00ad", "\u2060", "\u202f", "\r"), { maxLength: 6 })
    .map((all) => all.join("")),
);
const badEndings = [
  "content_filter",
  "SAFETY",
  "RECITATION",
  "sensitive",
  "guardrail_intervened",
  "refusal",
  "tool_calls",
  "function_call",
  "MALFORMED_FUNCTION_CALL",
  "error",
  "abort",
  "cancelled",
  "timeout",
  "insufficient_system_resource",
  "pause_turn",
  "OTHER",
  "unknown",
];
const endings = fc.constantFrom<unknown>(
  "stop",
  "length",
  "eos",
  "end_turn",
  "null",
  "",
  undefined,
  null,
  { type: "stop" },
  { type: "abort" },
  ...badEndings,
);
const verdicts = {
  content_filter_results: { hate: { filtered: true } },
  native_finish_reason: "SAFETY",
  error: { code: 403, message: "moderated" },
};
const statuses = fc.constantFrom(400, 401, 403, 404, 408, 413, 429, 451, 500, 502, 503, 504);
const sent = fc.record({ sending: fc.constantFrom(...sendings), status: statuses });

/** A reply that says nothing, in every combination of content, reason and further fields. */
const silent: fc.Arbitrary<Shape> = fc
  .tuple(sent, silence, endings, some({ ...harmless, ...thoughts, ...refusals }), some(verdicts))
  .map(([how, content, finish, more, beside]) => ({
    ...how,
    choice: { ...message(content, finish, more), ...beside },
    is: "either" as const,
  }));
/** A reply that has begun to say something when it is filtered, refused, cut or replaced by a call. */
const halved: fc.Arbitrary<Shape> = fc
  .tuple(sent, fc.constantFrom(...badEndings), some({ ...harmless, ...thoughts }))
  .map(([how, finish, more]) => ({ ...how, choice: message("HALF", finish, more), is: "error" as const }));
const broken: fc.Arbitrary<Shape> = fc
  .record({
    sending: fc.constantFrom(
      "status" as const,
      "cut json" as const,
      "cut events" as const,
      "unended events" as const,
    ),
    status: statuses,
  })
  .map((how) => ({ ...how, choice: message("HALF", undefined), is: "error" as const }));

let server: Server;
let url: string;
/** What the model says to the n-th section or turn, and to the final question (the last). */
let behaviors: readonly (Shape | "good")[] = [];

beforeAll(async () => {
  server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      if (request.url === "/v1/models") return json(response, { data: [{ id: "m" }] });
      return send(response, replyTo(JSON.parse(Buffer.concat(chunks).toString()).messages));
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

const json = (response: ServerResponse, value: unknown, status = 200) =>
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));

function send(response: ServerResponse, { sending, status, choice }: Shape): void {
  // An error beside no choice is one of the whole reply.
  const reply =
    choice !== null && !("message" in choice) ? choice : { choices: choice === null ? null : [choice] };
  if (sending === "status") json(response, { error: { message: "no" } }, status);
  else if (sending === "json") json(response, reply);
  else if (sending === "cut json") {
    const text = JSON.stringify(reply);
    response.writeHead(200, { "content-type": "application/json", "content-length": text.length + 9 });
    response.write(text.slice(0, -3), () => response.destroy());
  } else {
    const events = (sending === "pieces" ? piecesOf(choice) : [choice]).map((one) => {
      if (one === null || !("message" in one)) return reply;
      const { message: delta, ...rest } = one;
      return { choices: [{ delta, ...rest }] };
    });
    const done = sending === "events" || sending === "pieces" ? ["[DONE]"] : [];
    const text = [...events.map((event) => JSON.stringify(event)), ...done]
      .map((data) => `data: ${data}\n\n`)
      .join("");
    response.writeHead(200, { "content-type": "text/event-stream" });
    if (sending === "cut events") response.write(text, () => response.destroy());
    else response.end(text);
  }
}

/** Splits a reply into its characters or parts, and what is beside them, which comes last. */
function piecesOf(choice: Shape["choice"]): Shape["choice"][] {
  const { content } = (choice?.["message"] ?? {}) as { content?: unknown };
  const pieces =
    typeof content === "string" ? [...content] : Array.isArray(content) ? content.map((one) => [one]) : [];
  const last = { ...choice, message: { ...(choice?.["message"] as object), content: null } };
  return choice === null || pieces.length === 0
    ? [choice]
    : [...pieces.map((piece) => message(piece, null)), last];
}

function replyTo(messages: readonly { role: string; content: string }[]): Shape {
  const prompt = messages.map(({ content }) => content).join("\n");
  const inside = (tag: string) => new RegExp(`<${tag}>\n([\\s\\S]*?)\n</${tag}>`).exec(prompt)?.[1] ?? "";
  const section = /FACT(\d)/.exec(inside("section"))?.[1];
  const turn = prompt.includes("manage_memory")
    ? messages.filter(({ role }) => role === "assistant").length
    : Number(section ?? behaviors.length - 1);
  const behavior = behaviors[turn] ?? "good";
  const says = (text: string) => shape("either", message(text, "stop"));
  if (behavior !== "good") return behavior;
  if (prompt.includes("manage_memory")) {
    const call = { name: "manage_memory", arguments: { operation: "create", content: `FACT${turn}` } };
    return says(`<tool_call>\n${JSON.stringify(call)}\n</tool_call>`);
  }
  if (section === undefined) return says("\\boxed{yes}");
  const memory = `${inside("memory")} FACT${section}`;
  return says(prompt.includes("<update>") ? `<update>${memory}</update>` : memory);
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
  said: readonly (Shape | "good")[],
): Promise<EpisodeResult | EngineError | AgentError> {
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
    if (reason instanceof EngineError || reason instanceof AgentError) return reason;
    throw reason;
  } finally {
    await model.close();
  }
}

/** Most replies are good, because an error ends an episode and hides what comes after it. */
const kinds = fc.oneof(
  { weight: 9, arbitrary: fc.constant("good" as const) },
  { weight: 1, arbitrary: fc.constantFrom(...Object.values(empties), ...Object.values(failures)) },
  { weight: 2, arbitrary: silent },
  { weight: 1, arbitrary: halved },
  { weight: 1, arbitrary: broken },
);

describe("replies without content", { timeout: 120_000 }, () => {
  for (const [name, settings] of Object.entries(agents)) {
    it(`${name}: never erase a memory and are never a success, in any order`, async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(kinds, { minLength: 2, maxLength: 5 }), async (said) => {
          const result = await episode(settings, said);
          const outcomes = said.map((behavior) => (behavior === "good" ? behavior : behavior.is));
          if (said.at(-1) !== "good") expect(result).toBeInstanceOf(Error);
          if (result instanceof AgentError) {
            expect(result.code).toBe("NO_ANSWER");
            expect(outcomes.at(-1)).toMatch(/empty|either/);
            const { memory, storeDiff } = result.details["result"] as EpisodeResult;
            const lastGood = outcomes.slice(0, -1).lastIndexOf("good");
            if (settings.kind !== "memupdate" && lastGood >= 0) expect(memory).toContain(`FACT${lastGood}`);
            expect(storeDiff?.deleted ?? []).toEqual([]);
            return;
          }
          if (result instanceof EngineError) {
            expect(outcomes, String(result)).toContainEqual(expect.stringMatching(/error|either/));
            expect(result.message).toMatch(
              /^\[(NO_ANSWER|SERVER_FAILED|BAD_REPLY|REFUSED|UNREACHABLE|OVERLOADED|TIMEOUT)\] (http|\/v1)/,
            );
            return;
          }
          const kept = result.storeDiff?.created.map(({ content }) => content).join(" ") ?? result.memory;
          expect(`${kept} ${result.answer}`).not.toMatch(/HALF|THIRD/);
          expect(result.answer.trim()).toBe("\\boxed{yes}");
          // A turn without a call ends the conversation of an agent with tools.
          const ended = settings.kind === "memupdate" ? outcomes.findIndex((is) => is !== "good") : -1;
          for (const [i, is] of outcomes.slice(0, -1).entries()) {
            if (ended >= 0 && i >= ended) break;
            expect(is, JSON.stringify(said[i])).not.toBe("error");
            if (is === "good") expect(kept).toContain(`FACT${i}`);
          }
          if (settings.kind === "memupdate") expect(result.storeDiff?.deleted).toEqual([]);
        }),
        { numRuns: 80 },
      );
    });
  }

  it("each is an error that says what happened, to the last question too", async () => {
    for (const failure of Object.values(failures)) {
      const settings = agents["memagent"] as AgentSettings;
      for (const said of [["good", failure, "good"] as const, ["good", failure] as const])
        expect(await episode(settings, said), JSON.stringify(failure)).toBeInstanceOf(EngineError);
    }
  });
});
