import { AgentError } from "./error.js";

export interface ChatTurn {
  readonly role: "system" | "user" | "assistant" | "tool";
  readonly content: string;
}

export interface RenderOptions {
  readonly enableThinking?: boolean;
  /** Tools that the model may call, as OpenAI describes them; formats without a place for them leave them out. */
  readonly tools?: readonly Readonly<Record<string, unknown>>[];
}

/** How a model's chats look: its own template, or one of ours. */
export interface ChatFormat {
  /** The turns as text, ending with the opening of the assistant's. */
  render(turns: readonly ChatTurn[], options: RenderOptions): string;
  /** Texts that stand for special tokens in what `render` gives. */
  readonly specialTokens: readonly string[];
  /** Special tokens that end the assistant's turn, by text; at least one. */
  readonly stopTokens: readonly string[];
}

/** Turns between <|im_start|> and <|im_end|>, for models without a template that know these marks. */
export const chatMl: ChatFormat = {
  render: (turns) =>
    `${turns.map(({ role, content }) => `<|im_start|>${role}\n${content}<|im_end|>\n`).join("")}<|im_start|>assistant\n`,
  specialTokens: ["<|im_start|>", "<|im_end|>"],
  stopTokens: ["<|im_end|>"],
};

/** Private characters: no template touches them. */
const standIn = "\u{f0000}content\u{f0000}";

/**
 * What stands before and after the content of one user's message.
 * @param earlier turns of the same chat before it
 * @throws {AgentError} BAD_CONFIG when the format changes, repeats or leaves out what a user says
 */
export function aroundUserTurn(
  format: ChatFormat,
  options: { readonly enableThinking?: boolean },
  earlier: readonly ChatTurn[] = [],
): { readonly before: string; readonly after: string } {
  let rendered: string;
  try {
    rendered = format.render([...earlier, { role: "user", content: standIn }], options);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new AgentError(
      "BAD_CONFIG",
      `prompt: the model's chat template refuses a user's turn (${reason}); use prompt: text`,
    );
  }
  const [before, after, ...more] = rendered.split(standIn);
  if (before === undefined || after === undefined || more.length > 0) {
    throw new AgentError(
      "BAD_CONFIG",
      `prompt: the model's chat template holds a user's text ${more.length + (after === undefined ? 0 : 1)} times instead of once; use prompt: text`,
    );
  }
  return { before, after };
}
