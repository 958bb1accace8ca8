import type { ModelConfig } from "../base/config.js";
import type { DownloadOptions } from "./download-model.js";

/** A model that has a short name here. */
export type KnownModel = HubModel | MadeModel;

interface KnownModelFacts {
  /** One line for lists: what the model is, where it comes from, and its license. */
  readonly description: string;
  /** The model's shape, by which memory is counted before anything is downloaded. */
  readonly config: ModelConfig;
}

/** A known model of a Hugging Face hub, at one commit. */
export interface HubModel extends KnownModelFacts {
  readonly repo: string;
  /** The commit whose files are used. */
  readonly revision: string;
  /** Whether the hub asks for an account that has accepted the license. */
  readonly gated: boolean;
}

/** A known model that does not come from a hub. */
export interface MadeModel extends KnownModelFacts {
  /** Fetches the model and writes its folder, which appears either complete or not at all. */
  readonly make: (folder: string, options: MakeOptions) => Promise<void>;
}

export type MakeOptions = Pick<DownloadOptions, "signal" | "onProgress" | "refresh">;
