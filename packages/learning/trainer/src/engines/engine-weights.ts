import { readdir, rm, rmdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type BpeTokenizer, type HeldParameters, type ModelConfig, saveModel } from "@palimpsest/model";
import { makeFolder } from "@palimpsest/std/files";
import { widened } from "../weights/weights.js";

/** A policy version in a folder that a server can load. */
export interface WrittenPolicy {
  readonly folder: string;
  readonly policyVersion: number;
  readonly weightsHash: string;
}

/** Policy versions as folders in the Hugging Face layout, for one server: the current one, and the next while it is loaded. */
export class EngineWeights {
  /** Used only by this server. */
  readonly folder: string;
  readonly #config: ModelConfig;
  readonly #tokenizer: BpeTokenizer;

  private constructor(folder: string, config: ModelConfig, tokenizer: BpeTokenizer) {
    this.folder = folder;
    this.#config = config;
    this.#tokenizer = tokenizer;
  }

  static async open(folder: string, config: ModelConfig, tokenizer: BpeTokenizer): Promise<EngineWeights> {
    makeFolder(folder, 0o755);
    return new EngineWeights(folder, config, tokenizer);
  }

  /** Writes a version; its folder appears either complete or not at all. */
  async write(held: HeldParameters, policyVersion: number, weightsHash: string): Promise<WrittenPolicy> {
    const folder = join(this.folder, `policy-${String(policyVersion).padStart(8, "0")}`);
    const parameters = widened(held);
    await saveModel(folder, { config: this.#config, tokenizer: this.#tokenizer, parameters });
    return { folder, policyVersion, weightsHash };
  }

  /** Removes every version except that one. */
  async keepOnly({ folder }: WrittenPolicy): Promise<void> {
    for (const name of await readdir(this.folder)) {
      const path = join(this.folder, name);
      if (name.startsWith("policy-") && !path.startsWith(folder))
        await rm(path, { recursive: true, force: true });
    }
  }

  /** Removes all versions, and with the last engine also the run's folder. */
  async remove(): Promise<void> {
    await rm(this.folder, { recursive: true, force: true });
    await rmdir(dirname(this.folder)).catch(() => undefined);
  }
}
