import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { testFolder } from "../../../../../test/support/temporary-folder.js";
import { type DownloadProgress, downloadModel } from "./download-model.js";
import { LoopbackHub } from "./loopback-hub.fixture.js";
import { cachedModelFolder, resolveModel } from "./resolve-model.js";

let hub: LoopbackHub;
let folder: string;
const weights = Buffer.from(Array.from({ length: 300_000 }, (_, i) => (i * 31) % 251));

beforeEach(async () => {
  folder = testFolder();
  hub = await LoopbackHub.start();
  hub.files = {
    "README.md": { bytes: Buffer.from("# tiny") },
    "config.json": { bytes: Buffer.from('{"model_type":"llama"}') },
    "pytorch_model.bin": { bytes: Buffer.alloc(10), lfs: true },
    "original/model.safetensors": { bytes: Buffer.alloc(10), lfs: true },
    "model.safetensors": { bytes: weights, lfs: true },
    "tokenizer.json": { bytes: Buffer.from('{"model":{"vocab":{}}}') },
  };
});
afterEach(() => hub.close());

const retry = { attempts: 3, firstDelayMs: 1, maxDelayMs: 2, silenceTimeoutMs: 5_000 };
const download = (more: Parameters<typeof downloadModel>[2] = {}) =>
  downloadModel(hub.repo, join(folder, "m"), { endpoint: hub.endpoint, retry, ...more });
const expectWeights = async () =>
  expect(weights.equals(await readFile(join(folder, "m", "model.safetensors")))).toBe(true);
const bytesRequests = () => hub.requests.filter((request) => request.startsWith("store"));

describe("a model of a hub", () => {
  it("arrives whole with the files that a model needs, and nothing lies beside it (HUBMODEL-1)", async () => {
    const seen: DownloadProgress[] = [];
    await download({ onProgress: (progress) => seen.push(progress) });
    expect((await readdir(join(folder, "m"))).sort()).toEqual([
      ".palimpsest-download.json",
      "config.json",
      "model.safetensors",
      "tokenizer.json",
    ]);
    await expectWeights();
    expect(await readdir(folder)).toEqual(["m"]);
    const total = weights.length + 22 + 22;
    expect(seen.at(-1)).toEqual({ file: "tokenizer.json", doneBytes: total, totalBytes: total });
    expect(seen.every(({ doneBytes }, i) => doneBytes >= (seen[i - 1]?.doneBytes ?? 0))).toBe(true);
  });

  it("is asked for once: a second call makes no request (HUBMODEL-3)", async () => {
    await download();
    const before = hub.requests.length;
    await download();
    expect(hub.requests).toHaveLength(before);
  });

  it("is fetched once by two calls at a time", async () => {
    await Promise.all([download(), download()]);
    expect(bytesRequests()).toHaveLength(1);
  });

  it("brings on a refresh only what changed at a new commit (HUBMODEL-3)", async () => {
    await download();
    hub.commit = "d".repeat(40);
    hub.files["config.json"] = { bytes: Buffer.from('{"model_type":"qwen2"}') };
    hub.requests.length = 0;
    await download({ refresh: true });
    expect(bytesRequests()).toEqual([]);
    expect(await readFile(join(folder, "m", "config.json"), "utf8")).toContain("qwen2");
    await expectWeights();
  });

  it("is fetched again when a file of it was lost", async () => {
    await download();
    await rm(join(folder, "m", "tokenizer.json"));
    await download();
    expect(await readdir(join(folder, "m"))).toContain("tokenizer.json");
    expect(bytesRequests()).toHaveLength(1);
  });

  it("goes where its id or a revision of it points, by resolveModel", async () => {
    const options = { cacheDir: folder, endpoint: hub.endpoint, retry };
    const path = await resolveModel(hub.repo, options);
    expect(path).toBe(join(folder, "models", "anyone--tiny"));
    expect(await resolveModel(`${hub.repo}@${hub.commit}`, options)).toBe(
      join(folder, "models", `anyone--tiny@${hub.commit}`),
    );
    expect(await resolveModel(path, options)).toBe(path);
    const pinned = { ...options, revision: "v1" };
    await expect(resolveModel("smollm2-135m-instruct", pinned)).rejects.toThrow(/revision is v1/);
    // Runs and models lie in folders of these names, also where somebody stands elsewhere.
    for (const lost of ["runs/mine", "models/mine"])
      await expect(resolveModel(lost, options)).rejects.toThrow(/FILE_MISSING.*folder (runs|models)/);
    // An id whose first part is a folder here is a path with a mistake.
    await expect(resolveModel("packages/learnin", options)).rejects.toThrow(
      /FILE_MISSING.*not in the folder packages; did you mean "packages\/learning"\?/,
    );
    // What is in the cache is there, whatever folders are here.
    const cached = cachedModelFolder(options.cacheDir, "packages/learnin");
    await mkdir(cached, { recursive: true });
    await expect(resolveModel("packages/learnin", options)).rejects.toThrow(/^(?!.*FILE_MISSING)/);
    await expect(resolveModel("constructor", options)).rejects.toThrow(/FILE_MISSING.*constructor/);
    await expect(resolveModel("no such thing", options)).rejects.toThrow(
      /FILE_MISSING.*no such thing.*folder/,
    );
  });

  it("has the tokenizer.model of sentencepiece if it has no tokenizer.json", async () => {
    hub.files = { ...hub.files, "tokenizer.model": { bytes: Buffer.from("pieces") } };
    await download();
    expect(await readdir(join(folder, "m"))).not.toContain("tokenizer.model");
    const { "tokenizer.json": _, ...older } = hub.files;
    hub.files = older;
    hub.commit = "b".repeat(40);
    await download({ refresh: true });
    expect(await readdir(join(folder, "m"))).toContain("tokenizer.model");
  });

  it("may be chosen file by file", async () => {
    await download({ wants: (path) => path.endsWith(".md") });
    expect(await readdir(join(folder, "m"))).toContain("README.md");
    expect(await readdir(join(folder, "m"))).not.toContain("config.json");
  });
});

describe("a download that is cut", () => {
  it("asks only for the rest, within one call and across calls (DOWNLOAD-2, HUBMODEL-2)", async () => {
    const cut = { kind: "cut", afterBytes: 100_000 } as const;
    hub.faults = [
      ...[{ kind: "no-ranges" } as const],
      cut,
      { kind: "status", status: 500 },
      { kind: "status", status: 503 },
    ];
    await expect(download()).rejects.toMatchObject({ code: "HUB_UNREACHABLE", retryable: true });
    const [first, second, ...more] = bytesRequests();
    expect(first).toBe("store /model.safetensors");
    const from = Number(/bytes=(\d+)-$/.exec(second ?? "")?.[1]);
    expect(from).toBeGreaterThan(0);
    hub.requests.length = 0;
    await download();
    expect(bytesRequests()).toEqual([`store /model.safetensors bytes=${from}-`]);
    expect(more).toHaveLength(1);
    await expectWeights();
  });

  it("counts only requests that bring nothing new: progress earns patience (DOWNLOAD-3)", async () => {
    const cut = { kind: "cut", afterBytes: 50_000 } as const;
    hub.faults = [{ kind: "no-ranges" }, cut, cut, cut, cut];
    await download();
    expect(bytesRequests()).toHaveLength(5);
  });

  it("asks only by the fetch that it was given", async () => {
    const asked: string[] = [];
    await download({
      fetch: async (url, request) => {
        asked.push(url);
        return await fetch(url, request);
      },
    });
    await expectWeights();
    expect(asked.some((url) => url.includes("/api/models/"))).toBe(true);
    expect(asked.filter((url) => url.includes("/resolve/"))).toHaveLength(3);
  });

  it("begins anew with a server that knows no ranges", async () => {
    hub.faults = [{ kind: "no-ranges" }, { kind: "cut", afterBytes: 50_000 }, { kind: "no-ranges" }];
    await download();
    await expectWeights();
  });

  it("does not wait forever for a silent server (DOWNLOAD-3)", async () => {
    hub.faults = [{ kind: "no-ranges" }, { kind: "silence", afterBytes: 1000 }];
    await download({ retry: { ...retry, silenceTimeoutMs: 500 } });
    // Beside a load the server may be silent once more.
    expect(bytesRequests().length).toBeGreaterThanOrEqual(2);
  });

  it("waits as long as a 429 asks, within bounds, and goes on", async () => {
    hub.faults = [{ kind: "status", status: 429, retryAfterSeconds: 3600 }];
    await download();
    expect(await readdir(folder)).toEqual(["m"]);
  });

  it("ends at once with the signal's reason and keeps what it has", async () => {
    const controller = new AbortController();
    const stopped = download({
      signal: controller.signal,
      onProgress: ({ file, doneBytes }) => {
        if (file === "model.safetensors" && doneBytes > 22) controller.abort(new Error("enough"));
      },
    });
    await expect(stopped).rejects.toThrow("enough");
    expect((await readdir(folder)).filter((name) => !name.endsWith(".partial"))).toEqual([]);
  });
});

describe("bytes that are not those of the listing", () => {
  it("are fetched once more and then refused (DOWNLOAD-1)", async () => {
    hub.faults = [{ kind: "no-ranges" }, { kind: "wrong-bytes" }];
    await download();
    await expectWeights();
    await rm(join(folder, "m"), { recursive: true });
    hub.faults = [{ kind: "no-ranges" }, { kind: "wrong-bytes" }, { kind: "wrong-bytes" }];
    await expect(download()).rejects.toThrow(/HASH_MISMATCH.*model\.safetensors.*sha256/);
    expect(await readdir(folder)).toEqual(["m.partial"]);
  });

  it("of a small file are found by git's hash", async () => {
    hub.faults = [{ kind: "wrong-bytes" }, { kind: "wrong-bytes" }];
    await expect(download()).rejects.toThrow(/HASH_MISMATCH.*config\.json.*git-blob-sha1/);
  });
});

describe("a hub that refuses", () => {
  it("is told from one that fails", async () => {
    hub.token = "secret";
    await expect(download()).rejects.toThrow(/HUB_REFUSED.*401.*HF_TOKEN/);
    await download({ token: "secret" });
    expect(hub.leakedTokens).toEqual([]);
    await expect(download({ token: "secret", revision: "nowhere" })).rejects.toMatchObject({
      code: "HUB_NOT_FOUND",
    });
    hub.apiStatuses = [502, 429];
    await download({ token: "secret", refresh: true });
    hub.apiStatuses = [502, 502, 502];
    await expect(download({ token: "secret", refresh: true })).rejects.toThrow(
      /HUB_UNREACHABLE.*HF_ENDPOINT/,
    );
  });

  it("that is not there is named", async () => {
    const closed = await LoopbackHub.start();
    await closed.close();
    await expect(download({ endpoint: closed.endpoint })).rejects.toThrow(/HUB_UNREACHABLE.*ECONNREFUSED/);
  });

  it("says what a repository without safetensors holds", async () => {
    delete hub.files["model.safetensors"];
    await expect(download()).rejects.toThrow(/FILE_MISSING.*pytorch_model\.bin/);
  });
});

it("a folder that holds something else is left alone", async () => {
  await mkdir(join(folder, "m"));
  await writeFile(join(folder, "m", "thesis.tex"), "precious");
  await expect(download()).rejects.toThrow(/FOLDER_TAKEN.*thesis\.tex/);
  expect(await readFile(join(folder, "m", "thesis.tex"), "utf8")).toBe("precious");
});
