import {
  AgentError,
  type AgentKind,
  type AgentProgress,
  type AgentSettings,
  createAgent,
  type EpisodeResult,
} from "@palimpsest/agents";
import { type Trace, traceVersion } from "@palimpsest/evals";
import type { MemoryStep } from "@palimpsest/trajectories";
import { PalimpsestError } from "@palimpsest/wire";
import type { AgentModel } from "../models/agent-model.js";
import { type AskState, AskStateWriter, hashOf, readAskState } from "./ask-state.js";

export interface AskOptions {
  readonly question: string;
  readonly text: string;
  /** Name of the document in traces, such as its path. */
  readonly document: string;
  readonly model: AgentModel;
  readonly settings: AgentSettings;
  /** The export of the module that settings of kind `module` name. */
  readonly module?: AgentKind | undefined;
  readonly temperature: number;
  readonly seed: number;
  /** Saves the position to this file, and resumes from it if it exists. */
  readonly stateFile?: string | undefined;
  readonly signal: AbortSignal;
  readonly onStart?: (start: AskStart) => void;
  readonly onStep?: (step: AskStep) => void;
}

export interface AskStart {
  readonly documentTokens: number;
  /** Tokens that earlier runs have read. */
  readonly documentTokensRead: number;
  /** The memory with which reading resumes. */
  readonly memory: string;
}

export interface AskStep {
  readonly step: number;
  readonly kind: "memory" | "final" | "tool";
  readonly memoryStep?: MemoryStep;
  readonly documentTokensRead: number;
  readonly sampledTokens: number;
  readonly truncated: boolean;
  readonly seconds: number;
}

export interface AskResult {
  readonly result: EpisodeResult;
  readonly documentTokens: number;
  /** The token at which this run started to read; 0 unless it resumed. */
  readonly resumedAtToken: number;
  readonly seconds: number;
  readonly trace: Trace;
}

/** The error where a model has said nothing, or only an empty box. */
export const emptyAnswer = () =>
  new PalimpsestError("UNAVAILABLE", "the model's answer is empty; ask again, or ask another model");

/**
 * Answers a question about a text with a memory agent.
 * @throws {AgentError | EngineError | ModelError | PalimpsestError}; the signal's reason, after the position was
 *   saved
 */
export async function ask(options: AskOptions): Promise<AskResult> {
  const { model, settings, question, text, stateFile, signal } = options;
  const { tokenizer } = model;
  const { module } = options;
  const agent = createAgent(settings, { ...model, ...(module ? { module } : {}) });
  const ids = documentIds(options);
  const of = {
    document: hashOf(text),
    question: hashOf(question),
    model: model.name,
    "agent or setting": hashOf(settings),
    temperature: String(options.temperature),
    seed: String(options.seed),
  };
  const earlier = stateFile === undefined ? undefined : await readAskState(stateFile, of);
  const writer = stateFile === undefined ? undefined : await AskStateWriter.open(stateFile);
  const conversations = [...(earlier?.conversations ?? [])];
  const memorySteps = [...(earlier?.memorySteps ?? [])];
  const startedAtMs = Date.now();
  let lastAtMs = startedAtMs;
  options.onStart?.({
    documentTokens: ids.length,
    documentTokensRead: earlier?.episode.documentTokensRead ?? 0,
    memory: memorySteps.at(-1)?.memory ?? "",
  });

  const onProgress = ({ conversation, memoryStep, documentTokensRead, state }: AgentProgress) => {
    const nowMs = Date.now();
    const seconds = (nowMs - lastAtMs) / 1000;
    lastAtMs = nowMs;
    const { kind, step, stopReason, policyVersion, promptTokenIds, sampledTokenIds } = conversation;
    conversations.push({
      kind,
      step,
      promptTokens: promptTokenIds.length,
      sampledTokens: sampledTokenIds.length,
      stopReason,
      policyVersion,
      sampled: tokenizer.decode([...sampledTokenIds]),
      seconds,
    });
    if (memoryStep !== undefined) memorySteps.push(stepOf(memoryStep));
    if (state !== undefined) {
      const secondsBefore = (earlier?.secondsBefore ?? 0) + (nowMs - startedAtMs) / 1000;
      const now: AskState = {
        of,
        episode: state,
        conversations: [...conversations],
        memorySteps: [...memorySteps],
        secondsBefore,
      };
      writer?.put(now);
    }
    options.onStep?.({
      step,
      kind,
      ...(memoryStep === undefined ? {} : { memoryStep }),
      documentTokensRead,
      sampledTokens: sampledTokenIds.length,
      truncated: stopReason === "length",
      seconds,
    });
  };

  let result: EpisodeResult;
  try {
    result = await agent.run(
      { question, document: text },
      {
        signal,
        seed: options.seed,
        temperature: options.temperature,
        record: "none",
        onProgress,
        ...(earlier === undefined ? {} : { resumeFrom: earlier.episode }),
      },
    );
  } catch (reason) {
    await writer?.flush();
    // What the model was asked and remembers is shown, before the caller refuses the empty answer.
    const kept = reason instanceof AgentError ? reason.details["result"] : undefined;
    if (kept === undefined) throw withMend(reason, options);
    result = kept as EpisodeResult;
  }
  await writer?.close();
  const trace: Trace = {
    version: traceVersion,
    origin: "ask",
    trajectoryId: `ask-${startedAtMs}-${hashOf(of)}`,
    agent: agent.name,
    model: model.name,
    task: { id: options.document, question, answers: [] },
    answer: result.answer,
    documentTokens: ids.length,
    droppedDocumentTokens: result.droppedDocumentTokens,
    conversations,
    memorySteps: memorySteps.map((step) => ({
      ...step,
      section: tokenizer.decode(ids.slice(step.documentTokenStart, step.documentTokenEnd)),
    })),
    ...(result.counters === undefined ? {} : { counters: { ...result.counters } }),
    policyVersionMin: result.policyVersionMin,
    policyVersionMax: result.policyVersionMax,
    weightsHash: result.weightsHash,
    startedAtMs,
    endedAtMs: Date.now(),
  };
  return {
    result,
    documentTokens: ids.length,
    resumedAtToken: earlier?.episode.documentPosition ?? 0,
    seconds: (earlier?.secondsBefore ?? 0) + (Date.now() - startedAtMs) / 1000,
    trace,
  };
}

const stepOf = ({ step, documentTokenStart, documentTokenEnd, memory, recalled, ...more }: MemoryStep) => ({
  step,
  documentTokenStart,
  documentTokenEnd,
  memory,
  recalled,
  ...(more.head === undefined ? {} : { head: more.head }),
  ...(more.written === undefined ? {} : { written: more.written }),
  ...(more.exit === undefined ? {} : { exit: more.exit }),
  ...(more.recallQuery ? { recallQuery: more.recallQuery } : {}),
  ...(more.found ? { found: more.found } : {}),
});

function documentIds({ model, text, document, question }: AskOptions): readonly number[] {
  try {
    return model.tokenizer.encode(text, { specialTokens: "text" });
  } catch (reason) {
    throw withMend(reason, { question, document, text });
  }
}

/**
 * Adds the fix to an error about a text that the model cannot read, in the words of the command. A prompt that is too long
 * is recognized by words, because each server has its own message for it.
 */
function withMend(
  reason: unknown,
  { question, document, text }: Pick<AskOptions, "question" | "document" | "text">,
): unknown {
  const message = reason instanceof Error ? reason.message : "";
  const [, prompt, reply, context] =
    /prompt \+ maxTokens is (\d+) \+ (\d+); the sampler's maxLength is (\d+)/.exec(message) ?? [];
  if (context !== undefined)
    return new PalimpsestError(
      "INVALID_ARGUMENT",
      `--context: ${context} tokens are too few for a prompt of ${prompt} and a reply of up to ${reply}; give at least ${Number(prompt) + Number(reply)} if the model has as many, or read less at once, such as with --set chunkTokens=…`,
      { cause: reason },
    );
  const [, culprit] = /^(?:\[\w+\] )?("(?:[^"\\]|\\.)*") is outside the alphabet/.exec(message) ?? [];
  if (culprit !== undefined) {
    const sign: unknown = JSON.parse(culprit);
    const where = text.includes(String(sign)) && !question.includes(String(sign)) ? document : "--question";
    return new PalimpsestError(
      "INVALID_ARGUMENT",
      `${where}: ${culprit} is a sign that the model was not trained to read; leave it out, or ask another --model`,
      { cause: reason },
    );
  }
  // The engine names the setting, as a library does.
  const setting = "a smaller chunkTokens";
  const tooLong = /\[REFUSED\].*\b(context|too long|maximum|exceeds?)\b/i.test(message);
  if (!tooLong) return reason;
  return new PalimpsestError(
    "INVALID_ARGUMENT",
    message.includes(setting)
      ? message.replace(setting, "a smaller --set chunkTokens=…")
      : `${message}; if the sections are too long for the server's model, use a smaller --set chunkTokens=…`,
    { cause: reason },
  );
}
