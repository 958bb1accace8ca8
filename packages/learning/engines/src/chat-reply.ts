import { StopText } from "@palimpsest/memory/text";
import { parseInput } from "@palimpsest/std/input";
import { z } from "zod";
import { EngineError } from "./error.js";
import { changeIt, failureInReply, unwrapped } from "./reply.js";

/** A text that a server's model has written. */
export interface EndpointText {
  readonly text: string;
  readonly stopReason: "stop" | "length";
  /** Token counts as the server reports them; undefined when it does not. */
  readonly usage: { readonly promptTokens: number | undefined; readonly sampledTokens: number | undefined };
}

/** Fields that only inform are read where they are as expected; an odd one is no reason to refuse an answer. */
const text = z.string().nullish().catch(undefined);
const isHeld = (value: unknown) =>
  value !== undefined && value !== null && value !== "" && !(Array.isArray(value) && value.length === 0);
const held = z.unknown().transform(isHeld).optional();

/** Servers write counts as integers, as floats and as texts. */
const count = z.preprocess(
  (value) => (typeof value === "string" && value.trim() !== "" ? Number(value) : value),
  z.number().min(0).transform(Math.round).optional().catch(undefined),
);

const partSchema = z.union([
  z.string().transform((said) => ({ said, refusal: "", thought: false })),
  z
    .looseObject({
      type: text,
      text: z.union([z.string(), z.object({ value: z.string() }).transform(({ value }) => value)]).nullish(),
      refusal: text,
    })
    .refine((part) => ["type", "text", "refusal"].some((name) => name in part), {
      error: "has no text; it is an object of another protocol",
    })
    .transform(({ type, text: said, refusal }) => {
      const spoken = type === undefined || type === null || type === "text" || type === "output_text";
      return { said: spoken ? (said ?? "") : "", refusal: refusal ?? "", thought: !spoken && !refusal };
    }),
]);

/** Content is a text, or a list of parts, of which those that hold what the model thought are left out. */
const contentSchema = z
  .union([z.array(partSchema), partSchema.transform((part) => [part])])
  .nullish()
  .transform((parts) => ({
    said: (parts ?? []).map(({ said }) => said).join(""),
    refusal: (parts ?? []).map(({ refusal }) => refusal).join(""),
    thought: (parts ?? []).some(({ thought }) => thought),
  }));

const messageSchema = z
  .looseObject({
    content: contentSchema,
    refusal: text,
    tool_calls: held,
    function_call: held,
  })
  .nullish();
/** What the model thought is in reasoning_content, reasoning, reasoning_details, reasoning_text, thinking or thought. */
const thoughts = /reason|think|thought/;

/** SGLang's own form of a reason is { type: "stop" }. */
const finishSchema = z
  .union([z.string(), z.object({ type: z.string() }).transform(({ type }) => type)])
  .nullish()
  .catch(undefined);

/** Azure's verdicts by category: { hate: { filtered: true, severity: "high" } }. */
const filterSchema = z
  .record(z.string(), z.looseObject({ filtered: z.boolean().optional() }))
  .transform((verdicts) => Object.values(verdicts).some(({ filtered }) => filtered === true))
  .nullish()
  .catch(undefined);

const replySchema = z.object({
  choices: z
    .array(
      z.looseObject({
        index: z.int().nullish().catch(undefined),
        delta: messageSchema,
        message: messageSchema,
        text: z.string().nullish(),
        finish_reason: finishSchema,
        native_finish_reason: finishSchema,
        content_filter_results: filterSchema,
        error: z.unknown().optional(),
      }),
    )
    .nullish()
    .transform((choices) => choices ?? []),
  usage: z
    .object({ prompt_tokens: count, completion_tokens: count })
    .nullish()
    .catch(undefined)
    .transform((usage) => usage ?? {}),
});

/** Replies of other protocols, by a field that each of them has, with the base URL below which this one is spoken. */
const otherProtocols = [
  {
    schema: z.union([
      z.object({ type: z.literal("message"), content: z.array(z.unknown()) }),
      z.object({ type: z.enum(["message_start", "content_block_start", "content_block_delta"]) }),
    ]),
    name: "Anthropic's Messages API",
    base: "https://api.anthropic.com/v1",
  },
  {
    schema: z.union([
      z.object({ message: z.object({ content: z.string() }), done: z.boolean() }),
      z.object({ response: z.string(), done: z.boolean() }),
    ]),
    name: "Ollama's own API",
    base: "http://127.0.0.1:11434/v1",
  },
  {
    schema: z.union([
      z.object({ object: z.literal("response") }),
      z.object({ output: z.array(z.object({ type: z.string() })) }),
      z.object({ type: z.string().startsWith("response.") }),
    ]),
    name: "OpenAI's Responses API",
    base: "https://api.openai.com/v1",
  },
  {
    schema: z.object({ candidates: z.array(z.unknown()) }),
    name: "Gemini's own API",
    base: "https://generativelanguage.googleapis.com/v1beta/openai",
  },
];

/** The reasons why a model stops, in the words of the servers that have words of their own. */
const lengthReasons =
  /^(length|max_tokens|max_output_tokens|model_length|token_limit|model_context_window_exceeded|incomplete)$/;
const withheldReasons =
  /content_?filter|sensitive|safety|recitation|blocklist|prohibited|spii|guardrail|toxic|moderat|refus/;
const failedReasons = /error|insufficient_system_resource|^abort|^cancel|^fail|time_?out|overload/;
const toolReasons = /^(tool_calls?|tool_use|function_call|malformed_function_call)$/;
/** Whatever else a server gives as its reason, such as pause_turn or OTHER, its answer is not whole. */
const endReasons =
  /^(|stop|stop_?sequence|stop_?token|end|end_?turn|eos|eos_?token|completed?|done|finish(ed)?|success)$/;

/** What says something: a letter, digit or sign, without the marks of chat formats that servers leave in a text. */
const saysSomething = (text: string) => /[\p{L}\p{N}\p{S}\p{P}]/u.test(text.replace(formatMarks, ""));
const formatMarks = /<\|[^|<>]{1,40}\|>|<\/?s>|<(end_of_turn|eos|pad)>/g;

/**
 * Assembles an answer from its events, or from its single value, and ends it at a stop text itself. A filtered,
 * refused, failed or thought-away reply is an error and never a text.
 */
export class ChatReply {
  readonly #address: string;
  readonly #stop: StopText;
  readonly #write: (piece: string) => void;
  #text = "";
  #finish: string | undefined;
  #refusal = "";
  #thought = false;
  #calledTool = false;
  #hasChoice = false;
  #hasOtherChoice = false;
  /** The beginning of what was there instead of a choice, which may tell why. */
  #instead = "";
  /** The first half of a character whose second half may be in the next event. */
  #half = "";
  #inPieces = false;
  #filtered = false;
  #nativeFinish = "";
  #usage: EndpointText["usage"] = { promptTokens: undefined, sampledTokens: undefined };

  /** @param address the address that was asked, for errors */
  constructor(
    address: string,
    stops: readonly string[] = [],
    write: (piece: string) => void = () => undefined,
  ) {
    this.#address = address;
    this.#stop = new StopText(stops);
    this.#write = write;
  }

  /** Whether the server has said why the answer ends. */
  get finished(): boolean {
    return this.#finish !== undefined;
  }

  /** Whether a part of the answer has been passed to the caller. */
  get written(): boolean {
    return this.#text !== "";
  }

  /** @throws {EngineError} BAD_REPLY, and what an error in the value says */
  take(event: unknown): void {
    const value = unwrapped(event);
    const failure = failureInReply(this.#address, value);
    if (failure !== undefined) throw failure;
    const { choices, usage } = parseInput(replySchema, value, (problem) => {
      const fix = "check that this is the URL of an OpenAI-compatible server";
      return new EngineError("BAD_REPLY", `${this.#address}: ${problem}; ${fix}`);
    });
    if (choices.length === 0) {
      this.#checkProtocol(value);
      this.#instead = JSON.stringify(value).slice(0, 200);
    }
    if (usage.prompt_tokens !== undefined || usage.completion_tokens !== undefined)
      this.#usage = { promptTokens: usage.prompt_tokens, sampledTokens: usage.completion_tokens };
    const choice = choices.find(({ index }, place) => (index ?? place) === 0);
    if (choices.length > 0 && choice === undefined) this.#hasOtherChoice = true;
    if (choice === undefined) return;
    this.#hasChoice = true;
    const failed = failureInReply(this.#address, { error: choice.error });
    if (failed !== undefined) throw failed;
    // Some servers write that there is no reason yet as a text.
    if (!/^(none|null)?$/i.test(choice.finish_reason ?? "")) this.#finish = choice.finish_reason ?? undefined;
    this.#nativeFinish = choice.native_finish_reason ?? this.#nativeFinish;
    if (choice.content_filter_results === true) this.#filtered = true;
    for (const message of [choice.delta, choice.message]) {
      if (message === undefined || message === null) continue;
      const { content } = message;
      this.#refusal += `${message.refusal ?? ""}${content.refusal}`;
      const named = Object.entries(message).some(([name, value]) => thoughts.test(name) && isHeld(value));
      if (named || content.thought) this.#thought = true;
      if (message.tool_calls || message.function_call) this.#calledTool = true;
    }
    const piece = choice.delta?.content.said || "";
    if (piece !== "") this.#inPieces = true;
    // Perplexity repeats beside each piece all that was said.
    const all = this.#inPieces ? "" : choice.message?.content.said || choice.text || "";
    const text = `${this.#half}${piece || all}`;
    this.#half = /[\ud800-\udbff]?$/.exec(text)?.[0] ?? "";
    this.#add(this.#stop.push(text.slice(0, text.length - this.#half.length).toWellFormed()));
  }

  #checkProtocol(value: unknown): void {
    const spoken = otherProtocols.find(({ schema }) => schema.safeParse(value).success);
    if (spoken === undefined) return;
    throw new EngineError(
      "BAD_REPLY",
      `${this.#address}: answered in ${spoken.name}; give the base URL of this server's OpenAI-compatible endpoints, such as ${spoken.base}`,
      { retryable: false },
    );
  }

  /**
   * @param complete whether the server said that nothing follows
   * @throws {EngineError} UNREACHABLE for a reply that was cut off; BAD_REPLY; SERVER_FAILED; NO_ANSWER
   */
  whole(complete: boolean): EndpointText {
    const finish = this.#finish?.toLowerCase();
    if (finish === undefined && !complete) {
      throw new EngineError(
        "UNREACHABLE",
        `${this.#address}: the response ended before the completion was finished; repeat the request`,
      );
    }
    if (!this.#hasChoice)
      throw new EngineError(
        "BAD_REPLY",
        `${this.#address}: the response has no choice${this.#hasOtherChoice ? " of index 0" : ""}${this.#instead === "" ? ", as where a provider filters or fails without a word" : ` but says ${this.#instead}`}; repeat the request, or ask another model`,
      );
    this.#add(this.#stop.push(this.#half.toWellFormed()));
    this.#add(this.#stop.end());
    if (!this.#stop.reached) this.#checkAnswered(finish ?? "");
    const cut = finish !== undefined && lengthReasons.test(finish) && !this.#stop.reached;
    // One that says nothing is an empty answer, which no agent takes for a memory.
    const text = saysSomething(this.#text) ? this.#text : "";
    return { text, stopReason: cut ? "length" : "stop", usage: this.#usage };
  }

  #checkAnswered(finish: string): void {
    if (failedReasons.test(finish) && !withheldReasons.test(finish))
      throw new EngineError(
        "SERVER_FAILED",
        `${this.#address}: the server ended the answer with finish_reason "${this.#finish}"; repeat the request`,
      );
    const refusal = this.#refusal.replace(/\s+/g, " ").trim().slice(0, 300);
    if (refusal !== "") throw this.#unanswered(`the model refused to answer: ${refusal}; ${changeIt}`);
    if (this.#filtered) throw this.#unanswered(`the server's filter withheld the answer; ${changeIt}`);
    for (const reason of [this.#finish ?? "", this.#nativeFinish])
      if (withheldReasons.test(reason.toLowerCase()))
        throw this.#unanswered(`the answer was withheld (finish_reason "${reason}"); ${changeIt}`);
    if (this.#calledTool || toolReasons.test(finish))
      throw this.#unanswered(
        "the model called a tool instead of answering, though it was offered none; use another model, or turn the server's own tools off",
      );
    if (!endReasons.test(finish) && !lengthReasons.test(finish))
      throw this.#unanswered(
        `the answer is not whole (finish_reason "${this.#finish}"); ask again, or use another model`,
      );
    if (saysSomething(this.#text)) return;
    if (this.#thought || lengthReasons.test(finish)) throw this.#unanswered(thoughtAway);
  }

  #unanswered(why: string): EngineError {
    return new EngineError("NO_ANSWER", `${this.#address}: ${why}`);
  }

  #add(piece: string): void {
    this.#text += piece;
    if (piece !== "") this.#write(piece);
  }
}

export const thoughtAway =
  "the model used up its tokens by thinking and wrote no answer; raise the limit of tokens, or turn its thinking off";
