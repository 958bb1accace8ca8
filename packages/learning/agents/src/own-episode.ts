import type { Conversation, StopReason } from "@palimpsest/memory/records";
import { createRandom } from "@palimpsest/std/random";
import type { AgentModel } from "./agent-kind.js";
import { aroundUserTurn } from "./chat-format.js";
import { callSeed, type RunOptions } from "./episode.js";
import type { EpisodeLog } from "./episode-log.js";
import { AgentError } from "./error.js";
import { converseWithTools, type ToolOptions, type ToolReply } from "./own-tools.js";
import { compileTemplate, plainPromptIds, specialId } from "./prompts/template.js";
import { type ReplyContent, replyContent } from "./reply-content.js";
import type { Tokenizer } from "./sampler.js";

/** How an agent of your own samples one reply. */
export interface AskOptions {
  /** The most tokens of the reply, including its stop token. */
  readonly maxTokens: number;
  /** The purpose of the conversation, by which rewards and reports distinguish conversations. Default "memory". */
  readonly kind?: "memory" | "final";
}

/** What the model replied to one prompt of an agent of your own. */
export interface Reply {
  /** The reply without thinking and without its stop token. */
  readonly text: string;
  /** "length" means that the reply was cut at `maxTokens`. */
  readonly stopReason: StopReason;
}

/** The interface of one episode for an agent of your own. */
export interface OwnEpisode {
  readonly tokenizer: Tokenizer;
  /** Aborts when the episode is canceled. */
  readonly signal: AbortSignal | undefined;
  /** Returns the next random number in [0, 1). The same seed gives the same sequence. */
  random(): number;
  /**
   * Asks the model in a new conversation, whose reply is trained as the policy's action. Several calls may run
   * concurrently if they start together and are awaited together, as with `Promise.all`, because then nothing depends
   * on which is answered first.
   * @param prompt a user's message if the model has a chat template, otherwise the text of the whole prompt
   * @throws {AgentError} BAD_STATE if it is called while only some of several concurrent calls have been answered, or
   *   during `useTools`; SAMPLE_ABORTED, BAD_SAMPLE; the signal's reason
   */
  ask(prompt: string, options: AskOptions): Promise<Reply>;
  /**
   * Asks the model in a conversation in which it may call tools, until it answers without a call. Everything that the
   * model writes is trained; what the tools return is not. It adds to the counters `tool_call_counts.NAME`,
   * `failed_calls`, `malformed_calls`, ….
   * @throws {AgentError} BAD_CONFIG; BAD_STATE if another conversation is running; SAMPLE_ABORTED, BAD_SAMPLE; the
   *   signal's reason; an error of a tool for which its `explainError` returns undefined
   */
  useTools(prompt: string, options: ToolOptions): Promise<ToolReply>;
  /** Records what the agent remembers after its last reply; traces show it for each step. */
  note(memory: string): void;
  /** Adds to the counter of that name, for rewards and reports. Default: adds 1. */
  count(name: string, by?: number): void;
}

/** Converts prompts to token ids, and says what ends a reply and which of its tokens are its content. */
export interface ReplyPrompts {
  /** The texts of the special tokens that end a reply. */
  readonly stopTokens: readonly string[];
  readonly stopTokenIds: readonly number[];
  tokenIds(prompt: string): number[];
  readonly content: ReplyContent;
}

/**
 * Returns the conversion of prompts for a model.
 * @param ownStopTokens the agent's stop tokens, which are used if the model has no chat template
 * @throws {AgentError} BAD_CONFIG if there are no stop tokens
 */
export function replyPrompts(
  { tokenizer, chat }: AgentModel,
  ownStopTokens: readonly string[],
): ReplyPrompts {
  const stopTokens = chat?.stopTokens ?? ownStopTokens;
  if (stopTokens.length === 0) {
    throw new AgentError(
      "BAD_CONFIG",
      "stopTokens: is empty, and the model has no chat template that defines them; list the special tokens that end a reply, such as <|end|>",
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

/** Asks the model for the replies of one episode, and records them in its log. */
export class Replies implements OwnEpisode {
  readonly tokenizer: Tokenizer;
  readonly signal: AbortSignal | undefined;
  readonly random: () => number;
  readonly counters: Record<string, number> = {};
  lastNote = "";
  readonly #model: AgentModel;
  readonly #prompts: ReplyPrompts;
  readonly #log: EpisodeLog;
  /** Conversations that have not been reported yet, because a note may still be added to the last of them. */
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
        const text = this.tokenizer.decode(said);
        if (kind === "final") this.#log.checkAnswer(text);
        return { text, stopReason: conversation.stopReason };
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

  /** Reports the last conversations, if no note was added to them. */
  finish(): void {
    const conversation = this.#takeUntold();
    if (conversation !== undefined) this.#log.report(conversation, { documentTokensRead: 0 });
  }

  /** Returns the unreported conversation that began last, and reports those that began before it. */
  #takeUntold(): Conversation | undefined {
    const untold = this.#untold.sort((a, b) => a.step - b.step);
    this.#untold = [];
    const last = untold.pop();
    for (const conversation of untold) this.#log.report(conversation, { documentTokensRead: 0 });
    return last;
  }
}

/**
 * Decides which conversations of an episode may run concurrently. Seeds are assigned in the order in which
 * conversations begin, so that order must not depend on which reply arrives first: the conversations of a
 * `Promise.all` begin together, and the next ones begin when all of them have ended.
 */
class ConversationTurns {
  #running = 0;
  /** True if, of the conversations that began together, some have ended and others have not. */
  #someEnded = false;
  #alone = false;

  /**
   * Runs a conversation during which others may begin.
   * @param begin is called synchronously, if the conversation may begin
   * @throws {AgentError} BAD_STATE
   */
  async beside<T>(work: () => Promise<T>, begin: () => void): Promise<T> {
    if (this.#alone) throw refused("ask: was called while a conversation with tools is running");
    if (this.#running > 0 && this.#someEnded)
      throw refused(
        "ask: was called while some of the conversations that began together have ended and others still run, so that its seed would depend on timing",
      );
    return await this.#run(work, begin);
  }

  /**
   * Runs a conversation during which no other may run: it takes a seed for each of its turns, so seeds would depend
   * on which conversation is faster.
   * @throws {AgentError} BAD_STATE
   */
  async alone<T>(work: () => Promise<T>, begin: () => void): Promise<T> {
    if (this.#running > 0) throw refused("useTools: was called while another conversation is running");
    this.#alone = true;
    try {
      return await this.#run(work, begin);
    } finally {
      this.#alone = false;
    }
  }

  async #run<T>(work: () => Promise<T>, begin: () => void): Promise<T> {
    begin();
    this.#running += 1;
    try {
      return await work();
    } finally {
      this.#running -= 1;
      this.#someEnded = this.#running > 0;
    }
  }
}

const refused = (problem: string) =>
  new AgentError(
    "BAD_STATE",
    `${problem}; await all running conversations first, for example with \`await Promise.all(…)\``,
  );
