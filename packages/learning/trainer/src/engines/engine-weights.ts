import { readdir, rm, rmdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import {
  type BpeTokenizer,
  type HeldParameters,
  type LoraConfig,
  type ModelConfig,
  saveAdapters,
  saveModel,
} from "@palimpsest/model";
import { makeFolder } from "@palimpsest/std/files";
import type { EngineSettings } from "../recipe/engine-settings.js";
import type { Parameters } from "../weights/weights.js";

/** A version in a folder that a server can load. */
interface WrittenVersion {
  readonly folder: string;
  readonly policyVersion: number;
  readonly weightsHash: string;
}

/** A policy that a server can load: whole weights, and adapters over them if it gets these apart. */
export interface WrittenPolicy extends WrittenVersion {
  readonly adapters?: WrittenVersion & { readonly name: string };
}

/** What the weights of an engine belong to. */
export interface EngineModel {
  readonly config: ModelConfig;
  readonly tokenizer: BpeTokenizer;
  readonly weightsType: EngineSettings["weightsType"];
  /** The form of the run's adapters; undefined: it trains whole weights. */
  readonly lora: LoraConfig | undefined;
}

/** Policy versions as folders in the Hugging Face layout, for one server: the current one, and the next while it is loaded. */
export class EngineWeights {
  /** Used only by this server. */
  readonly folder: string;
  readonly #model: EngineModel;

  private constructor(folder: string, model: EngineModel) {
    this.folder = folder;
    this.#model = model;
  }

  static async open(folder: string, model: EngineModel): Promise<EngineWeights> {
    makeFolder(folder, 0o755);
    return new EngineWeights(folder, model);
  }

  /** Writes a version; its folder appears either complete or not at all. */
  async write(
    parameters: HeldParameters,
    policyVersion: number,
    weightsHash: string,
  ): Promise<WrittenPolicy> {
    const { config, tokenizer, weightsType: dtype } = this.#model;
    const folder = this.#folderOf("policy", policyVersion);
    await saveModel(folder, { config, tokenizer, parameters }, { dtype });
    return { folder, policyVersion, weightsHash };
  }

  /** Writes adapters over weights that were written before. */
  async writeAdapters(
    base: WrittenPolicy,
    adapters: Parameters,
    policyVersion: number,
    weightsHash: string,
  ): Promise<WrittenPolicy> {
    const { config, lora } = this.#model;
    if (lora === undefined) throw new Error("adapters of a run that trains whole weights");
    const folder = this.#folderOf("adapters", policyVersion);
    await saveAdapters(folder, config, { lora, adapters });
    return { ...base, adapters: { folder, policyVersion, weightsHash, name: `policy-${policyVersion}` } };
  }

  #folderOf(kind: "policy" | "adapters", version: number): string {
    return join(this.folder, `${kind}-${String(version).padStart(8, "0")}`);
  }

  /**
   * Removes every version except that one. Of adapters the version before stays, which a server may read again for
   * requests that name it.
   */
  async keepOnly({ folder, adapters }: WrittenPolicy): Promise<void> {
    const names = await readdir(this.folder);
    const adapterNames = names.filter((name) => name.startsWith("adapters-")).sort();
    const kept = adapters === undefined ? [] : adapterNames.slice(-2);
    const old = names.filter((name) => /^(policy|adapters)-/.test(name) && !kept.includes(name));
    for (const path of old.map((name) => join(this.folder, name)))
      if (!path.startsWith(folder)) await rm(path, { recursive: true, force: true });
  }

  /** Removes all versions, and with the last engine also the run's folder. */
  async remove(): Promise<void> {
    await rm(this.folder, { recursive: true, force: true });
    await rmdir(dirname(this.folder)).catch(() => undefined);
  }
}
