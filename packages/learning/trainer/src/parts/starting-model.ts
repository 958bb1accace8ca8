import { loadModel, type ModelConfig, type ModelFolder, parameterShapes } from "@palimpsest/model";
import { PalimpsestError } from "@palimpsest/wire";
import type * as proto from "@palimpsest/wire/protocol";
import type { ObjectLocation } from "../weights/object-location.js";
import { type ObjectAccess, publishWeights } from "../weights/weights.js";
import { encodeModelText, type ModelText, readModelText } from "./model-text.js";

/** The initial model of a run, as objects that every node can fetch. */
export interface BroughtModel {
  readonly model: ModelConfig;
  /** The object of a ModelText. */
  readonly text: ObjectLocation;
  readonly weights: proto.WeightManifest;
}

/** Puts a model folder on a node. Repeating it returns the same objects. @throws {PalimpsestError} CONFIG_INVALID */
export async function bringModel(
  objects: Pick<ObjectAccess, "put">,
  folder: string,
  runId: string,
  ignoreConfig?: readonly string[],
): Promise<BroughtModel> {
  const modelText = await readFolder(folder, readModelText);
  const { config, parameters } = await readFolder(folder, (path) => loadModel(path, { ignoreConfig }));
  const text = await objects.put([encodeModelText(modelText)]);
  const version = { runId, policyVersion: 0 };
  const weights = await publishWeights(objects, version, parameters, parameterShapes(config));
  return { model: config, text, weights };
}

async function readFolder<T extends ModelText | ModelFolder>(
  folder: string,
  read: (folder: string) => Promise<T>,
): Promise<T> {
  try {
    return await read(folder);
  } catch (reason) {
    throw new PalimpsestError(
      "CONFIG_INVALID",
      `model: ${folder} cannot be loaded (${reason instanceof Error ? reason.message : String(reason)}); give a model folder, builtin:quickstart, or the name of a model`,
      { cause: reason },
    );
  }
}
