import { readdirSync } from "node:fs";
import { join } from "node:path";
import { initLora, initParameters, loraConfigSchema, loraForm } from "@palimpsest/model";
import { createLogger } from "@palimpsest/telemetry";
import { expect, it, onTestFinished } from "vitest";
import { testFolder } from "../../../../../test/support/temporary-folder.js";
import { ModelServer } from "../../../engines/src/testing/model-server.js";
import { engineSettingsSchema } from "../recipe/engine-settings.js";
import { EngineSampler } from "./engine-sampler.js";
import { model, tokenizer } from "./small-policy.fixture.js";
import { weightsRoot } from "./weights-root.js";

const lora = loraConfigSchema.parse({ rank: 2 });
const request = { promptTokenIds: [1, 2], maxTokens: 1, temperature: 1, stopTokenIds: [], seed: 1 };

/** A server of vLLM's protocol; `hold` keeps the next completion until it is called again. */
async function anEngine(settings: object = {}, weightUpdates?: "in-flight") {
  const server = { startedAt: 1, held: [] as (() => void)[], holds: false };
  const http = await ModelServer.start(async ({ path, body }, response) => {
    if (path === "/metrics") {
      response.end(`process_start_time_seconds ${server.startedAt}\n`);
      return;
    }
    if (path === "/v1/completions") {
      if (server.holds) await new Promise<void>((resolve) => server.held.push(resolve));
      const { model: name } = body as { model?: string };
      const choices = [{ token_ids: [3], logprobs: { token_logprobs: [-1] }, finish_reason: "length" }];
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ model: name, choices }));
      return;
    }
    response.end("{}");
  });
  onTestFinished(() => http.stop());
  const weightsDir = testFolder();
  const given = { kind: "vllm", addresses: [http.url], model: "policy", weightsDir, ...settings };
  const sampler = await EngineSampler.open({
    engine: engineSettingsSchema.parse(given),
    temperature: 1,
    weightUpdates,
    place: 0,
    runId: "run-1",
    model: { config: model, tokenizer, lora },
    environment: {},
    logger: createLogger({ component: "test", level: "silent" }),
    signal: new AbortController().signal,
  });
  onTestFinished(() => sampler.close());
  const folder = () => readdirSync(join(weightsDir, "run-1", "engine-0"));
  return { server, http, sampler, folder };
}

it("finishes what it samples before it loads new weights, and samples what comes meanwhile with them", async () => {
  const { server, http, sampler } = await anEngine();
  await sampler.setWeights(initParameters(model, 1), 1, "first");
  server.holds = true;
  const before = sampler.under(() => sampler.generate(request));
  await http.until(() => server.held.length === 1);
  const loads = sampler.setWeights(initParameters(model, 2), 2, "second");
  const after = sampler.under(async () => {
    await loads.catch(() => undefined);
    return await sampler.generate(request);
  });
  const meanwhile = sampler.under(() => sampler.generate(request));
  server.holds = false;
  for (const answer of server.held) answer();
  expect(await before).toMatchObject({ policyVersion: 1, weightsHash: "first" });
  await loads;
  expect(await after).toMatchObject({ policyVersion: 2, weightsHash: "second" });
  expect([1, 2]).toContain((await meanwhile).policyVersion);
});

it("loads weights in flight while it samples, and takes the episodes that ran meanwhile", async () => {
  const { server, http, sampler } = await anEngine({}, "in-flight");
  await sampler.setWeights(initParameters(model, 1), 1, "first");
  server.holds = true;
  const running = sampler.under(() => sampler.generate(request));
  await http.until(() => server.held.length === 1);
  await sampler.setWeights(initParameters(model, 2), 2, "second");
  expect(http.received.map(({ path }) => path)).toContain("/pause?mode=keep&clear_cache=false");
  for (const answer of server.held) answer();
  // None of its tokens had arrived before.
  expect(await running).toMatchObject({ policyVersion: 2, weightsHash: "second" });
});

it("takes no episode whose server was restarted while it ran, also when new weights came in between (ENGINE-2)", async () => {
  const { server, sampler } = await anEngine();
  await sampler.setWeights(initParameters(model, 1), 1, "first");
  const episode = sampler.under(async () => {
    await sampler.generate(request);
    server.startedAt = 2;
    await sampler.generate(request);
    await sampler.setWeights(initParameters(model, 2), 2, "second");
    return await sampler.generate(request);
  });
  await expect(episode).rejects.toThrow(/OTHER_WEIGHTS.*run it again/);
  // The weights are known again, so that the next episode is taken without another load.
  expect(await sampler.under(() => sampler.generate(request))).toMatchObject({ policyVersion: 2 });
});

it("serves adapters under a name for each version, over a base that is written once", async () => {
  const { http, sampler, folder } = await anEngine({ adapters: "served" });
  const adapters = (seed: number) => initLora(model, loraForm(lora), seed);
  await sampler.setWeights(initParameters(model, 1), 0, "base");
  await sampler.setAdapters?.(adapters(1), 1, "first");
  await sampler.setAdapters?.(adapters(2), 2, "second");
  expect(await sampler.generate(request)).toMatchObject({ policyVersion: 2, weightsHash: "second" });
  expect(sampler).toMatchObject({ policyVersion: 2, weightsHash: "second" });
  expect(http.received.filter(({ path }) => path === "/collective_rpc")).toHaveLength(1);
  expect(http.received.at(-1)?.body).toMatchObject({ model: "policy-2" });
  expect(folder()).toEqual(["adapters-00000001", "adapters-00000002", "policy-00000000"]);
});

it("loads the base again, and the adapters over it, where the server was restarted", async () => {
  const { server, http, sampler } = await anEngine({ adapters: "served" });
  await sampler.setWeights(initParameters(model, 1), 0, "base");
  await sampler.setAdapters?.(initLora(model, loraForm(lora), 1), 1, "first");
  server.startedAt = 2;
  await expect(sampler.under(() => sampler.generate(request))).rejects.toThrow(/restarted by somebody else/);
  await sampler.back(new AbortController().signal);
  expect(await sampler.under(() => sampler.generate(request))).toMatchObject({ policyVersion: 1 });
  const loads = http.received.map(({ path }) => path).filter((path) => /collective|load_lora/.test(path));
  expect(loads).toEqual([
    "/collective_rpc",
    "/v1/load_lora_adapter",
    "/collective_rpc",
    "/v1/load_lora_adapter",
  ]);
});

it("keeps weights in shared memory where it has room for two versions", () => {
  const folder = testFolder();
  expect(weightsRoot({ weightsDir: "/mine" }, 1, folder)).toBe("/mine");
  expect(weightsRoot({}, 1, folder)).toBe(join(folder, "palimpsest-engines"));
  expect(weightsRoot({}, 2 ** 60, folder)).not.toContain(folder);
  expect(weightsRoot({}, 1, join(folder, "none"))).not.toContain(folder);
});
