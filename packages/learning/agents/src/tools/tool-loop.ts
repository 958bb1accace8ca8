/**
 * Responsibility: the turns of one conversation with tools, for MemUpdate and for agents of users.
 * Not responsible for: what tools do (ToolSet), how prompts look (tool-prompts.ts), the record of the episode
 * (EpisodeLog).
 *
 * Invariants:
 * TOOLS-1. All turns form one conversation. Sampled tokens are trained as they were sampled; all other tokens after
 *   the prompt are not trained.
 * TOOLS-2. Every call is answered, in order. A mistake of the model is reported to it, and never thrown.
 * TOOLS-3. The numbers of turns, of calls per turn, of tokens, and of characters per result are bounded.
 */
import type { ToolResult } from "@palimpsest/memory";
import type { EpisodeLog } from "../episode-log.js";
import { AgentError } from "../error.js";
import type { Tokenizer } from "../sampler.js";
import { type CallCounts, readTurn } from "./calls.js";
import type { LineForm } from "./line-calls.js";
import type { ToolLoopSettings } from "./loop-settings.js";
import type { ToolPrompts } from "./tool-prompts.js";
import type { Transcript } from "./transcript.js";

/** Why the turns ended: the last one had no call, or the word that ends them, or a limit of turns or tokens was hit. */
export const toolEndings = ["no_call", "done", "turn_limit", "token_limit"] as const;
export type ToolEnding = (typeof toolEndings)[number];

/** What the turns of one conversation need. */
export interface ToolLoop {
  readonly tokenizer: Tokenizer;
  readonly settings: ToolLoopSettings;
  readonly prompts: ToolPrompts;
  readonly lineForms: readonly LineForm[];
  /** Calls a tool by name. @throws errors that the model did not cause */
  call(name: string, args: unknown): Promise<ToolResult>;
  /** The model's context length: the most tokens of prompt and turns together. */
  readonly contextTokens: number;
  /** The setting that the prompt comes from, for error messages. */
  readonly field: string;
  readonly log: EpisodeLog;
  readonly calls: CallCounts;
  /** Contains the prompt; turns and results are appended to it. */
  readonly transcript: Transcript;
  /** Is called after each turn, counted from 1, with what its calls returned. */
  onTurn?(turn: number, results: readonly string[]): void;
}

/**
 * Runs the turns of the model in one growing conversation until one of the endings. The calls in each turn are executed
 * in order, and the model reads their results before its next turn.
 * @returns `content` is the text of the last turn without its calls
 * @throws {AgentError} BAD_CONFIG if the prompt leaves no room; BAD_SAMPLE, SAMPLE_ABORTED; the signal's reason
 */
export async function toolLoop(
  loop: ToolLoop,
): Promise<{ readonly ending: ToolEnding; readonly turns: number; readonly content: string }> {
  const { tokenizer, settings, prompts, lineForms, log, calls, transcript } = loop;
  const prompt = transcript.tokenIds().length;
  const most = Math.min(settings.episodeTokens, loop.contextTokens - prompt);
  if (most < 1) {
    throw new AgentError(
      "BAD_CONFIG",
      `${loop.field}: a prompt of ${prompt} tokens leaves no token for a turn in the model's context of ${loop.contextTokens}; remove tools, use callForm: lines, or use a model with a longer context`,
    );
  }
  for (let turn = 1; ; turn++) {
    const room = Math.min(settings.turnTokens, most - transcript.length);
    const sampled = await log.sample(transcript.tokenIds(), room);
    transcript.addTurn(sampled);
    const said = prompts.content(sampled.tokenIds);
    if (said.length === 0) log.countEmptyUpdate();
    const { blocks, content, done } = readTurn(tokenizer.decode(said), settings, lineForms);
    const last = turn === settings.maxTurns;
    const results: string[] = [];
    if (!last || settings.callsInLastTurn) {
      for (const [i, block] of blocks.entries()) {
        const fits = i < settings.maxCallsPerTurn;
        results.push(
          fits
            ? await calls.run(block, (name, args) => loop.call(name, args), settings)
            : calls.refuse(settings.maxCallsPerTurn),
        );
      }
    }
    loop.onTurn?.(turn, results);
    const end = (ending: ToolEnding) => ({ ending, turns: turn, content });
    if (done) return end("done");
    if (blocks.length === 0) return end(sampled.stopReason === "length" ? "token_limit" : "no_call");
    if (last) return end("turn_limit");
    const told = prompts.results(results, sampled.stopReason === "stop");
    if (transcript.length + told.length >= most) return end("token_limit");
    transcript.addMasked(told);
  }
}
