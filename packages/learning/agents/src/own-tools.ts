import { toolSet } from "@palimpsest/memory";
import type { Conversation, StopReason } from "@palimpsest/memory/records";
import { parseInput } from "@palimpsest/std/input";
import { z } from "zod";
import type { AgentModel } from "./agent-kind.js";
import { lineFormsOf, type Tool, type ToolContext } from "./define-tool.js";
import type { EpisodeLog } from "./episode-log.js";
import { AgentError } from "./error.js";
import { CallCounts } from "./tools/calls.js";
import { toolLoopSchema } from "./tools/loop-settings.js";
import { type ToolEnding, toolLoop } from "./tools/tool-loop.js";
import { toolPrompts } from "./tools/tool-prompts.js";
import { Transcript } from "./tools/transcript.js";

const { episodeTokens, ...shape } = toolLoopSchema.shape;

/** The options of `useTools`; all defaults that are not given here are those of MemUpdate. */
const optionsSchema = z.strictObject({
  ...shape,
  maxTurns: shape.maxTurns.unwrap().default(8),
  turnTokens: shape.turnTokens.unwrap().optional(),
  maxTokens: episodeTokens.unwrap(),
});

/** How an agent of your own lets the model call tools until it answers. */
export interface ToolOptions extends Readonly<z.input<typeof optionsSchema>> {
  readonly tools: readonly Tool[];
  /** The most tokens after the prompt, including tool results. */
  readonly maxTokens: number;
}

/** The result of a conversation with tools. */
export interface ToolReply {
  /** The text of the last turn without its calls, without thinking and without its stop token. */
  readonly text: string;
  /** no_call: the model answered. turn_limit, token_limit: the conversation reached that limit first. */
  readonly ending: Exclude<ToolEnding, "done">;
  readonly turns: number;
  /** "length" means that the last turn was cut at a token limit. */
  readonly stopReason: StopReason;
}

/** What a conversation with tools needs from its episode. */
interface Episode {
  readonly model: Omit<AgentModel, "sampler">;
  /** The texts of the stop tokens of a model without a chat template. */
  readonly stopTokens: readonly string[];
  readonly log: EpisodeLog;
  readonly context: ToolContext;
}

/**
 * Runs one conversation in which the model may call tools, turn after turn, until it answers without a call.
 * @throws {AgentError} BAD_CONFIG, SAMPLE_ABORTED, BAD_SAMPLE; the signal's reason; an error of a tool for which its
 *   `explainError` returns undefined
 */
export async function converseWithTools(
  { model, stopTokens, log, context }: Episode,
  prompt: string,
  options: ToolOptions,
): Promise<ToolReply & { readonly conversation: Conversation; readonly counters: Record<string, number> }> {
  const { tools, ...rest } = options;
  const settings = settingsOf(rest);
  checkNames(tools);
  const set = toolSet(tools);
  const lineForms = settings.callForm === "lines" ? lineFormsOf(tools) : [];
  const { tokenizer, chat, contextTokens = Number.POSITIVE_INFINITY } = model;
  const prompts = toolPrompts(
    tokenizer,
    {
      ...settings,
      prompt: chat ? "chat" : "text",
      systemPrompt: null,
      userPrompt: "{question}",
      enableThinking: false,
      specialTokens: [],
      stopTokens: chat ? [] : stopTokens,
      thinkingEnd: chat ? "</think>" : null,
    },
    { definitions: set.definitions, lineForms },
    chat,
  );
  const step = log.counts.conversations;
  const transcript = new Transcript(prompts.prompt(prompt), log.sampling);
  const calls = new CallCounts(set.names);
  const { maxTokens, turnTokens = maxTokens } = settings;
  const { ending, turns, content } = await toolLoop({
    tokenizer,
    settings: { ...settings, turnTokens, episodeTokens: maxTokens, doneWord: null },
    prompts,
    lineForms,
    call: (name, args) => set.run(name, args, context),
    contextTokens,
    field: "useTools",
    log,
    calls,
    transcript,
  });
  const conversation = { ...transcript.conversation(), step };
  log.keep(conversation);
  return {
    text: content,
    // "done" does not occur, because doneWord is null.
    ending: ending === "done" ? "no_call" : ending,
    turns,
    stopReason: conversation.stopReason,
    conversation,
    counters: calls.counters,
  };
}

function settingsOf(given: Omit<ToolOptions, "tools">) {
  return parseInput(optionsSchema, given, (problem) => new AgentError("BAD_CONFIG", `useTools: ${problem}`));
}

function checkNames(tools: readonly Tool[]): void {
  if (tools.length === 0)
    throw new AgentError("BAD_CONFIG", "useTools: tools: is empty; give at least one, or use ask");
  const seen = new Set<string>();
  for (const { name } of tools) {
    if (seen.has(name))
      throw new AgentError(
        "BAD_CONFIG",
        `useTools: tools: two have the name ${name}; give each a name of its own`,
      );
    seen.add(name);
  }
}
