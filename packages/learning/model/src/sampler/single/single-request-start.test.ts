/** SINGLE-2: when the decoder of a request that runs alone is created, and when it is not. */
import { expect, test } from "vitest";
import { parseModelConfig } from "../../base/config.js";
import type { DeviceRow } from "../calls/sampling-device.js";
import { SingleRequest } from "./single-request.js";

const config = parseModelConfig({
  architecture: "llama",
  vocabSize: 64,
  hiddenSize: 16,
  layers: 9,
  heads: 2,
  kvHeads: 1,
  headDim: 8,
  intermediateSize: 16,
  tieWordEmbeddings: true,
  maxPositions: 8_000_000,
});

function refused(): never {
  throw new Error("the decoder was created and reads what the device has");
}
const host = { tensor: refused, isTransposed: false, readEntries: refused, writeEntries: refused, width: 16 };

function aRequest(maxLength: number): SingleRequest {
  return new SingleRequest({ config, format: "float32", maxLength, threads: 1 }, host);
}

function aRow(pages: readonly number[], sampled: number): DeviceRow {
  const rule = { temperature: 1 };
  return {
    pages,
    past: 2 + sampled,
    tokenIds: [1],
    rule,
    seed: 1,
    sampled,
    remaining: 40,
    history: new Int32Array(0),
    stopTokenIds: [],
  };
}

test("what requests sampled in a batch, before they were alone, does not count", () => {
  const request = aRequest(320);
  for (let i = 0; i < 3; i++) {
    const pages = [i];
    for (const sampled of [80 * i + 40, 80 * i + 44])
      expect(request.sample(aRow(pages, sampled), 4)).toBeUndefined();
  }
  request.dispose();
  request.forgetWeights();
  const pages = [9];
  const alone = () => [1, 5, 9, 13, 17, 21].map((sampled) => request.sample(aRow(pages, sampled), 4));
  expect(alone).toThrow(/the decoder was created/);
});

test("a request is sampled like any other if there is no memory for the decoder", () => {
  const request = aRequest(config.maxPositions);
  const pages = [0];
  for (let sampled = 1; sampled < 60; sampled += 4)
    expect(request.sample(aRow(pages, sampled), 4)).toBeUndefined();
});
