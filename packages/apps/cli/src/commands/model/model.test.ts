import { createHash } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { loadModel } from "@palimpsest/model";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { fileFolder } from "../../../../../../test/support/temporary-folder.js";
import { CommandRun } from "../testing.js";
import { addModel } from "./model.js";

const folder = fileFolder();
const path = (...parts: string[]) => join(folder, ...parts);
const tinyShape = ["--layers", "2", "--hidden-size", "16", "--heads", "2", "--vocab-size", "300"];

const cli = new CommandRun(addModel);
beforeEach(() => cli.begin());
afterEach(() => cli.end());
beforeAll(() => {
  writeFileSync(path("text.txt"), "the cat sat on the mat, the cat sat on the mat\n");
});
afterAll(() => vi.unstubAllEnvs());
const model = (...words: string[]) => cli.run("model", ...words);

describe("model list", () => {
  it("tells what each known model needs, and which are here", async () => {
    const { knownModels } = await import("@palimpsest/model");
    vi.stubEnv("PALIMPSEST_CACHE", path("cache"));
    vi.stubEnv("HF_HUB_CACHE", path("hub"));
    const { models } = JSON.parse(await model("list", "--json"));
    expect(models.map(({ name }: { name: string }) => name)).toEqual(Object.keys(knownModels));
    expect(models.every(({ folder }: { folder: unknown }) => folder === null)).toBe(true);
    const table = await model("list");
    expect(table).toMatch(/^name +parameters +int8 +float32/);
    expect(table).toMatch(/llama-3\.2-1b-instruct +1235\.8M +.* gated /);
  });
});

describe("model init", () => {
  it("makes a folder that info tells about", async () => {
    await model("init", path("text.txt"), ...tinyShape, "--seed", "5", "--out", path("tiny"));
    expect(cli.stdout).toMatch(/tiny: llama, .* parameters, vocabulary 2\d\d, weights [0-9a-f]{12}/);
    const facts = JSON.parse(await model("info", path("tiny"), "--json", "--hash", "--tensors"));
    expect(facts).toMatchObject({
      format: "folder",
      layers: 2,
      hiddenSize: 16,
      kvHeads: 2,
      dtypes: "F32",
      endToken: "<|im_end|>",
      chatTemplate: false,
      weightsHash: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    expect(facts.tensors).toHaveLength(3 + 2 * 9);
    expect(facts.inMemoryBytes).toBe(4 * facts.parameters);
  });

  it("takes a YAML file whose fields flags replace", async () => {
    const yaml = "seed: 5\ntokenizer: { vocabSize: 300 }\nmodel: { layers: 3, hiddenSize: 16, heads: 2 }\n";
    writeFileSync(path("init.yaml"), yaml);
    await model(
      "init",
      path("text.txt"),
      "--config",
      path("init.yaml"),
      "--layers",
      "2",
      "--out",
      path("same"),
    );
    expect(readFileSync(path("same", "model.safetensors"))).toEqual(
      readFileSync(path("tiny", "model.safetensors")),
    );
  });

  it("names the field, the file or the flag that is wrong", async () => {
    const out = ["--out", path("never")];
    await expect(model("init", path("no.txt"), ...out)).rejects.toThrow(/no\.txt cannot be read/);
    writeFileSync(path("binary.dat"), Uint8Array.of(0x41, 0xff, 0xfe, 0));
    await expect(model("init", path("binary.dat"), ...out)).rejects.toThrow(
      /binary\.dat: byte 1 \(0xFF\) is not UTF-8; convert/,
    );
    await expect(
      model("init", path("text.txt"), "--hidden-size", "16", "--heads", "3", ...out),
    ).rejects.toThrow(/hiddenSize 16 does not divide into 3 heads of an even width/);
    await expect(model("init", path("text.txt"), "--heads", "0", ...out)).rejects.toThrow(/model\.heads/);
    await expect(model("init", path("text.txt"), "--layers", "two", ...out)).rejects.toThrow(/"two" is not/);
    writeFileSync(path("wrong.yaml"), "depth: 3\n");
    await expect(model("init", path("text.txt"), "--config", path("wrong.yaml"), ...out)).rejects.toThrow(
      /depth/,
    );
    await expect(model("init", path("text.txt"))).rejects.toThrow(/--out/);
    expect(readdirSync(folder)).not.toContain("never");
  });
});

describe("model convert and export", () => {
  it("write the same model, as bfloat16 and in shards where asked", async () => {
    await model("convert", path("tiny"), "--dtype", "bfloat16", "--out", path("half"));
    expect(cli.stdout).toMatch(/half: \d+ parameters as bfloat16, with its tokenizer/);
    await model("export", path("tiny"), "--max-shard-gb", "0.00001", "--out", path("shards"));
    expect(readdirSync(path("shards"))).toContain("model.safetensors.index.json");
    const [tiny, half, shards] = await Promise.all(
      ["tiny", "half", "shards"].map((name) => loadModel(path(name))),
    );
    expect(shards?.parameters).toEqual(tiny?.parameters);
    expect(half?.parameters["layers.up"]?.[7]).toBeCloseTo(tiny?.parameters["layers.up"]?.[7] ?? 0, 3);
    expect(half?.tokenizer?.json).toEqual(tiny?.tokenizer?.json);
  });

  it.each(["convert", "export"])("%s does not write over the model that it reads", async (command) => {
    await expect(model(command, path("tiny"), "--out", join(path("tiny"), "."))).rejects.toThrow(
      /--out .*tiny.*: is the model that is read/,
    );
  });

  it("refuse what is no model", async () => {
    await expect(model("convert", path("text.txt"), "--out", path("never"))).rejects.toThrow(/FILE_DAMAGED/);
    await expect(model("export", path("nowhere"), "--out", path("never"))).rejects.toThrow(/FILE_MISSING/);
    await expect(model("convert", path("tiny"), "--dtype", "int8", "--out", path("never"))).rejects.toThrow(
      /float32, bfloat16/,
    );
  });
});

it("model export --adapters refuses what would be of no effect", async () => {
  for (const idle of [
    ["--tokenizer", "folder"],
    ["--max-shard-gb", "1"],
    ["--add-adapters", "folder"],
  ])
    await expect(model("export", "run", "--adapters", "--out", path("never"), ...idle)).rejects.toThrow(
      /cannot be used with/,
    );
});

describe("model download", () => {
  it("brings a model into the cache that the environment names, from the hub that it names", async () => {
    const names = readdirSync(path("tiny"));
    const bytesOf = (name: string) => readFileSync(path("tiny", name));
    const tokens = new Set<string | undefined>();
    const server = createServer((request, response) => {
      tokens.add(request.headers.authorization);
      const { pathname } = new URL(request.url ?? "", "http://hub");
      const file = names.find((name) => pathname === `/org/tiny/resolve/abc123/${name}`);
      if (file !== undefined) return response.end(bytesOf(file));
      const listing = names.map((name) => {
        const bytes = bytesOf(name);
        const oid = createHash("sha1").update(`blob ${bytes.length}\0`).update(bytes).digest("hex");
        return { type: "file", path: name, size: bytes.length, oid };
      });
      const answers: Record<string, unknown> = {
        "/api/models/org/tiny/revision/main": { _id: "1", id: "org/tiny", sha: "abc123", lastModified: 0 },
        "/api/models/org/tiny/tree/abc123": listing,
      };
      response.statusCode = pathname in answers ? 200 : 404;
      return response.end(JSON.stringify(answers[pathname] ?? {}));
    });
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    vi.stubEnv("HF_ENDPOINT", endpoint);
    vi.stubEnv("HF_TOKEN", "hf_secret");
    vi.stubEnv("PALIMPSEST_CACHE", path("cache"));
    try {
      const target = path("cache", "models", "org--tiny");
      expect(await model("download", "org/tiny")).toBe(`${target}\n`);
      expect([...tokens]).toEqual(["Bearer hf_secret"]);
      expect((await loadModel(target)).parameters).toEqual((await loadModel(path("tiny"))).parameters);
      await expect(model("download", "org/other")).rejects.toThrow(/HUB_NOT_FOUND.*org\/other/);
    } finally {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    }
    // The hub is gone; what is there is used without it.
    expect(JSON.parse(await model("info", "org/tiny", "--json"))).toMatchObject({ layers: 2 });
  });
});
