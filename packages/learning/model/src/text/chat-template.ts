import { checkKind, checkParts } from "@palimpsest/std/input";
import { z } from "zod";
import { ModelError } from "../base/error.js";
import { JinjaTemplate } from "../jinja/template.js";
import type { BpeTokenizer } from "../tokens/bpe-tokenizer.js";
import type { ChatMessage, ChatOptions } from "./chat-message.js";
import { guardSpecialTokens } from "./special-token-guard.js";

const templateField = z.union([
  z.string(),
  z.array(z.object({ name: z.string(), template: z.string() })).min(1),
]);

/** Names of tokens in tokenizer_config.json that templates may use, such as `bos_token`. */
const tokenFields = [
  "bos_token",
  "eos_token",
  "unk_token",
  "sep_token",
  "pad_token",
  "cls_token",
  "mask_token",
];

/**
 * Renders a conversation in the format that the model was trained on, with the model's own Jinja template. The template
 * comes from tokenizer_config.json, which has one or several by name, or from chat_template.jinja.
 */
export class ChatTemplate {
  readonly #tokenizer: BpeTokenizer;
  readonly #templates: ReadonlyMap<string, JinjaTemplate>;
  readonly #tokens: Readonly<Record<string, string>>;
  readonly #now: () => Date;

  /**
   * @param options.template Jinja text that replaces the tokenizer's own
   * @param options.now the time for `strftime_now`; default: this machine's clock
   * @throws {ModelError} TEMPLATE_MISSING, TEMPLATE_INVALID
   */
  constructor(
    tokenizer: BpeTokenizer,
    options: { readonly template?: string; readonly now?: () => Date } = {},
  ) {
    const refuse = (problem: string) => new ModelError("TEMPLATE_MISSING", problem);
    checkKind(tokenizer, "tokenizer of ChatTemplate", "an object", refuse);
    checkKind(tokenizer.configJson, "tokenizer of ChatTemplate: configJson", "an object", refuse);
    checkKind(tokenizer.namedToken, "tokenizer of ChatTemplate: namedToken", "a function", refuse);
    checkParts(options, "options of ChatTemplate", { "template?": "a text", "now?": "a function" }, refuse);
    this.#tokenizer = tokenizer;
    this.#now = options.now ?? (() => new Date());
    this.#templates = parseTemplates(options.template ?? tokenizer.configJson["chat_template"]);
    this.#tokens = Object.fromEntries(
      tokenFields.flatMap((field) => {
        const text = tokenizer.namedToken(field);
        return text === undefined ? [] : [[field, text] as const];
      }),
    );
  }

  /** Returns whether the tokenizer comes with a template. */
  static has(tokenizer: BpeTokenizer): boolean {
    return templateField.safeParse(tokenizer.configJson["chat_template"]).success;
  }

  /** Texts that represent special tokens in the result of `render`. */
  get specialTokens(): readonly string[] {
    return [...this.#tokenizer.specialTokens.keys()];
  }

  /** Special tokens that end the assistant's turn; empty if the tokenizer names none. */
  get stopTokens(): readonly string[] {
    const { endToken } = this.#tokenizer;
    return endToken === undefined ? [] : [endToken];
  }

  /** Renders messages as text. @throws {ModelError} TEMPLATE_REFUSED, with the template's own message */
  render(messages: readonly ChatMessage[], options: ChatOptions = {}): string {
    const { tools, addGenerationPrompt = true, enableThinking, variables } = options;
    const template = this.#choose(tools !== undefined && tools.length > 0);
    try {
      return template.render(
        {
          ...this.#tokens,
          documents: null,
          ...(enableThinking === undefined ? {} : { enable_thinking: enableThinking }),
          ...variables,
          messages,
          tools: tools ?? null,
          add_generation_prompt: addGenerationPrompt,
        },
        this.#now,
      );
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause);
      throw new ModelError(
        "TEMPLATE_REFUSED",
        `chat template: ${reason}; roles were ${messages.map(({ role }) => role).join(", ")}`,
        { cause },
      );
    }
  }

  /**
   * Returns the rendered conversation as token ids. Special tokens come only from the template: if a message or
   * a tool spells one out, it is encoded as ordinary text, so that no content can forge a turn.
   * @throws {ModelError} TEMPLATE_REFUSED, TOKENIZER_INVALID
   */
  encode(messages: readonly ChatMessage[], options: ChatOptions = {}): number[] {
    const { variables, tools } = options;
    const guard = guardSpecialTokens(this.#tokenizer, { messages, tools, variables });
    if (guard === undefined) return this.#tokenizer.encode(this.render(messages, options));
    const { values } = guard;
    const text = this.render(values.messages, {
      ...options,
      ...(values.tools === undefined ? {} : { tools: values.tools }),
      ...(values.variables === undefined ? {} : { variables: values.variables }),
    });
    return guard.encode(text);
  }

  #choose(forTools: boolean): JinjaTemplate {
    const { 0: first } = [...this.#templates.values()];
    const named = forTools ? this.#templates.get("tool_use") : undefined;
    return named ?? this.#templates.get("default") ?? (first as JinjaTemplate);
  }
}

function parseTemplates(field: unknown): ReadonlyMap<string, JinjaTemplate> {
  if (field === undefined || field === null) {
    throw new ModelError(
      "TEMPLATE_MISSING",
      "tokenizer_config.json: has no chat_template, and chat_template.jinja does not exist; use a plain prompt, or pass a template of your own as `template`",
    );
  }
  const parsed = templateField.safeParse(field);
  if (!parsed.success) {
    throw new ModelError(
      "TEMPLATE_INVALID",
      "tokenizer_config.json: chat_template is neither a string nor a list of { name, template }",
    );
  }
  const named = typeof parsed.data === "string" ? [{ name: "default", template: parsed.data }] : parsed.data;
  return new Map(named.map(({ name, template }) => [name, parseTemplate(name, template)]));
}

function parseTemplate(name: string, text: string): JinjaTemplate {
  try {
    return new JinjaTemplate(text);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new ModelError("TEMPLATE_INVALID", `chat template "${name}" does not parse: ${reason}`, { cause });
  }
}
