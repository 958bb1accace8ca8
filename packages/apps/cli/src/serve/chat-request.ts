import { type ChatMessage, type ChatTool, readExactJson } from "@palimpsest/model";
import { z } from "zod";
import { mostTopLogprobs, sharedFields } from "./request-fields.js";

const textPart = z.object({
  type: z.literal("text", { error: 'only parts of type "text" are supported: the model reads only text' }),
  text: z.string(),
});
const contentSchema = z
  .union([z.string(), z.array(textPart).min(1)], {
    error: 'must be a string or parts of type "text"; the model reads only text',
  })
  .nullish()
  .transform((content) =>
    Array.isArray(content) ? content.map(({ text }) => text).join("") : (content ?? null),
  );

const messageSchema = z
  .object({
    role: z.enum(["system", "developer", "user", "assistant", "tool"]),
    content: contentSchema,
    // Clients send back the messages of earlier answers, in which absent fields are null.
    name: z.string().nullish(),
    tool_calls: z.array(z.record(z.string(), z.unknown())).nullish(),
    tool_call_id: z.string().nullish(),
    reasoning_content: z.string().nullish(),
  })
  .transform(({ role, content, name, tool_calls, tool_call_id, reasoning_content }): ChatMessage => {
    return {
      // "developer" is OpenAI's newer name of the system role, and templates know only the older one.
      role: role === "developer" ? "system" : role,
      content,
      ...(typeof name === "string" ? { name } : {}),
      ...(tool_calls ? { tool_calls } : {}),
      ...(typeof tool_call_id === "string" ? { tool_call_id } : {}),
      ...(typeof reasoning_content === "string" ? { reasoning_content } : {}),
    };
  });

const toolSchema = z.object({
  type: z.literal("function"),
  function: z
    .object({
      name: z.string().min(1),
      description: z.string().nullish(),
      parameters: z.record(z.string(), z.unknown()).nullish(),
    })
    .loose(),
});

/** The body of POST /v1/chat/completions. */
export const chatRequestSchema = z.strictObject({
  ...sharedFields,
  messages: z.array(messageSchema).min(1),
  max_tokens: z.int().min(1).optional(),
  max_completion_tokens: z.int().min(1).optional(),
  logprobs: z.boolean().default(false),
  top_logprobs: z.int().min(0).max(mostTopLogprobs).optional(),
  tools: z.array(toolSchema).optional(),
  tool_choice: z
    .enum(["auto", "none"], {
      error: 'only "auto" and "none" are supported: this server cannot force the model to call a tool',
    })
    .default("auto"),
  /** False: only the first call of an answer is returned. */
  parallel_tool_calls: z.boolean().default(true),
  modalities: z
    .array(z.literal("text", { error: 'only "text" is supported: the model writes only text' }))
    .optional(),
  response_format: z
    .strictObject({
      type: z.literal("text", {
        error:
          'only "text" is supported: this server samples without a grammar, so that it cannot force the model to write JSON; ask for JSON in the messages, and check the answer',
      }),
    })
    .optional(),
  /** vLLM's field: variables of the chat template, such as enable_thinking. */
  chat_template_kwargs: z.record(z.string(), z.unknown()).optional(),
});

type ChatRequest = z.output<typeof chatRequestSchema>;

/** What a template gets of a request. */
export interface WrittenRequest {
  readonly messages: readonly ChatMessage[];
  readonly tools: readonly ChatTool[];
  readonly variables: Readonly<Record<string, unknown>> | undefined;
}

/**
 * Returns what a template gets of a request, with the calls, the tools and the variables as the client wrote them: with
 * the order of their keys and every digit of their numbers, which JavaScript's objects and numbers do not keep.
 */
export function asWritten(
  { messages, tools = [], chat_template_kwargs }: ChatRequest,
  text: string,
): WrittenRequest {
  const hasCalls = messages.some(({ tool_calls }) => tool_calls !== undefined);
  if (!hasCalls && tools.length === 0 && chat_template_kwargs === undefined) {
    return { messages, tools, variables: undefined };
  }
  const body = mapOf(readExactJson(text));
  const written = listOf(body.get("messages"));
  const kwargs = mapOf(body.get("chat_template_kwargs"));
  return {
    messages: messages.map((message, i) =>
      message.tool_calls === undefined
        ? message
        : { ...message, tool_calls: listOf(mapOf(written[i]).get("tool_calls")).map(withParsedArguments) },
    ),
    tools: listOf(body.get("tools")).map(mapOf),
    variables: chat_template_kwargs === undefined ? undefined : Object.fromEntries(kwargs),
  };
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const mapOf = (value: unknown): ReadonlyMap<string, unknown> => (value instanceof Map ? value : new Map());

/**
 * Parses the arguments of a call. OpenAI sends them as JSON text, but templates expect an object: a string would be
 * quoted twice.
 */
function withParsedArguments(call: unknown): ReadonlyMap<string, unknown> {
  const whole = mapOf(call);
  const called = mapOf(whole.get("function"));
  const given = called.get("arguments");
  if (typeof given !== "string") return whole;
  try {
    return new Map(whole).set("function", new Map(called).set("arguments", readExactJson(given)));
  } catch {
    return whole;
  }
}
