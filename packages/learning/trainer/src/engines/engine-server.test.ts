import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createLogger } from "@palimpsest/telemetry";
import { afterEach, describe, expect, it } from "vitest";
import { engineSettingsSchema } from "../recipe/engine-settings.js";
import { EngineServer } from "./engine-server.js";

const logits = [2.5, -1, 0.5, 3];

const open: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of open.splice(0)) await close();
});

/** A server that speaks vLLM's protocol, with the log-probs of its --logprobs-mode; the paths that it was asked. */
async function aVllm(mode: string): Promise<{ readonly url: string; readonly paths: string[] }> {
  const paths: string[] = [];
  const server = createServer(async (request, response) => {
    paths.push(request.url ?? "");
    let text = "";
    for await (const chunk of request) text += String(chunk);
    response.writeHead(200, { "content-type": "application/json" });
    if (request.url !== "/v1/completions") {
      response.end("{}");
      return;
    }
    const { temperature } = JSON.parse(text) as { temperature: number };
    const scaled = logits.map((logit) => logit / (mode === "processed_logprobs" ? temperature : 1));
    const total = Math.log(scaled.reduce((sum, logit) => sum + Math.exp(logit), 0));
    const top = Object.fromEntries(scaled.map((logit, id) => [`token_id:${id}`, logit - total]));
    const logprobs = { token_logprobs: [top["token_id:0"]], top_logprobs: [top] };
    response.end(JSON.stringify({ choices: [{ token_ids: [0], logprobs, finish_reason: "length" }] }));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  open.push(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, paths };
}

async function load(url: string, temperature: number): Promise<void> {
  const server = new EngineServer({
    engine: engineSettingsSchema.parse({ kind: "vllm", addresses: [url] }),
    temperature,
    place: 0,
    apiKey: undefined,
    environment: {},
    folder: "/nowhere",
    logger: createLogger({ component: "test", level: "silent" }),
  });
  open.push(() => server.close());
  const policy = { folder: "/nowhere/policy", policyVersion: 1, weightsHash: "hash" };
  await server.load(policy, new AbortController().signal);
}

describe("the log-probs of an engine", () => {
  it("must be those of the run's temperature, and the error says how", async () => {
    const { url } = await aVllm("raw_logprobs");
    await expect(load(url, 0.6)).rejects.toThrow(
      `rollout.temperature: is 0.6, but the server at ${url} reports log-probs at temperature 1; start it with --logprobs-mode processed_logprobs`,
    );
  });

  it("are taken where they are, and not asked about at temperature 1", async () => {
    const processed = await aVllm("processed_logprobs");
    await load(processed.url, 0.6);
    expect(processed.paths.filter((path) => path === "/v1/completions")).toHaveLength(2);
    const raw = await aVllm("raw_logprobs");
    await load(raw.url, 1);
    expect(raw.paths).not.toContain("/v1/completions");
  });
});
