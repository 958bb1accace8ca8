/** Responsibility: what a dry run reports about a recipe's engines: where they are, whether they answer, what they cost.
 *  Not responsible for: weights and episodes; nothing is started, and no server is changed. */

import { access, constants } from "node:fs/promises";
import { delimiter, isAbsolute, join, resolve } from "node:path";
import { ChatEndpoint, EngineError, HttpSampler } from "@palimpsest/engines";
import { readToken } from "@palimpsest/rewards";
import { withDeadline } from "@palimpsest/std";
import { type EngineSettings, engineCount, loadOf } from "../recipe/engine-settings.js";
import type { Recipe } from "../recipe/recipe-schema.js";
import { logprobsRemedy } from "./engine-server.js";
import { weightsRoot } from "./weights-root.js";

/** Timeout of all questions to one server, because a dry run does not wait for one that is down. */
const defaultAnswerMs = 5_000;

/** The inference servers of a run: how many, who starts them, and what they lease. */
export interface EnginePlan {
  readonly kind: EngineSettings["kind"];
  readonly count: number;
  /** Whether the run starts them. */
  readonly started: boolean;
  /** CPUs that each one's rollout actor leases; a server that the run starts computes on them. */
  readonly cpus: number;
  readonly gpus: number;
  readonly load: "reload" | "restart";
  readonly adapters: EngineSettings["adapters"];
  /** Bytes of whole weights that are written for each engine, after every update unless adapters are served, without the file that `prepare` makes of them. */
  readonly versionBytes: number;
  /** The folder into which the versions are written. */
  readonly weightsDir: string;
  /** Each running server, or each program to be run, and what is known about it from this machine. */
  readonly found: readonly { readonly name: string; readonly said: string }[];
  /** Problems of servers that answer; one that does not answer here may be reachable from the nodes. */
  readonly problems: readonly string[];
}

export interface EnginePlanOptions {
  readonly versionBytes: number;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly signal?: AbortSignal | undefined;
  /** Default 5 s. */
  readonly answerMs?: number;
}

/** The answers of a server, or the fact that it does not answer. */
interface Asked {
  readonly name: string;
  readonly said: string;
  readonly problems: readonly string[];
}

/** @returns undefined for a recipe without engines */
export async function planEngines(
  recipe: Recipe,
  options: EnginePlanOptions,
): Promise<EnginePlan | undefined> {
  const { rollout } = recipe;
  const { engine } = rollout;
  if (engine === undefined) return undefined;
  const { addresses, start } = engine;
  const found =
    start === undefined
      ? await Promise.all((addresses ?? []).map((address) => askServer(address, recipe, engine, options)))
      : await Promise.all(
          [start.command, ...(start.prepare === undefined ? [] : [start.prepare.command])].map((command) =>
            lookForProgram(command, { ...options.environment, ...start.environment }),
          ),
        );
  return {
    kind: engine.kind,
    count: engineCount(engine),
    started: start !== undefined,
    cpus: rollout.cpus,
    gpus: rollout.gpus,
    load: loadOf(engine),
    adapters: engine.adapters,
    versionBytes: options.versionBytes,
    weightsDir: weightsRoot(engine, options.versionBytes),
    found: found.map(({ name, said }) => ({ name, said })),
    problems: found.flatMap(({ problems }) => problems),
  };
}

async function askServer(
  address: string,
  recipe: Recipe,
  engine: EngineSettings,
  { environment, signal: given, answerMs = defaultAnswerMs }: EnginePlanOptions,
): Promise<Asked> {
  let isLate = false;
  const late = () => {
    isLate = true;
    return new Error("the server is late");
  };
  try {
    const apiKey = await readToken({ tokenEnv: engine.tokenEnv }, environment);
    return await withDeadline({ timeoutMs: answerMs, signals: [given], late }, (signal) =>
      answersOf(address, recipe, engine, { apiKey, signal }),
    );
  } catch (reason) {
    given?.throwIfAborted();
    const why = isLate
      ? `within ${answerMs} ms`
      : `from this machine: ${reason instanceof Error ? reason.message : String(reason)}`;
    return { name: address, said: `does not answer ${why}`, problems: [] };
  }
}

/** @throws {EngineError} if it does not answer; the signal's reason */
async function answersOf(
  address: string,
  { rollout }: Recipe,
  engine: EngineSettings,
  { apiKey, signal }: { readonly apiKey: string | undefined; readonly signal: AbortSignal },
): Promise<Asked> {
  const { kind, model } = engine;
  const common = { url: address, maxAttempts: 1, ...(apiKey === undefined ? {} : { apiKey }) };
  const named = model === undefined ? {} : { model };
  const sampler = new HttpSampler({
    ...common,
    ...named,
    kind: kind === "llama-cpp" ? "llamacpp" : kind,
    originalLogprobs: engine.originalLogprobs,
  });
  const texts = new ChatEndpoint({ ...common, ...named });
  const problem = (text: string) => `rollout.engine: the server at ${address} ${text}`;
  const problems: string[] = [];
  const said = ["answers"];
  try {
    await sampler.checkHealth(signal);
    const names = await texts.models(signal);
    const { name, contextTokens } = await texts.model({ signal });
    if (model !== undefined && !names.includes(model))
      problems.push(
        problem(
          `serves ${names.join(", ")}, but rollout.engine.model is ${model}; set it to a name that the server serves`,
        ),
      );
    said.push(
      `serves ${name}${contextTokens === undefined ? "" : `, ${contextTokens.toLocaleString("en-US")} tokens of context`}`,
    );
    if (contextTokens !== undefined && contextTokens < rollout.maxTokens)
      problems.push(
        problem(
          `has a context of ${contextTokens} tokens, but rollout.maxTokens is ${rollout.maxTokens}; start it with a longer context, or lower maxTokens`,
        ),
      );
    if (!(await sampler.offersReload(signal)))
      problems.push(
        problem(
          `cannot load new weights${kind === "vllm" ? "; start vLLM with VLLM_SERVER_DEV_MODE=1, or palimpsest serve with --weights-from" : ""}`,
        ),
      );
    if (engine.adapters === "served" && !(await sampler.offersAdapters(signal)))
      problems.push(
        problem(
          "loads no adapters while it runs; start vLLM with --enable-lora and VLLM_ALLOW_RUNTIME_LORA_UPDATING=True, SGLang with --enable-lora, or set rollout.engine.adapters to merged",
        ),
      );
    if (rollout.temperature !== 1 && problems.length === 0) {
      const mode = await sampler.probeLogprobs(signal);
      said.push(`log-probs ${mode === "processed_logprobs" ? "after" : "before"} the temperature`);
      if (mode !== "processed_logprobs")
        problems.push(
          problem(
            `reports log-probs at temperature 1, but rollout.temperature is ${rollout.temperature}; ${logprobsRemedy[kind]}`,
          ),
        );
    }
  } catch (reason) {
    if (!(reason instanceof EngineError) || signal.aborted || reason.status === undefined) throw reason;
    // It is up, but refuses what the run would ask, for example because the key is missing.
    said.push(`refuses: ${reason.message}`);
  } finally {
    await Promise.all([sampler.close(), texts.close()]);
  }
  return { name: address, said: said.join("; "), problems };
}

/** Looks for a program as a shell does. */
async function lookForProgram(
  command: string,
  { PATH = "" }: Readonly<Record<string, string | undefined>>,
): Promise<Asked> {
  const paths = command.includes("/")
    ? [isAbsolute(command) ? command : resolve(command)]
    : PATH.split(delimiter).map((folder) => join(folder, command));
  for (const path of paths) {
    const there = await access(path, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (there) return { name: command, said: "is on this machine", problems: [] };
  }
  return { name: command, said: "is not on this machine; install it on the nodes that run it", problems: [] };
}
