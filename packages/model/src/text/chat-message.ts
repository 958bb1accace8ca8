/** One turn, in the fields that chat templates read: Hugging Face's and OpenAI's names. */
export interface ChatMessage {
  /** "system", "user", "assistant" or "tool" in most templates. */
  readonly role: string;
  /** null if there are only tool calls. */
  readonly content: string | null;
  /** Calls that the assistant made: { type: "function", function: { name, arguments } }. */
  readonly tool_calls?: readonly Readonly<Record<string, unknown>>[];
  /** The call that a tool's turn answers. */
  readonly tool_call_id?: string;
  readonly name?: string;
  /** The reasoning of a thinking model before its answer. */
  readonly reasoning_content?: string;
}

/** A function that the model may call, as OpenAI describes it: { type: "function", function: { … } }. */
export type ChatTool = Readonly<Record<string, unknown>>;

export interface ChatOptions {
  readonly tools?: readonly ChatTool[];
  /** Whether the text ends with the opening of the assistant's turn. Default true. */
  readonly addGenerationPrompt?: boolean;
  /** The switch of models that can think, such as Qwen3; absent: the template's default. */
  readonly enableThinking?: boolean;
  /** Other variables of the template, such as `documents`. */
  readonly variables?: Readonly<Record<string, unknown>>;
}
