/** Responsibility: a recipe's settings for servers that sample instead of the rollout actors.
 *  Not responsible for: the servers' protocols (packages/engines), how they are started and given weights. */
import { isAbsolute } from "node:path";
import { z } from "zod";

const nonEmpty = z.string().min(1);

/** Names in recipes; packages/engines spells llama.cpp as one word. */
const engineKinds = ["vllm", "sglang", "llama-cpp", "openai"] as const;

const startSchema = z
  .strictObject({
    command: nonEmpty.describe("program that serves the model, found on the node as a shell finds it"),
    arguments: z
      .array(z.string())
      .default([])
      .describe(
        "its arguments; {port} is replaced by a free port of 127.0.0.1, {model} by the folder of the weights, {file} by the file that `prepare` makes from it",
      ),
    environment: z
      .record(z.string(), z.string())
      .default({})
      .describe("variables that it gets in addition to those of the node"),
    prepare: z
      .strictObject({
        command: nonEmpty.describe("program that runs before each start of the server"),
        arguments: z.array(z.string()).default([]).describe("its arguments; {model} and {file} as above"),
      })
      .optional()
      .describe("makes the file that the server reads from the folder, such as a GGUF; absent: nothing"),
    count: z.int().min(1).max(1024).default(1).describe("number of servers, each with its own rollout actor"),
  })
  .superRefine(({ arguments: given, prepare }, context) => {
    const refuse = (message: string) => context.addIssue({ code: "custom", path: ["arguments"], message });
    const all = given.join(" ");
    if (!all.includes("{port}"))
      refuse("{port} is missing: the run tells the server where to listen; add it");
    if (!all.includes("{model}") && !all.includes("{file}"))
      refuse("neither {model} nor {file} is there: the server would not have the run's weights; add {model}");
    if (all.includes("{file}") && prepare === undefined)
      refuse("{file} is made by prepare, and there is none; add it, or use {model}");
  });

export const engineSettingsSchema = z
  .strictObject({
    kind: z.enum(engineKinds).describe("whose endpoints are used; openai gives no token ids and is refused"),
    addresses: z
      .array(z.url({ protocol: /^https?$/, error: "is no address; give one such as http://127.0.0.1:8000" }))
      .min(1)
      .max(1024)
      .optional()
      .describe("servers that are already running, each with its own rollout actor; excludes `start`"),
    start: startSchema
      .optional()
      .describe(
        "servers that the run starts, each as a child process of a rollout actor; excludes `addresses`",
      ),
    load: z
      .enum(["reload", "restart"])
      .optional()
      .describe(
        "how new weights are loaded: reload, through the server's own endpoint, or restart of a server that the run has started; absent: restart for llama-cpp, reload for the others",
      ),
    model: nonEmpty
      .optional()
      .describe("the name under which the servers serve the model; not needed by servers of one model"),
    tokenEnv: nonEmpty
      .optional()
      .describe("variable of the nodes' environment with the servers' key; absent: no key"),
    weightsDir: z
      .string()
      .refine(isAbsolute, { error: "must be an absolute path: it is read on other machines, too" })
      .optional()
      .describe(
        "folder into which rollout actors write weights and from which servers read them, under the same path; absent: a temporary folder of the machine, which suffices for servers on it",
      ),
    originalLogprobs: z
      .boolean()
      .default(false)
      .describe("sglang: the servers run with SGLANG_RETURN_ORIGINAL_LOGPROB=1"),
    maxRequests: z.int().min(1).max(4096).default(64).describe("concurrent requests at one server"),
    startTimeoutMs: z
      .int()
      .min(1_000)
      .default(600_000)
      .describe("longest time from a server's start until it answers, and of `prepare` before it"),
    requestTimeoutMs: z
      .int()
      .min(1_000)
      .max(290_000)
      .default(240_000)
      .describe("longest time of one request; loading weights counts as one"),
  })
  .superRefine((engine, context) => {
    const refuse = (path: string, message: string) =>
      context.addIssue({ code: "custom", path: [path], message });
    const { kind, addresses, start, load } = engine;
    if (kind === "openai") {
      refuse(
        "kind",
        "openai: such a server gives no token ids and loads no weights, so the policy cannot be trained from it; use vllm, sglang or llama-cpp (judges and teachers may be such servers)",
      );
    }
    if ((addresses === undefined) === (start === undefined))
      refuse("addresses", "give either addresses of servers that run, or start; exactly one of them");
    if (start === undefined && loadOf({ kind, load }) === "restart") {
      refuse(
        "load",
        `${kind} takes new weights by a restart, and the run can restart only what it has started; give start in place of addresses`,
      );
    }
    if (kind === "llama-cpp" && load === "reload")
      refuse("load", "llama.cpp's server cannot load other weights; leave load out");
    const far = addresses?.find((address) => !isLoopback(address));
    if (far !== undefined && engine.weightsDir === undefined) {
      refuse(
        "weightsDir",
        `is absent, and ${far} may be on another machine; give a folder that rollout actors and servers see under the same path`,
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
