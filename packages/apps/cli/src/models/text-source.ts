import type { ChatMessage } from "@palimpsest/model";
import type { Command } from "commander";
import { InvalidArgumentError } from "commander";
import { withLoadingScreen } from "../display/loading-screen.js";
import { parseAmount, parseWhole } from "../input/key-values.js";
import { endpointNames, noteLeftOut } from "./agent-model.js";
import { type BackendChoice, backendOption } from "./backend-option.js";
import { withIgnoreConfig } from "./model-input.js";
import { type SingleWeights, singleWeightsOption } from "./single-weights.js";

/** What a command asks a model: to answer a conversation, or to continue a text. */
export interface TextQuestion {
  readonly messages?: readonly ChatMessage[];
  readonly prompt?: string;
  readonly seed?: number;
  readonly signal?: AbortSignal;
}

interface TextAnswer {
  readonly text: string;
  readonly stopReason: "stop" | "length";
  readonly usage: { readonly promptTokens: number | undefined; readonly sampledTokens: number | undefined };
  /** Set if the model runs in this process. */
  readonly tokenIds?: readonly number[];
  readonly rolloutLogprobs?: readonly number[];
}

interface AnswerStream extends AsyncIterable<string> {
  readonly result: Promise<TextAnswer>;
}

/** A language model for commands that generate text: in this process, or on a server. */
export interface TextSource {
  readonly name: string;
  ask(question: TextQuestion): AnswerStream;
  close(): Promise<void>;
}

export interface SamplingFlags {
  readonly maxTokens: number;
  readonly temperature: number;
  readonly topP: number;
  readonly topK?: number;
  readonly minP?: number;
  readonly stop?: readonly string[];
  readonly seed?: number;
}

export interface SourceFlags {
  readonly endpoint?: string;
  /** The server's name for its model. */
  readonly model?: string;
  readonly backend: BackendChoice;
  /** Default: as precise as batches. */
  readonly singleWeights?: SingleWeights;
  readonly ignoreConfig?: readonly string[];
}

export const defaultModel = "smollm2-135m-instruct";

export function withSamplingFlags(command: Command): Command {
  return command
    .option("--max-tokens <n>", "maximum tokens of the answer", parseWhole, 512)
    .option("--temperature <t>", "0 is greedy", parseAmount, 0.7)
    .option("--top-p <p>", "samples from the likeliest tokens with this total probability", parseShare, 0.95)
    .option("--top-k <n>", "samples from the n likeliest tokens", parseWhole)
    .option(
      "--min-p <p>",
      "samples from tokens whose probability is at least this fraction of the likeliest's",
      parseShare,
    )
    .option("--stop <text...>", "strings that end the answer and are not part of it")
    .option(
      "--seed <n>",
      "seed of sampling: the same seed gives the same answer; default: random",
      parseWhole,
    );
}

export function withSourceFlags(command: Command): Command {
  return withIgnoreConfig(command)
    .option(
      "--endpoint <url>",
      `URL of an OpenAI-compatible server to use instead; its key comes from ${endpointNames.apiKey}`,
    )
    .option("--model <name>", "the server's name for its model; default: the first that it lists")
    .addOption(backendOption())
    .addOption(singleWeightsOption());
}

function parseShare(text: string): number {
  const value = parseAmount(text);
  if (value > 1) throw new InvalidArgumentError(`"${text}" is not in [0, 1]`);
  return value;
}

/** Opens the model that the flags name. */
export async function openTextSource(
  model: string,
  flags: SourceFlags & SamplingFlags,
  options: { readonly parallel: number },
): Promise<TextSource> {
  const { maxTokens, temperature, topP, topK, minP, stop } = flags;
  const settings = {
    maxTokens,
    temperature,
    topP,
    ...(topK === undefined ? {} : { topK }),
    ...(minP === undefined ? {} : { minP }),
    ...(stop === undefined ? {} : { stop }),
  };
  return flags.endpoint === undefined
    ? await openLocal(model, flags, settings, options)
    : await openEndpoint(flags.endpoint, flags, settings);
}

type Settings = Omit<SamplingFlags, "seed">;

async function openLocal(
  name: string,
  { backend: prefer, singleWeights, ignoreConfig }: SourceFlags,
  settings: Settings,
  { parallel }: { readonly parallel: number },
): Promise<TextSource> {
  const { readModelInput } = await import("./model-input.js");
  const { createTextModel } = await import("@palimpsest/model");
  const { loadBackend } = await import("@palimpsest/jit");
  const { backend, model } = await withLoadingScreen(`loading ${name} …`, process.stderr, async () => {
    const loaded = await readModelInput(name, ignoreConfig === undefined ? {} : { ignoreConfig });
    const backend = await loadBackend({ prefer });
    const options = {
      backend,
      maxBatch: parallel,
      ...(singleWeights === undefined ? {} : { singleWeights }),
    };
    return { backend, model: createTextModel(loaded, options) };
  });
  return {
    name: `${name} on ${backend.name}`,
    ask: ({ messages, prompt, ...more }) =>
      model.streamText({ ...settings, ...more, ...asked(messages, prompt) }),
    close: () => model.close(),
  };
}

async function openEndpoint(url: string, { model }: SourceFlags, settings: Settings): Promise<TextSource> {
  const { ChatEndpoint } = await import("@palimpsest/engines");
  const apiKey = process.env[endpointNames.apiKey];
  const endpoint = new ChatEndpoint({
    url,
    names: endpointNames,
    ...(model === undefined ? {} : { model }),
    ...(apiKey ? { apiKey } : {}),
  });
  return {
    name: `${model ?? "the model"} at ${url}`,
    ask: ({ messages, prompt, ...more }) =>
      endpoint.streamText({
        ...settings,
        ...more,
        ...asked(messages, prompt),
        mayLeaveOut: ["seed"],
        onRetry: noteLeftOut,
      }),
    close: () => endpoint.close(),
  };
}

const asked = (messages: readonly ChatMessage[] | undefined, prompt: string | undefined) =>
  messages === undefined ? { prompt: prompt ?? "" } : { messages };
