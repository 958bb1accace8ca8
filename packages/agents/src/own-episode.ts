import { createRandom } from "@palimpsest/memory/random";
import type { Conversation, StopReason } from "@palimpsest/memory/records";
import type { AgentModel } from "./agent-kind.js";
import { aroundUserTurn } from "./chat-format.js";
import { ConversationTurns } from "./conversation-turns.js";
import { callSeed, type RunOptions } from "./episode.js";
import type { EpisodeLog } from "./episode-log.js";
import { AgentError } from "./error.js";
import { converseWithTools, type ToolOptions, type ToolReply } from "./own-tools.js";
import { type ReplyContent, replyContent } from "./reply-content.js";
import type { Tokenizer } from "./sampler.js";
import { compileTemplate, plainPromptIds, specialId } from "./template.js";

export interface AskOptions {
  /** Most tokens of the reply, the one that ends it included. */
  readonly maxTokens: number;
  /** What the conversation is for; rewards and reports tell the two apart. Default "memory". */
  readonly kind?: "memory" | "final";
}

export interface Reply {
  /** Without thinking and without the token that ends it. */
  readonly text: string;
  /** "length": it was cut at `maxTokens`. */
  readonly stopReason: StopReason;
}

/** One episode, as an agent of your own sees it. */
export interface OwnEpisode {
  readonly tokenizer: Tokenizer;
  /** Aborts when the episode is not wanted any more. */
  readonly signal: AbortSignal | undefined;
  /** The next number in [0, 1); the same for the same seed. */
  random(): number;
  /**
   * Asks the model in a conversation of its own, which is trained: its reply is the policy's action. Several may be asked at once,
   * as with `Promise.all`, and are waited for together: then nothing depends on who is answered first.
   * @param prompt a user's message where the model has a chat template, else the text as it is
   * @throws {AgentError} BAD_STATE where it is asked while others wait, of which some are answered; SAMPLE_ABORTED, BAD_SAMPLE;
   *   the signal's reason
   */
  ask(prompt: string, options: AskOptions): Promise<Reply>;
  /**
   * Asks the model in a conversation in which it may call tools, until it answers without a call: all that it writes is
   * trained, what tools return is not. Counters: `tool_call_counts.NAME`, `failed_calls`, `malformed_calls`, ….
   * @throws {AgentError} BAD_CONFIG; BAD_STATE beside another conversation; SAMPLE_ABORTED, BAD_SAMPLE; the signal's reason; what a
   *   tool does not explain
   */
  useTools(prompt: string, options: ToolOptions): Promise<ToolReply>;
  /** What the agent remembers after its last reply: traces show it step by step. */
  note(memory: string): void;
  /** Counts something under a name, for rewards and reports. */
  count(name: string, by?: number): void;
}

/** How a prompt becomes token ids, and what ends and makes up a reply. */
export interface ReplyPrompts {
  /** Special tokens that end a reply, by text. */
  readonly stopTokens: readonly string[];
  readonly stopTokenIds: readonly number[];
  tokenIds(prompt: string): number[];
  readonly content: ReplyContent;
}

/** @throws {AgentError} BAD_CONFIG where nothing is known to end a reply */
export function replyPrompts(
  { tokenizer, chat }: AgentModel,
  ownStopTokens: readonly string[],
): ReplyPrompts {
  const stopTokens = chat?.stopTokens ?? ownStopTokens;
  if (stopTokens.length === 0) {
    throw new AgentError(
      "BAD_CONFIG",
      "stopTokens: the model has no chat template, so the agent must say which special tokens end a reply, such as <|end|>",
    );
  }
  const stopTokenIds = stopTokens.map((text) => specialId(tokenizer, "stopTokens", text));
  if (chat === undefined) {
    return {
      stopTokens,
      stopTokenIds,
      tokenIds: (prompt) => plainPromptIds(tokenizer, prompt),
      content: replyContent(tokenizer, stopTokenIds, null),
    };
  }
  const { before, after } = aroundUserTurn(chat, {});
  const template = compileTemplate(tokenizer, "prompt", `${before}{content}${after}`, {
    textSlots: ["content"],
    idSlots: [],
    specialTokens: chat.specialTokens.filter((text) => before.includes(text) || after.includes(text)),
  });
  return {
    stopTokens,
    stopTokenIds,
    tokenIds: (prompt) => template.bind({ content: prompt }).render({}),
    content: replyContent(tokenizer, stopTokenIds, "</think>", [after]),
  };
}

/** The replies of one episode, in the episode's books. */
export class Replies implements OwnEpisode {
  readonly tokenizer: Tokenizer;
  readonly signal: AbortSignal | undefined;
  readonly random: () => number;
  readonly counters: Record<string, number> = {};
  lastNote = "";
  readonly #model: AgentModel;
  readonly #prompts: ReplyPrompts;
  readonly #log: EpisodeLog;
  /** Not told yet: a note may belong to the last of them. */
  #untold: Conversation[] = [];
  readonly #turns = new ConversationTurns();

  constructor(model: AgentModel, prompts: ReplyPrompts, log: EpisodeLog, options: RunOptions) {
    this.#model = model;
    this.tokenizer = model.tokenizer;
    this.signal = options.signal;
    this.random = createRandom(callSeed(options.seed ?? 0, -1)).float;
    this.#prompts = prompts;
    this.#log = log;
  }

  async ask(prompt: string, { maxTokens, kind = "memory" }: AskOptions): Promise<Reply> {
    return await this.#turns.beside(
      async () => {
        const conversation = await this.#log.converse(kind, this.#prompts.tokenIds(prompt), maxTokens);
        this.#untold.push(conversation);
        const said = this.#prompts.content([...conversation.sampledTokenIds]);
        if (said.length === 0 && kind === "memory") this.#log.countEmptyUpdate();
        return { text: this.tokenizer.decode(said), stopReason: conversation.stopReason };
      },
      () => this.finish(),
    );
  }

  async useTools(prompt: string, options: ToolOptions): Promise<ToolReply> {
    const context = { random: this.random, ...(this.signal ? { signal: this.signal } : {}) };
    const { stopTokens } = this.#prompts;
    return await this.#turns.alone(
      async () => {
        const { conversation, counters, ...reply } = await converseWithTools(
          { model: this.#model, stopTokens, log: this.#log, context },
          prompt,
          options,
        );
        this.#untold.push(conversation);
        for (const [name, count] of Object.entries(counters)) this.count(name, count);
        return reply;
      },
      () => this.finish(),
    );
  }

  note(memory: string): void {
    this.lastNote = memory;
    const conversation = this.#takeUntold();
    if (conversation === undefined) return;
    const memoryStep = {
      step: conversation.step,
      documentTokenStart: 0,
      documentTokenEnd: 0,
      memory,
      recalled: "",
    };
    this.#log.report(conversation, { memoryStep, documentTokensRead: 0 });
  }

  count(name: string, by = 1): void {
    this.counters[name] = (this.counters[name] ?? 0) + by;
  }

  /** Tells of the last replies, where nothing was noted of them. */
  finish(): void {
    const conversation = this.#takeUntold();
    if (conversation !== undefined) this.#log.report(conversation, { documentTokensRead: 0 });
  }

  /** The one that was begun last; tells of those before it. */
  #takeUntold(): Conversation | undefined {
    const untold = this.#untold.sort((a, b) => a.step - b.step);
    this.#untold = [];
    const last = untold.pop();
    for (const conversation of untold) this.#log.report(conversation, { documentTokensRead: 0 });
    return last;
  }
}
