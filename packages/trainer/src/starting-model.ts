import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { loadModel, type ModelConfig, type ModelFolder, parameterShapes } from "@palimpsest/model";
import { PalimpsestError } from "@palimpsest/wire";
import type * as proto from "@palimpsest/wire/protocol";
import { type ObjectAccess, type ObjectLocation, publishWeights } from "./weights.js";

/** What a run starts from, as objects that every node can fetch. */
export interface BroughtModel {
  readonly model: ModelConfig;
  readonly tokenizer: ObjectLocation;
  readonly weights: proto.WeightManifest;
}

/** Puts a model folder on a node. Again, it gives the same objects. @throws {PalimpsestError} CONFIG_INVALID */
export async function bringModel(
  objects: Pick<ObjectAccess, "put">,
  folder: string,
  runId: string,
): Promise<BroughtModel> {
  const { config, parameters } = await readModel(folder);
  const tokenizer = await objects.put([await readFile(join(folder, "tokenizer.json"))]);
  const version = { runId, policyVersion: 0 };
  const weights = await publishWeights(objects, version, parameters, parameterShapes(config));
  return { model: config, tokenizer, weights };
}

async function readModel(path: string): Promise<ModelFolder> {
  try {
    return await loadModel(path);
  } catch (reason) {
    throw new PalimpsestError(
      "CONFIG_INVALID",
      `model.path: ${path} does not load (${reason instanceof Error ? reason.message : String(reason)}); give a model folder, or builtin:quickstart`,
      { cause: reason },
    );
  }
}
