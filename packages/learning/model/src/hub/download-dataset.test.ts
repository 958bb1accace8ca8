import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { testFolder } from "../../../../../test/support/temporary-folder.js";
import { chooseDatasetFiles, downloadDataset } from "./download-dataset.js";
import { LoopbackHub } from "./loopback-hub.fixture.js";

const bytes = (text: string) => Buffer.from(text.repeat(500));

let hub: LoopbackHub;
let cacheDir: string;
beforeEach(async () => {
  hub = await LoopbackHub.start();
  hub.shelf = "datasets";
  hub.files = {
    "README.md": { bytes: bytes("read me") },
    "distractor/train-00000-of-00002.parquet": { bytes: bytes("first"), lfs: true },
    "distractor/train-00001-of-00002.parquet": { bytes: bytes("second"), lfs: true },
    "distractor/validation-00000-of-00001.parquet": { bytes: bytes("third"), lfs: true },
    "fullwiki/train-00000-of-00001.parquet": { bytes: bytes("fourth"), lfs: true },
  };
  cacheDir = testFolder();
});
afterEach(() => hub.close());

const retry = { attempts: 3, firstDelayMs: 1, maxDelayMs: 2, silenceTimeoutMs: 2000 };
const options = () => ({ endpoint: hub.endpoint, cacheDir, retry });

describe("downloadDataset", () => {
  it("fetches the parts of one table, goes on after a cut, and asks for nothing that is there", async () => {
    hub.token = "secret";
    hub.faults = [{ kind: "cut", afterBytes: 700 }];
    const selection = { config: "distractor", split: "train" };
    const { folder, commit, files } = await downloadDataset(hub.repo, selection, {
      ...options(),
      token: "secret",
    });
    expect(commit).toBe(hub.commit);
    expect(files).toEqual([
      "distractor/train-00000-of-00002.parquet",
      "distractor/train-00001-of-00002.parquet",
    ]);
    for (const file of files) expect(readFileSync(join(folder, file))).toEqual(hub.files[file]?.bytes);
    expect(hub.requests.some((request) => request.endsWith("bytes=700-"))).toBe(true);
    expect(hub.leakedTokens).toEqual([]);
    const before = hub.requests.length;
    expect((await downloadDataset(hub.repo, selection, { ...options(), token: "secret" })).files).toEqual(
      files,
    );
    expect(hub.requests).toHaveLength(before);
  });

  it("keeps selections apart, so that one split is never taken for another", async () => {
    const train = await downloadDataset(hub.repo, { config: "distractor", split: "train" }, options());
    const validation = await downloadDataset(hub.repo, { split: "validation" }, options());
    expect(validation.folder).not.toBe(train.folder);
    expect(validation.files).toEqual(["distractor/validation-00000-of-00001.parquet"]);
  });

  it("refuses bytes that are not those of the listing", async () => {
    hub.faults = [{ kind: "wrong-bytes" }, { kind: "wrong-bytes" }];
    await expect(downloadDataset(hub.repo, { split: "validation" }, options())).rejects.toMatchObject({
      code: "HASH_MISMATCH",
    });
  });

  it("says of a data set that is not there what to check", async () => {
    await expect(downloadDataset("anyone/absent", {}, options())).rejects.toMatchObject({
      code: "HUB_NOT_FOUND",
    });
  });
});

describe("chooseDatasetFiles", () => {
  const memAgent = [
    "README.md",
    "eval_50.json",
    "hotpotqa_dev.parquet",
    "hotpotqa_train_32k.parquet",
    "hotpotqa_train_process.parquet",
  ];

  it("takes a split for a word of a name, never for a part of a word", () => {
    expect(chooseDatasetFiles(memAgent, { split: "dev" }, "a/b")).toEqual(["hotpotqa_dev.parquet"]);
    expect(() => chooseDatasetFiles(["training.parquet"], { split: "train" }, "a/b")).toThrow(
      "no data file for split train",
    );
  });

  it("refuses to merge tables that only have a word in common, and lists them", () => {
    expect(() => chooseDatasetFiles(memAgent, { split: "train" }, "a/b")).toThrow(
      "split train selects 2 tables; choose one of them by a file, a config or a split; it has hotpotqa_train_32k.parquet, hotpotqa_train_process.parquet",
    );
    expect(chooseDatasetFiles(memAgent, { files: ["eval_50.json"] }, "a/b")).toEqual(["eval_50.json"]);
    expect(() => chooseDatasetFiles(memAgent, { files: ["eval_51.json"] }, "a/b")).toThrow(
      'no file "eval_51.json"',
    );
  });
});
