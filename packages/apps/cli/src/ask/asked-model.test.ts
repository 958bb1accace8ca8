import { join } from "node:path";
import { loadAdapters, loadConfig } from "@palimpsest/model";
import { builtinRecipesDir } from "@palimpsest/trainer";
import { describe, expect, it } from "vitest";
import { shippedAgentName } from "../models/shipped-agent-name.js";
import { askedModel } from "./asked-model.js";

const nothingThere = () => Promise.resolve({ note: "answers with the agent that comes along" });

describe("askedModel", () => {
  it("is the model that this machine chooses, unless one is named", async () => {
    const choose = () => Promise.resolve({ name: "qwen3-0.6b", note: "answers with it" });
    const chosen = { model: "qwen3-0.6b", note: "answers with it" };
    expect(await askedModel({}, choose)).toEqual(chosen);
    expect(await askedModel({ agent: "rememr1" }, choose)).toEqual(chosen);
    expect(await askedModel({ model: "other" }, choose)).toEqual({ model: "other" });
    expect(await askedModel({ endpoint: "http://127.0.0.1:1" }, choose)).toEqual({});
  });

  it("is the agent that comes along, read as it was trained, where nothing else is named", async () => {
    for (const flags of [{}, { agent: "memagent" }, { model: shippedAgentName }]) {
      const { model, trained } = await askedModel(flags, nothingThere);
      expect(model).toBe(shippedAgentName);
      expect(trained).toMatchObject({
        kind: "memagent",
        config: { chunkTokens: 160, memoryTokens: 32, finalTokens: 12, initialMemory: "nothing yet" },
      });
    }
  });

  it("is not the agent that comes along where something is asked for that it was not trained for", async () => {
    expect(await askedModel({ agent: "rememr1" }, nothingThere)).toEqual({});
    expect(await askedModel({ preset: "small" }, nothingThere)).toEqual({});
    expect(await askedModel({ endpoint: "http://127.0.0.1:1" })).toEqual({});
    expect(await askedModel({ endpoint: "http://127.0.0.1:1", model: "large" })).toEqual({ model: "large" });
    expect(await askedModel({ model: "smollm2-135m-instruct" })).toEqual({ model: "smollm2-135m-instruct" });
  });

  it("has adapters that fit the model which they are for", async () => {
    const config = await loadConfig(join(builtinRecipesDir, "shapes/smollm2-135m"));
    const { baseModel, adapters } = await loadAdapters(
      join(builtinRecipesDir, "adapters", shippedAgentName),
      config,
    );
    expect(baseModel).toBe("smollm2-135m-instruct");
    expect(Object.keys(adapters).length).toBeGreaterThan(0);
  });
});
