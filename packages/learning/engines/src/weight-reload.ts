import { z } from "zod";
import { EngineError } from "./error.js";
import type { HttpClient, PostOptions } from "./http-client.js";
import type { ServerKind } from "./server-kind.js";

/** A model folder that a server can load, with its version and SHA-256. */
export interface WeightsOnDisk {
  /** Path of a folder in the Hugging Face layout on the machine where the server runs. */
  readonly path: string;
  readonly policyVersion: number;
  readonly weightsHash: string;
}

const vllmReset = z.object({ success: z.boolean() });
const sglangReply = z.object({ success: z.boolean(), message: z.string().optional() });

/** Adapters in a folder in PEFT's layout, and the name under which a server gets them. */
export interface AdaptersOnDisk extends WeightsOnDisk {
  readonly name: string;
}

/** How long a load may take. */
type LoadOptions = Pick<PostOptions, "signal" | "deadline">;

interface ReloadOptions extends LoadOptions {
  /**
   * Called when the weights are in place and nothing is sampled yet. Absent: the load waits for running requests instead of
   * stopping them where they are.
   */
  readonly onLoaded?: (() => void) | undefined;
}

/** The endpoint with which each kind of server loads weights; absent when it cannot. */
const reloadPaths: Readonly<Record<ServerKind, string | undefined>> = {
  vllm: "/pause",
  sglang: "/update_weights_from_disk",
  llamacpp: undefined,
};

/** @throws {EngineError} what the client throws, except the refusal of a method */
export async function offersReload(
  kind: ServerKind,
  client: HttpClient,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const path = reloadPaths[kind];
  return path !== undefined && (await offers(path, client, signal));
}

async function offers(path: string, client: HttpClient, signal: AbortSignal | undefined): Promise<boolean> {
  try {
    return await ask(() => client.text(path, { signal }));
  } catch (reason) {
    if (reason instanceof EngineError && reason.status === 405) return true;
    throw reason;
  }
}

/** @throws {EngineError} UNSUPPORTED, REFUSED and what the client throws */
export async function reloadOn(
  kind: ServerKind,
  client: HttpClient,
  weights: WeightsOnDisk,
  options: ReloadOptions,
): Promise<void> {
  switch (kind) {
    case "vllm":
      return await reloadVllm(client, weights, options);
    case "sglang":
      return await reloadSglang(client, weights, options);
    case "llamacpp":
      throw new EngineError(
        "UNSUPPORTED",
        "llama.cpp: the server cannot load other weights while it runs; restart it with the new model, or serve the model with vLLM or SGLang",
      );
  }
}

/**
 * Pauses generation, lets every worker read the folder, drops the prefix cache of the old weights, and resumes. The
 * endpoints are those of vLLM's development mode. Requests that were stopped where they are have their keys and values dropped,
 * too, and go on once the new weights have read what they have so far.
 */
async function reloadVllm(
  client: HttpClient,
  { path }: WeightsOnDisk,
  { onLoaded, ...given }: ReloadOptions,
): Promise<void> {
  const options = { ...given, inTurn: true };
  const [pause, reset] =
    onLoaded === undefined
      ? ["/pause?mode=wait", "/reset_prefix_cache"]
      : ["/pause?mode=keep&clear_cache=false", "/reset_prefix_cache?reset_running_requests=true"];
  const offered = await ask(() => client.post(pause, undefined, options));
  if (!offered) {
    throw new EngineError(
      "UNSUPPORTED",
      "vLLM: the server has no endpoint /pause; start it with VLLM_SERVER_DEV_MODE=1, in a version that can pause generation",
    );
  }
  try {
    const reload = { method: "reload_weights", kwargs: { weights_path: path } };
    await client.post("/collective_rpc", reload, options);
    const said = vllmReset.safeParse(await client.post(reset, undefined, options));
    // Older versions return nothing here.
    if (said.data?.success === false) {
      throw new EngineError(
        "SERVER_FAILED",
        "/reset_prefix_cache: the server refuses to drop the cached prefixes of the old weights; make sure that no other program sends it requests meanwhile",
      );
    }
    onLoaded?.();
  } finally {
    // This is done after an abort as well, because a server that stays paused answers nobody.
    await client.post("/resume", undefined, { inTurn: true });
  }
}

async function reloadSglang(
  client: HttpClient,
  { path, policyVersion }: WeightsOnDisk,
  options: LoadOptions,
): Promise<void> {
  const body = { model_path: path, weight_version: String(policyVersion), flush_cache: true };
  const said = await client.post("/update_weights_from_disk", body, { ...options, inTurn: true });
  const reply = sglangReply.safeParse(said);
  if (!reply.success)
    throw new EngineError("BAD_REPLY", "/update_weights_from_disk: the answer has no `success`");
  if (!reply.data.success) {
    throw new EngineError("REFUSED", `/update_weights_from_disk: ${reply.data.message ?? "no reason given"}`);
  }
}

/** The endpoints with which each kind of server loads and drops adapters while it samples; absent when it cannot. */
const adapterPaths: Readonly<
  Record<ServerKind, { readonly load: string; readonly drop: string } | undefined>
> = {
  vllm: { load: "/v1/load_lora_adapter", drop: "/v1/unload_lora_adapter" },
  sglang: { load: "/load_lora_adapter", drop: "/unload_lora_adapter" },
  llamacpp: undefined,
};

/** Returns whether the server has the endpoint; it asks with a method that changes nothing. */
export async function offersAdapters(
  kind: ServerKind,
  client: HttpClient,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const path = adapterPaths[kind]?.load;
  return path !== undefined && (await offers(path, client, signal));
}

/** @throws {EngineError} UNSUPPORTED, REFUSED and what the client throws */
export async function loadAdaptersOn(
  kind: ServerKind,
  client: HttpClient,
  { name, path }: AdaptersOnDisk,
  options: LoadOptions,
): Promise<void> {
  const load = adapterPaths[kind]?.load;
  const body = { lora_name: name, lora_path: path };
  // A load must not wait for a place, because it does not disturb what is sampled with other adapters.
  const loaded =
    load !== undefined && (await ask(() => client.postForText(load, body, { ...options, inTurn: true })));
  if (loaded) return;
  throw new EngineError(
    "UNSUPPORTED",
    `${kind}: the server loads no adapters while it runs; start vLLM with --enable-lora and VLLM_ALLOW_RUNTIME_LORA_UPDATING=True, SGLang with --enable-lora, or send the weights merged`,
  );
}

/** Drops adapters that are no longer sampled with. */
export async function dropAdapters(kind: ServerKind, client: HttpClient, name: string): Promise<void> {
  const drop = adapterPaths[kind]?.drop;
  if (drop !== undefined) await client.postForText(drop, { lora_name: name }, { inTurn: true });
}

/** Returns false when there is no such endpoint. */
async function ask(call: () => Promise<unknown>): Promise<boolean> {
  try {
    await call();
    return true;
  } catch (reason) {
    if (reason instanceof EngineError && reason.status === 404) return false;
    throw reason;
  }
}
