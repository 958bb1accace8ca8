import { z } from "zod";
import { EngineError } from "./error.js";
import type { HttpClient } from "./http-client.js";
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
  if (path === undefined) return false;
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
  signal: AbortSignal | undefined,
): Promise<void> {
  switch (kind) {
    case "vllm":
      return await reloadVllm(client, weights, signal);
    case "sglang":
      return await reloadSglang(client, weights, signal);
    case "llamacpp":
      throw new EngineError(
        "UNSUPPORTED",
        "llama.cpp: the server cannot load other weights while it runs; restart it with the new model, or serve the model with vLLM or SGLang",
      );
  }
}

/**
 * Pauses generation, lets every worker read the folder, drops the prefix cache of the old weights, and resumes. The
 * endpoints are those of vLLM's development mode.
 */
async function reloadVllm(
  client: HttpClient,
  { path }: WeightsOnDisk,
  signal: AbortSignal | undefined,
): Promise<void> {
  const options = { signal, inTurn: true };
  const offered = await ask(() => client.post("/pause?mode=wait", undefined, options));
  if (!offered) {
    throw new EngineError(
      "UNSUPPORTED",
      "vLLM: the server has no endpoint /pause; start it with VLLM_SERVER_DEV_MODE=1, in a version that can pause generation",
    );
  }
  try {
    const reload = { method: "reload_weights", kwargs: { weights_path: path } };
    await client.post("/collective_rpc", reload, options);
    const reset = vllmReset.safeParse(await client.post("/reset_prefix_cache", undefined, options));
    // Older versions return nothing here.
    if (reset.data?.success === false) {
      throw new EngineError(
        "SERVER_FAILED",
        "/reset_prefix_cache: the server refuses to drop the cached prefixes of the old weights; make sure that no other program sends it requests meanwhile",
      );
    }
  } finally {
    // This is done after an abort as well, because a server that stays paused answers nobody.
    await client.post("/resume", undefined, { inTurn: true });
  }
}

async function reloadSglang(
  client: HttpClient,
  { path, policyVersion }: WeightsOnDisk,
  signal: AbortSignal | undefined,
): Promise<void> {
  const body = { model_path: path, weight_version: String(policyVersion), flush_cache: true };
  const said = await client.post("/update_weights_from_disk", body, { signal, inTurn: true });
  const reply = sglangReply.safeParse(said);
  if (!reply.success)
    throw new EngineError("BAD_REPLY", "/update_weights_from_disk: the answer has no `success`");
  if (!reply.data.success) {
    throw new EngineError("REFUSED", `/update_weights_from_disk: ${reply.data.message ?? "no reason given"}`);
  }
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
