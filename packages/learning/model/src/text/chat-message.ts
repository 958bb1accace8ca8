/** A dict of a template: an object, or a map where the order of the keys and their numbers count, as `readExactJson` gives. */
export type TemplateRecord = Readonly<Record<string, unknown>> | ReadonlyMap<string, unknown>;

/** One turn of a conversation, with the fields that chat templates read, as Hugging Face and OpenAI name them. */
export interface ChatMessage {
  /** "system", "user", "assistant" or "tool" in most templates. */
  readonly role: string;
  /** The text of the turn; null if the turn consists of tool calls only. */
  readonly content: string | null;
  /** Calls that the assistant made: { type: "function", function: { name, arguments } }. */
  readonly tool_calls?: readonly TemplateRecord[];
  /** Id of the call that a tool's turn answers. */
  readonly tool_call_id?: string;
  readonly name?: string;
  /** The reasoning of a thinking model before its answer. */
  readonly reasoning_content?: string;
}

/** A function that the model may call, as OpenAI describes it: { type: "function", function: { … } }. */
export type ChatTool = TemplateRecord;

export interface ChatOptions {
  readonly tools?: readonly ChatTool[];
  /** Whether the text ends with the opening of the assistant's turn. Default true. */
  readonly addGenerationPrompt?: boolean;
  /** Whether a model that can think, such as Qwen3, does so. Default: the template's default. */
  readonly enableThinking?: boolean;
  /** Other variables of the template, such as `documents`. */
  readonly variables?: Readonly<Record<string, unknown>>;
}
