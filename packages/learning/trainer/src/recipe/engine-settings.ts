/** Responsibility: a recipe's settings for servers that sample instead of the rollout actors.
 *  Not responsible for: the servers' protocols (packages/learning/engines), how they are started and given weights. */
import { isAbsolute } from "node:path";
import { z } from "zod";

const nonEmpty = z.string().min(1);

/** Names in recipes; packages/learning/engines spells llama.cpp as one word. */
const engineKinds = ["vllm", "sglang", "llama-cpp", "openai"] as const;

const startSchema = z
  .strictObject({
    command: nonEmpty.describe("program that serves the model; it is looked up on the node's PATH"),
    arguments: z
      .array(z.string())
      .default([])
      .describe(
        "arguments of the program; {port} is replaced by a free port of 127.0.0.1, {model} by the folder of the weights, {file} by the file that `prepare` makes of that folder",
      ),
    environment: z
      .record(z.string(), z.string())
      .default({})
      .describe("environment variables of the program, in addition to those of the node"),
    prepare: z
      .strictObject({
        command: nonEmpty.describe("program that runs before each start of the server"),
        arguments: z
          .array(z.string())
          .default([])
          .describe("arguments of this program; {model} and {file} are replaced in the same way"),
      })
      .optional()
      .describe(
        "program that converts the folder of the weights to the file that the server reads, such as a GGUF file; absent: none",
      ),
    count: z.int().min(1).max(1024).default(1).describe("number of servers, each with its own rollout actor"),
  })
  .superRefine(({ arguments: given, prepare }, context) => {
    const refuse = (message: string) => context.addIssue({ code: "custom", path: ["arguments"], message });
    const all = given.join(" ");
    if (!all.includes("{port}"))
      refuse("{port} is missing, by which the run sets the port of the server; add it");
    if (!all.includes("{model}") && !all.includes("{file}"))
      refuse(
        "{model} and {file} are both missing, so the server would not serve the run's weights; add {model}",
      );
    if (all.includes("{file}") && prepare === undefined)
      refuse("{file} is the file that prepare makes, but prepare is absent; add prepare, or use {model}");
  });

export const engineSettingsSchema = z
  .strictObject({
    kind: z
      .enum(engineKinds)
      .describe(
        "kind of the servers, which determines the endpoints that are used; openai returns no token ids and is refused",
      ),
    addresses: z
      .array(z.url({ protocol: /^https?$/, error: "is not an address such as http://127.0.0.1:8000" }))
      .min(1)
      .max(1024)
      .optional()
      .describe(
        "addresses of servers that are already running, each with a rollout actor of its own; excludes `start`",
      ),
    start: startSchema
      .optional()
      .describe(
        "servers that the run starts, each as a child process of a rollout actor; excludes `addresses`",
      ),
    load: z
      .enum(["reload", "restart"])
      .optional()
      .describe(
        "how new weights are loaded. reload: through an endpoint of the server; restart: by a restart of the server, which the run must have started; absent: restart for llama-cpp, reload for the others",
      ),
    weightsType: z
      .enum(["bfloat16", "float32"])
      .default("bfloat16")
      .describe("type in which servers get whole weights; float32 for servers that compute in it"),
    adapters: z
      .enum(["merged", "served"])
      .default("merged")
      .describe(
        "how adapters of learner.lora get to the servers. merged: as whole weights; served: alone, under a name for each version, while the server samples; vLLM needs --enable-lora, --max-lora-rank and VLLM_ALLOW_RUNTIME_LORA_UPDATING=True, SGLang --enable-lora and --max-lora-rank",
      ),
    model: nonEmpty
      .optional()
      .describe("name under which the servers serve the model; servers with a single model do not need it"),
    tokenEnv: nonEmpty
      .optional()
      .describe("environment variable on the nodes with the servers' API key; absent: no key"),
    weightsDir: z
      .string()
      .refine(isAbsolute, { error: "must be an absolute path, because other machines read it as well" })
      .optional()
      .describe(
        "folder into which rollout actors write weights and from which servers read them, under the same path; absent: shared memory (/dev/shm) if it has room for two versions, else a temporary folder, both for servers on the same machine",
      ),
    originalLogprobs: z
      .boolean()
      .default(false)
      .describe("whether SGLang servers run with SGLANG_RETURN_ORIGINAL_LOGPROB=1"),
    maxRequests: z.int().min(1).max(4096).default(64).describe("most concurrent requests per server"),
    startTimeoutMs: z
      .int()
      .min(1_000)
      .default(600_000)
      .describe("longest time from a server's start until it answers, and longest time of `prepare`"),
    requestTimeoutMs: z
      .int()
      .min(1_000)
      .max(1_000_000_000)
      .default(240_000)
      .describe("longest time of one request"),
    loadTimeoutMs: z
      .int()
      .min(1_000)
      .max(2_000_000_000)
      .default(1_800_000)
      .describe("longest time of one load of weights into a server that runs"),
  })
  .superRefine((engine, context) => {
    const refuse = (path: string, message: string) =>
      context.addIssue({ code: "custom", path: [path], message });
    const { kind, addresses, start, load } = engine;
    if (kind === "openai") {
      refuse(
        "kind",
        "is openai, but such a server returns no token ids and cannot load new weights, so that its samples cannot be trained on; use vllm, sglang or llama-cpp (judges and teachers may be OpenAI-like servers)",
      );
    }
    if ((addresses === undefined) === (start === undefined))
      refuse("addresses", "set exactly one of addresses, for servers that already run, and start");
    if (start === undefined && loadOf({ kind, load }) === "restart") {
      refuse(
        "load",
        `is restart, but the run can restart only servers that it has started; set start instead of addresses`,
      );
    }
    if (kind === "llama-cpp" && load === "reload")
      refuse("load", "llama.cpp's server cannot load other weights; leave load out");
    const far = addresses?.find((address) => !isLoopback(address));
    if (far !== undefined && engine.weightsDir === undefined) {
      refuse(
        "weightsDir",
        `is absent, but ${far} may be on another machine; give a folder that rollout actors and servers have under the same path`,
      );
    }
  });

export type EngineSettings = z.infer<typeof engineSettingsSchema>;

export function loadOf({
  kind,
  load,
}: Pick<EngineSettings, "kind"> & { readonly load?: EngineSettings["load"] | undefined }) {
  return load ?? (kind === "llama-cpp" ? "restart" : "reload");
}

/** Number of engines; each has one rollout actor. */
export function engineCount({ addresses, start }: EngineSettings): number {
  return addresses?.length ?? start?.count ?? 1;
}

/**
 * Returns whether the run fails if an engine is not up at the start: either no other engine could do its work, or the run starts
 * it, so that a failure is the fault of the recipe's command.
 */
export function mustComeUp(engine: EngineSettings): boolean {
  return engineCount(engine) === 1 || engine.start !== undefined;
}

function isLoopback(address: string): boolean {
  const { hostname } = new URL(address);
  return hostname === "localhost" || hostname === "[::1]" || /^127\./.test(hostname);
}
