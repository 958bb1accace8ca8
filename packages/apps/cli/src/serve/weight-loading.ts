/**
 * Responsibility: loads other weights into a running server, with the requests of vLLM's development mode.
 * Not responsible for: admission (the guard), or running requests, which the sampler finishes first.
 */
import { realpath } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { sep } from "node:path";
import { loadModel } from "@palimpsest/model";
import { z } from "zod";
import { sendJson } from "./answering.js";
import { ApiError } from "./api-error.js";
import { readJson } from "./request-body.js";
import { parseBody } from "./request-fields.js";
import type { ServedModel } from "./served-model.js";

const loadPath = "/collective_rpc";
/**
 * These requests are answered without an effect, because the sampler itself changes weights between requests and drops
 * cached prefixes.
 */
const formalities = ["/pause", "/resume", "/reset_prefix_cache"];

const reloadSchema = z.strictObject({
  method: z.literal("reload_weights", { error: "only reload_weights is supported" }),
  kwargs: z.strictObject({ weights_path: z.string().min(1) }),
});

export function isWeightLoading(path: string): boolean {
  return path === loadPath || formalities.includes(path);
}

/**
 * Loads the weights that a request names, or acknowledges a request that has no effect.
 * @param within the folder from which weights may be read; other paths are refused
 * @throws {ApiError} invalid_value and others
 */
export async function answerWeightLoading(
  path: string,
  request: IncomingMessage,
  response: ServerResponse,
  options: { readonly model: ServedModel; readonly within: string; readonly maxBodyBytes: number },
): Promise<void> {
  if (request.method !== "POST")
    throw new ApiError("method_not_allowed", `${path}: method ${request.method} is not served; use POST`);
  if (path === loadPath) {
    const body = parseBody(reloadSchema, (await readJson(request, options.maxBodyBytes)).json);
    await load(body.kwargs.weights_path, options);
    sendJson(response, 200, { results: [null] });
  } else {
    request.resume();
    sendJson(response, 200, { success: true });
  }
}

async function load(
  folder: string,
  { model, within }: { readonly model: ServedModel; readonly within: string },
): Promise<void> {
  const refuse = (why: string) =>
    new ApiError("invalid_value", `kwargs.weights_path: ${why}`, { param: "kwargs.weights_path" });
  const found = await realpath(folder).catch(() => undefined);
  if (found === undefined) throw refuse("the folder does not exist; give one that the server can read");
  if (!found.startsWith((await realpath(within)) + sep))
    throw refuse("the folder is outside that of --weights-from; give one inside it");
  const { sampler } = model;
  try {
    const { parameters } = await loadModel(found);
    await sampler.setWeights(parameters, sampler.policyVersion + 1);
  } catch (reason) {
    throw refuse(`cannot be loaded: ${reason instanceof Error ? reason.message : String(reason)}`);
  }
}
