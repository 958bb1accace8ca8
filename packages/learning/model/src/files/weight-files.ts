import { existsSync } from "node:fs";
import { basename, join } from "node:path";
import { parseInput } from "@palimpsest/std/input";
import { z } from "zod";
import { ModelError } from "../base/error.js";
import { PieceBuffers } from "./piece-buffers.js";
import { readText } from "./pointer.js";
import { SafetensorsFile } from "./safetensors.js";
import {
  type WritableTensor,
  type WrittenDtype,
  writeSafetensors,
  writtenBytes,
} from "./safetensors-writer.js";
import type { TensorInfo, TensorSource, VisitValues } from "./tensor-source.js";
import { writeJson } from "./whole-folder.js";

const weightsFile = "model.safetensors";
const indexFile = "model.safetensors.index.json";

const shardIndexSchema = z.object({ weight_map: z.record(z.string(), z.string()) });

/** The weights of a folder, either in one file or in shards with an index. */
export class WeightFiles implements TensorSource {
  readonly tensors: ReadonlyMap<string, TensorInfo>;
  readonly #files: readonly SafetensorsFile[];
  readonly #fileOf: ReadonlyMap<string, SafetensorsFile>;

  private constructor(files: readonly SafetensorsFile[], fileOf: ReadonlyMap<string, SafetensorsFile>) {
    this.#files = files;
    this.#fileOf = fileOf;
    this.tensors = new Map([...fileOf].map(([name, file]) => [name, file.tensors.get(name) as TensorInfo]));
  }

  /**
   * Opens the files and reads their headers.
   * @throws {ModelError} FILE_MISSING; FILE_DAMAGED, also if the index names tensors that its shards do not have
   */
  static async open(folder: string): Promise<WeightFiles> {
    if (existsSync(join(folder, weightsFile))) {
      const file = await SafetensorsFile.open(join(folder, weightsFile));
      return new WeightFiles([file], new Map([...file.tensors.keys()].map((name) => [name, file])));
    }
    const weightMap = await readShardIndex(folder);
    const shards = new Map<string, SafetensorsFile>();
    const buffers = new PieceBuffers();
    try {
      for (const shard of new Set(Object.values(weightMap))) {
        shards.set(shard, await SafetensorsFile.open(join(folder, shard), buffers));
      }
      const fileOf = Object.entries(weightMap).map(([name, shard]): [string, SafetensorsFile] => {
        const file = shards.get(shard) as SafetensorsFile;
        if (file.tensors.has(name)) return [name, file];
        const message = `${join(folder, indexFile)}: tensor ${name} is not in ${shard}; fetch both again`;
        throw new ModelError("FILE_DAMAGED", message);
      });
      return new WeightFiles([...shards.values()], new Map(fileOf));
    } catch (reason) {
      await Promise.all([...shards.values()].map((file) => file.close()));
      throw reason;
    }
  }

  get fileNames(): readonly string[] {
    return this.#files.map(({ path }) => basename(path));
  }

  async read(name: string, visit: VisitValues, signal?: AbortSignal): Promise<void> {
    const file = this.#fileOf.get(name);
    if (file === undefined) throw new ModelError("TENSOR_MISSING", `tensor ${name} is not in the checkpoint`);
    await file.read(name, visit, signal);
  }

  async close(): Promise<void> {
    await Promise.all(this.#files.map((file) => file.close()));
  }
}

async function readShardIndex(folder: string): Promise<Readonly<Record<string, string>>> {
  const path = join(folder, indexFile);
  if (!existsSync(path)) {
    const message = `${folder}: contains neither ${weightsFile} nor ${indexFile}; check that this is a model folder`;
    throw new ModelError("FILE_MISSING", message);
  }
  const text = await readText(path);
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (cause) {
    throw new ModelError("FILE_DAMAGED", `${path} is not JSON; fetch it again`, { cause });
  }
  const refuse = (problem: string) => new ModelError("FILE_DAMAGED", `${path}: ${problem}`);
  const index = parseInput(shardIndexSchema, json, refuse);
  for (const shard of new Set(Object.values(index.weight_map))) {
    // A shard is a file of this folder: a path to elsewhere is either damage or an attack.
    if (basename(shard) !== shard)
      throw new ModelError(
        "FILE_DAMAGED",
        `${path}: shard ${shard} is a path, but must be a file name in the same folder`,
      );
    if (!existsSync(join(folder, shard))) {
      const message = `${folder}: shard ${shard}, which ${indexFile} names, does not exist; fetch it`;
      throw new ModelError("FILE_MISSING", message);
    }
  }
  return index.weight_map;
}

export interface WriteWeightsOptions {
  readonly dtype: WrittenDtype;
  /** Above this many bytes the weights are split into several files with an index. */
  readonly maxShardBytes: number;
}

/** Writes weights as one file, or as shards and their index. */
export async function writeWeights(
  folder: string,
  tensors: readonly WritableTensor[],
  { dtype, maxShardBytes }: WriteWeightsOptions,
): Promise<void> {
  const shards = intoShards(tensors, dtype, maxShardBytes);
  if (shards.length <= 1) return await writeSafetensors(join(folder, weightsFile), tensors, dtype);
  const weightMap: Record<string, string> = {};
  let totalBytes = 0;
  for (const [i, shard] of shards.entries()) {
    const number = (n: number) => String(n).padStart(5, "0");
    const name = `model-${number(i + 1)}-of-${number(shards.length)}.safetensors`;
    await writeSafetensors(join(folder, name), shard, dtype);
    for (const tensor of shard) {
      weightMap[tensor.name] = name;
      totalBytes += writtenBytes(tensor, dtype);
    }
  }
  await writeJson(join(folder, indexFile), { metadata: { total_size: totalBytes }, weight_map: weightMap });
}

/** Groups tensors in their order, as many per shard as fit. A tensor larger than a shard gets one to itself. */
function intoShards(
  tensors: readonly WritableTensor[],
  dtype: WrittenDtype,
  maxShardBytes: number,
): WritableTensor[][] {
  const shards: WritableTensor[][] = [];
  let room = 0;
  for (const tensor of tensors) {
    const sizeBytes = writtenBytes(tensor, dtype);
    if (shards.length === 0 || sizeBytes > room) {
      shards.push([]);
      room = maxShardBytes;
    }
    shards.at(-1)?.push(tensor);
    room -= sizeBytes;
  }
  return shards;
}
