import { AgentError } from "./error.js";

/** One message of a chat, before a template writes it as tokens. */
export interface ChatTurn {
  readonly role: "system" | "user" | "assistant" | "tool";
  readonly content: string;
}

export interface RenderOptions {
  readonly enableThinking?: boolean;
  /** Tools that the model may call, in OpenAI's format; chat formats without tools omit them. */
  readonly tools?: readonly Readonly<Record<string, unknown>>[];
}

/** A model's chat format: its own template, or a built-in one. */
export interface ChatFormat {
  /** Renders the turns as text, ending with the opening of the assistant's turn. */
  render(turns: readonly ChatTurn[], options: RenderOptions): string;
  /** Texts that represent special tokens in the output of `render`. */
  readonly specialTokens: readonly string[];
  /** Special tokens that end the assistant's turn, by text; at least one. */
  readonly stopTokens: readonly string[];
}

/**
 * Puts each turn between <|im_start|> and <|im_end|>, for models without a template whose vocabulary has these
 * tokens.
 */
export const chatMl: ChatFormat = {
  render: (turns) =>
    `${turns.map(({ role, content }) => `<|im_start|>${role}\n${content}<|im_end|>\n`).join("")}<|im_start|>assistant\n`,
  specialTokens: ["<|im_start|>", "<|im_end|>"],
  stopTokens: ["<|im_end|>"],
};

/** Stands for the content of a turn. It consists of private-use characters, which no template changes. */
const standIn = "\u{f0000}content\u{f0000}";

/**
 * Returns the text before and after the content of one user message.
 * @param earlier turns of the same chat before it
 * @throws {AgentError} BAD_CONFIG if the format changes, repeats or omits the user's text
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
      `prompt: the model's chat template refuses a user turn (${reason}); use prompt: text`,
    );
  }
  const [before, after, ...more] = rendered.split(standIn);
  if (before === undefined || after === undefined || more.length > 0) {
    throw new AgentError(
      "BAD_CONFIG",
      `prompt: the model's chat template renders a user's text ${more.length + (after === undefined ? 0 : 1)} times instead of once; use prompt: text`,
    );
  }
  return { before, after };
}
