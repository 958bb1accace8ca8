import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { testFolder } from "../../../../../test/support/temporary-folder.js";
import { parameterCount } from "../base/parameters.js";
import type { HubModel } from "./known-model.js";
import { knownModel, knownModels } from "./known-models.js";
import { LoopbackHub } from "./loopback-hub.fixture.js";
import { fetchKnownModel, findKnownModel, resolveModel } from "./resolve-model.js";

describe("known models", () => {
  it("have the shapes whose parameter counts their makers publish", () => {
    const counts = Object.entries(knownModels).map(([name, { config }]) => [name, parameterCount(config)]);
    expect(Object.fromEntries(counts)).toEqual({
      "qwen3-4b": 4_022_468_096,
      "qwen2.5-3b-instruct": 3_085_938_688,
      "llama-3.2-3b-instruct": 3_212_749_824,
      "qwen3-1.7b": 1_720_574_976,
      "qwen2.5-1.5b-instruct": 1_543_714_304,
      "qwen2.5-coder-1.5b-instruct": 1_543_714_304,
      "smollm2-1.7b-instruct": 1_711_376_384,
      "llama-3.2-1b-instruct": 1_235_814_400,
      "gemma-3-1b-it": 999_885_952,
      "qwen3-0.6b": 596_049_920,
      "qwen2.5-0.5b-instruct": 494_032_768,
      "qwen2.5-coder-0.5b-instruct": 494_032_768,
      "smollm2-360m-instruct": 361_821_120,
      "gemma-3-270m-it": 268_098_176,
      "smollm2-135m-instruct": 134_515_008,
    });
  });

  it("of a hub name one commit each, and makers that ask for an account are marked", () => {
    const ofHub = Object.values(knownModels).filter((one) => "repo" in one);
    for (const { repo, revision, gated } of ofHub) {
      expect(revision).toMatch(/^[0-9a-f]{40}$/);
      expect(gated).toBe(/^(meta-llama|google)\//.test(repo));
    }
    expect(new Set(ofHub.map(({ revision }) => revision)).size).toBe(ofHub.length);
    expect(knownModel("toString")).toBeUndefined();
  });
});

describe("a known model of a hub", () => {
  const name = "qwen2.5-0.5b-instruct";
  const known = knownModel(name) as HubModel;
  const files = {
    "config.json": Buffer.from("{}"),
    "tokenizer.json": Buffer.from("{}"),
    // A header without tensors is a whole safetensors file.
    "model.safetensors": Buffer.from("\u0002\0\0\0\0\0\0\0{}"),
  };
  let hub: LoopbackHub;
  let cacheDir: string;
  beforeEach(async () => {
    hub = await LoopbackHub.start();
    hub.repo = known.repo;
    hub.commit = known.revision;
    hub.files = Object.fromEntries(Object.entries(files).map(([path, bytes]) => [path, { bytes }]));
    cacheDir = testFolder();
  });
  afterEach(() => hub.close());
  const options = () => ({ cacheDir, endpoint: hub.endpoint, retry: { attempts: 1 } });

  it("comes from its commit, and then costs no request", async () => {
    expect(await findKnownModel(name, { cacheDir })).toBeUndefined();
    const folder = await resolveModel(name, options());
    expect(hub.requests.filter((one) => one.includes("/main"))).toEqual([]);
    const { length } = hub.requests;
    expect(await resolveModel(name, options())).toBe(folder);
    expect(await findKnownModel(name, { cacheDir })).toBe(folder);
    expect(hub.requests).toHaveLength(length);
    await expect(resolveModel(name, { ...options(), revision: "v2" })).rejects.toThrow(
      "a known name has one revision; leave it out, or give Qwen/Qwen2.5-0.5B-Instruct@v2",
    );
  });

  it("is used from the cache of Hugging Face's programs if all of it is there", async () => {
    const hubCacheDir = testFolder();
    const shelf = join(hubCacheDir, "models--Qwen--Qwen2.5-0.5B-Instruct/snapshots", known.revision);
    mkdirSync(shelf, { recursive: true });
    for (const [path, bytes] of Object.entries(files)) writeFileSync(join(shelf, path), bytes);
    expect(await resolveModel(name, { ...options(), hubCacheDir })).toBe(shelf);
    expect(hub.requests).toEqual([]);
    for (const path of Object.keys(files)) {
      rmSync(join(shelf, path));
      expect(await findKnownModel(name, { cacheDir, hubCacheDir })).toBeUndefined();
      writeFileSync(join(shelf, path), files[path as keyof typeof files]);
    }
    const index = { weight_map: { a: "model-00001-of-00002.safetensors" } };
    rmSync(join(shelf, "model.safetensors"));
    writeFileSync(join(shelf, "model.safetensors.index.json"), JSON.stringify(index));
    expect(await findKnownModel(name, { cacheDir, hubCacheDir })).toBeUndefined();
  });

  it("whose license must be accepted says where, and what to set", async () => {
    const gated = knownModel("llama-3.2-1b-instruct") as HubModel;
    hub.repo = gated.repo;
    hub.token = "of an account";
    const refused = fetchKnownModel(gated, join(cacheDir, "llama"), options());
    await expect(refused).rejects.toMatchObject({ code: "HUB_REFUSED" });
    await expect(refused).rejects.toThrow(
      `accept it at ${hub.endpoint}/meta-llama/Llama-3.2-1B-Instruct, and set HF_TOKEN`,
    );
    await expect(fetchKnownModel(known, join(cacheDir, "qwen"), options())).rejects.not.toThrow(
      /accept it at/,
    );
  });
});
