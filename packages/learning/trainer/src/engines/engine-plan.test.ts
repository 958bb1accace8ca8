import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { parseRecipe } from "../recipe/recipe.js";
import { type EnginePlan, planEngines } from "./engine-plan.js";

const open: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of open.splice(0)) await close();
});

interface Vllm {
  readonly devMode?: boolean;
  readonly contextTokens?: number;
  readonly logprobs?: "raw" | "processed";
  readonly key?: string;
  readonly hangs?: boolean;
}

/** A server that answers as vLLM does, and what it was asked. */
async function aVllm({ devMode = true, contextTokens = 4096, logprobs = "processed", key, hangs }: Vllm) {
  const asked: string[] = [];
  const server = createServer(async (request, response) => {
    asked.push(`${request.method} ${request.url}`);
    let text = "";
    for await (const chunk of request) text += String(chunk);
    if (hangs) return;
    const say = (status: number, value: unknown) => {
      response.writeHead(status, { "content-type": "application/json" });
      response.end(JSON.stringify(value));
    };
    if (key !== undefined && request.url !== "/health" && request.headers.authorization !== `Bearer ${key}`)
      return say(401, { error: "Unauthorized" });
    switch (request.url) {
      case "/health":
        return say(200, {});
      case "/v1/models":
        return say(200, { data: [{ id: "policy", max_model_len: contextTokens }] });
      case "/pause":
        return devMode ? say(405, { detail: "Method Not Allowed" }) : say(404, { detail: "Not Found" });
      case "/v1/completions": {
        const { temperature } = JSON.parse(text) as { temperature: number };
        const scaled = [2.5, -1, 0.5].map((logit) => logit / (logprobs === "processed" ? temperature : 1));
        const total = Math.log(scaled.reduce((sum, logit) => sum + Math.exp(logit), 0));
        const top = Object.fromEntries(scaled.map((logit, id) => [`token_id:${id}`, logit - total]));
        const told = { token_logprobs: [top["token_id:0"]], top_logprobs: [top] };
        return say(200, { choices: [{ token_ids: [0], logprobs: told, finish_reason: "length" }] });
      }
      default:
        return say(404, {});
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  open.push(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

async function planned(
  engine: object,
  rollout: object = {},
  more: { readonly answerMs?: number; readonly environment?: Record<string, string> } = {},
): Promise<EnginePlan> {
  const recipe = parseRecipe(
    JSON.stringify({
      name: "engines",
      model: { path: "./base" },
      agent: { preset: "tiny" },
      data: { source: "ruler", ruler: { sentences: 4 } },
      learner: { groupSize: 4, buckets: [{ rows: 8, length: 48 }] },
      rollout: { maxTokens: 64, engine, ...rollout },
      train: { steps: 3 },
    }),
    "/recipes",
  );
  const plan = await planEngines(recipe, { versionBytes: 1_000, environment: {}, ...more });
  if (plan === undefined) throw new Error("the recipe has engines");
  return plan;
}

describe("a dry run with engines that run already", () => {
  it("says what each serves, and asks nothing that would change it", async () => {
    const { url, asked } = await aVllm({});
    const plan = await planned(
      { kind: "vllm", addresses: [url], model: "policy" },
      { temperature: 0.6, cpus: 2 },
    );
    expect(plan).toMatchObject({ count: 1, started: false, cpus: 2, gpus: 0, load: "reload", problems: [] });
    expect(plan.found).toEqual([
      { name: url, said: "answers; serves policy, 4,096 tokens of context; log-probs after the temperature" },
    ]);
    expect(asked.filter((line) => line.startsWith("POST"))).toEqual([
      "POST /v1/completions",
      "POST /v1/completions",
    ]);
  });

  it.each<[what: string, server: Vllm, engine: object, rollout: object, said: RegExp]>([
    [
      "serves another model",
      {},
      { model: "other" },
      {},
      /serves policy, but rollout\.engine\.model is other/,
    ],
    ["has too short a context", { contextTokens: 63 }, {}, {}, /has a context of 63 tokens.*maxTokens is 64/],
    ["takes no weights", { devMode: false }, {}, {}, /VLLM_SERVER_DEV_MODE=1/],
    [
      "tells other log-probs",
      { logprobs: "raw" },
      {},
      { temperature: 0.6 },
      /rollout\.temperature is 0\.6; start it with --logprobs-mode processed_logprobs/,
    ],
  ])("refuses one that %s", async (_, server, engine, rollout, said) => {
    const { url } = await aVllm(server);
    const plan = await planned({ kind: "vllm", addresses: [url], ...engine }, rollout);
    expect(plan.problems).toHaveLength(1);
    expect(plan.problems[0]).toContain(`the server at ${url}`);
    expect(plan.problems[0]).toMatch(said);
  });

  it("one that is away or hangs from here is no problem of the recipe: the nodes may reach it", async () => {
    const hanging = await aVllm({ hangs: true });
    const away = await aVllm({});
    await open.pop()?.();
    const plan = await planned({ kind: "vllm", addresses: [hanging.url, away.url] }, {}, { answerMs: 300 });
    expect(plan.problems).toEqual([]);
    expect(plan.found[0]?.said).toBe("does not answer within 300 ms");
    expect(plan.found[1]?.said).toMatch(/does not answer .*(from this machine|within)/);
  });

  it("asks with the key of this machine, and says where it is refused", async () => {
    const { url } = await aVllm({ key: "secret" });
    const engine = { kind: "vllm", addresses: [url], tokenEnv: "ENGINE_KEY" };
    const plan = await planned(engine, {}, { environment: { ENGINE_KEY: "secret" } });
    expect(plan.found[0]?.said).toMatch(/^answers; serves policy/);
    const refused = await planned(engine, {}, { environment: { ENGINE_KEY: "another" } });
    expect(refused.found[0]?.said).toMatch(/^answers; refuses: .*401/);
    expect(JSON.stringify(refused)).not.toContain("another");
    const absent = await planned(engine);
    expect(absent.found[0]?.said).toMatch(/does not answer from this machine: .*ENGINE_KEY/);
  });
});

it("a dry run with engines that the run starts says which programs are there", async () => {
  const plan = await planned(
    {
      kind: "llama-cpp",
      start: {
        command: "no-such-server",
        arguments: ["{file}", "{port}"],
        count: 2,
        prepare: { command: "node", arguments: ["{model}"] },
      },
    },
    { gpus: 1 },
    { environment: { PATH: process.env["PATH"] ?? "" } },
  );
  expect(plan).toMatchObject({ count: 2, started: true, gpus: 1, load: "restart", problems: [] });
  expect(plan.found).toEqual([
    { name: "no-such-server", said: "is not on this machine; install it on the nodes that run it" },
    { name: "node", said: "is on this machine" },
  ]);
});
