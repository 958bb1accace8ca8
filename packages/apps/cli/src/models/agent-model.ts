import type { ChatFormat, Sampler, Tokenizer } from "@palimpsest/agents";
import type { EndpointSamplerConfig, Retry } from "@palimpsest/engines";
import type { ModelFolder } from "@palimpsest/model";
import { PalimpsestError } from "@palimpsest/wire";
import { withLoadingScreen } from "../display/loading-screen.js";
import type { BackendChoice } from "./backend-option.js";
import { modelCache } from "./model-cache.js";
import { readModelInput } from "./model-input.js";
import { shippedAgentName } from "./shipped-agent-name.js";
import type { SingleWeights } from "./single-weights.js";

export interface AgentModelOptions {
  /** A model argument, a run or a checkpoint; with `endpoint`, the server's name for its model. */
  readonly model?: string;
  /** URL of an OpenAI-compatible server. Its key is in OPENAI_API_KEY. */
  readonly endpoint?: string;
  /** With `endpoint`: the folder or name of the model whose tokenizer counts and truncates texts. */
  readonly tokenizer?: string;
  /** For a local model: unknown fields of its config.json that do not change it. */
  readonly ignoreConfig?: readonly string[] | undefined;
  /** auto, tensorflow, wasm or cpu. */
  readonly backend?: BackendChoice;
  /** The number of requests that are sampled at once. Default 4. */
  readonly parallel?: number;
  /**
   * For a local model: the maximum tokens of prompt and reply together. Default: the model's own limit, at most 4096.
   */
  readonly maxLength?: number;
  /** For a local model on a CPU. Default auto. */
  readonly singleWeights?: SingleWeights;
  /** Makes `auto` int8 on a CPU, which is the fastest and needs the least memory. */
  readonly prefersInt8?: boolean;
  /** For an endpoint: attempts, deadlines, and whether its model thinks. */
  readonly engine?: Partial<Omit<EndpointSamplerConfig, "url" | "model">>;
  /** Called for every failed attempt at an endpoint that is retried. */
  readonly onRetry?: (retry: Retry) => void;
  readonly signal?: AbortSignal;
}

/** A language model for agents: `createAgent(settings, model)`. */
export interface AgentModel {
  /** Name for reports, such as "smollm2-135m-instruct on tensorflow". */
  readonly name: string;
  readonly sampler: Sampler;
  readonly tokenizer: Tokenizer;
  /** Absent if the model has no chat template. */
  readonly chat?: ChatFormat;
  /** The maximum tokens of prompt and reply together, if known. */
  readonly contextTokens?: number;
  /** Set for a local model. */
  readonly parameterCount?: number;
  /** Whether its samples come with log-probs. */
  readonly trainable: boolean;
  close(): Promise<void>;
}

export const defaultAgentModel = "smollm2-135m-instruct";
const defaultMaxLength = 4096;
/** A server's key is read from the environment, because a flag would be visible in the process list. */
const apiKeyVariable = "OPENAI_API_KEY";
/** What errors of an endpoint call its settings. */
export const endpointNames = {
  url: "--endpoint",
  apiKey: apiKeyVariable,
  model: "--model",
  temperature: "temperature",
} as const;

/** Returns the deadlines of an attempt and of all attempts, which leaves room for a second one, named as the flag. */
export function deadlineOf(seconds: number | undefined): NonNullable<AgentModelOptions["engine"]> {
  const names = { attemptTimeoutMs: "--timeout", timeoutMs: "--timeout" };
  if (seconds === undefined) return { names };
  const ms = seconds * 1_000;
  return {
    attemptTimeoutMs: Math.ceil(ms),
    timeoutMs: Math.min(2 ** 31 - 1, Math.max(600_000, Math.ceil(2 * ms))),
    names,
  };
}

/** Returns the remark about a field that a server refuses; undefined for other retries. */
export function leftOutNote({ leftOut, reason }: Retry): string | undefined {
  if (leftOut === undefined) return undefined;
  const effect =
    leftOut === "seed"
      ? "so the same question may get other answers in the next run"
      : "so the server uses its own";
  return `the server refuses ${leftOut}, which is left out from now on, ${effect}: ${reason.said ?? reason.message}`;
}

/**
 * Opens a model in this process, or one on a server if `endpoint` is set.
 * @throws {ModelError | EngineError | PalimpsestError}; the signal's reason
 */
export async function openAgentModel(options: AgentModelOptions): Promise<AgentModel> {
  return options.endpoint === undefined
    ? await openLocal(options)
    : await openServed(options.endpoint, options);
}

/** Identifies local weights by their hash, and a server's weights by the model's name and the server's URL. */
export function identityOf(
  { name, sampler }: AgentModel,
  endpoint: string | undefined,
): Readonly<Record<string, string>> {
  const hash = "weightsHash" in sampler ? sampler.weightsHash : undefined;
  if (typeof hash === "string" && hash !== "") return { weightsHash: hash };
  return { name: name || defaultAgentModel, ...(endpoint === undefined ? {} : { endpoint }) };
}

async function openServed(url: string, options: AgentModelOptions): Promise<AgentModel> {
  const { openEndpoint } = await import("@palimpsest/engines");
  const { model, tokenizer: tokenizerFrom, parallel, engine, onRetry, signal } = options;
  const apiKey = process.env[apiKeyVariable];
  const tokenizer = tokenizerFrom === undefined ? undefined : await readTokenizer(tokenizerFrom);
  const opened = await openEndpoint(
    {
      url,
      ...(model === undefined ? {} : { model }),
      ...(apiKey ? { apiKey } : {}),
      ...(parallel === undefined ? {} : { maxConcurrency: parallel }),
      ...engine,
      names: { ...endpointNames, ...engine?.names },
    },
    {
      ...(tokenizer === undefined ? {} : { tokenizer }),
      onRetry: onRetry ?? noteLeftOut,
      ...(signal === undefined ? {} : { signal }),
    },
  );
  return { ...opened, name: `${opened.name} at ${url}`, trainable: false };
}

/** Says which field a server refuses; other retries are not worth a line of their own. */
export function noteLeftOut(retry: Retry): void {
  const note = leftOutNote(retry);
  if (note !== undefined) process.stderr.write(`${note}\n`);
}

async function readTokenizer(name: string) {
  const { modelPath } = await import("./model-input.js");
  const { loadTokenizer } = await import("@palimpsest/model");
  return await loadTokenizer(await modelPath(name));
}

async function openLocal(options: AgentModelOptions): Promise<AgentModel> {
  const { model: name = defaultAgentModel, backend: prefer = "auto", parallel = 4 } = options;
  const { createSampler } = await import("@palimpsest/model");
  const { loadBackend } = await import("@palimpsest/jit");
  return await withLoadingScreen(`loading ${name} …`, process.stderr, async () => {
    const loaded = await readLocal(name, options);
    const { config, parameters, tokenizer } = loaded;
    if (tokenizer === undefined) {
      throw new PalimpsestError(
        "CONFIG_INVALID",
        `model ${name}: has no tokenizer; put its tokenizer.json into the folder`,
      );
    }
    const maxLength = Math.min(config.maxPositions, options.maxLength ?? defaultMaxLength);
    const backend = await loadBackend({ prefer });
    const { singleWeights = "auto", prefersInt8 = false } = options;
    const takesInt8 =
      prefersInt8 && singleWeights === "auto" && backend.name === "tensorflow" && !backend.gpu;
    const sampler = createSampler({
      backend,
      config,
      parameters,
      maxBatch: parallel,
      maxLength,
      decode: (tokenIds) => tokenizer.decode(tokenIds),
      singleWeights: takesInt8 ? "int8" : singleWeights,
    });
    const chat = await chatOf(loaded);
    return {
      name: `${name} on ${backend.name}`,
      sampler,
      tokenizer,
      ...(chat === undefined ? {} : { chat }),
      contextTokens: maxLength,
      parameterCount: Object.values(parameters).reduce((sum, { length }) => sum + length, 0),
      trainable: true,
      close: () => sampler.close(),
    };
  });
}

async function readLocal(name: string, { ignoreConfig }: AgentModelOptions): Promise<ModelFolder> {
  if (name === shippedAgentName) return await (await import("./shipped-agent.js")).readShippedAgent();
  const { holdsRunModel, readRunModel } = await import("@palimpsest/trainer");
  if (holdsRunModel(name)) return await readRunModel(name, modelCache());
  return await readModelInput(name, ignoreConfig === undefined ? {} : { ignoreConfig });
}

/** Returns the model's own template, with every token that ends an answer. */
async function chatOf({ tokenizer, generationConfig }: ModelFolder): Promise<ChatFormat | undefined> {
  const { ChatTemplate, endTokens } = await import("@palimpsest/model");
  if (tokenizer === undefined || !ChatTemplate.has(tokenizer)) return undefined;
  const template = new ChatTemplate(tokenizer);
  const stopTokens = endTokens(tokenizer, generationConfig);
  if (stopTokens.length === 0) return undefined;
  return {
    render: (turns, options) => template.render(turns, options),
    specialTokens: template.specialTokens,
    stopTokens,
  };
}
