import { existsSync } from "node:fs";
import {
  inspectModel,
  loadAnyModel,
  type ModelFacts,
  type ModelFolder,
  resolveModel,
} from "@palimpsest/model";
import type { Command } from "commander";
import { downloadBar } from "../display/download-bar.js";
import { untilStopped } from "../input/signals.js";
import { modelCache } from "./model-cache.js";

export interface ModelInputOptions {
  readonly revision?: string;
  /** Unknown fields of config.json that do not change the model. */
  readonly ignoreConfig?: readonly string[];
}

/** Adds the flag for fields of config.json that are unknown here. */
export function withIgnoreConfig(command: Command): Command {
  return command.option(
    "--ignore-config <field...>",
    "loads the model although config.json has these fields, which are unknown here and must not change it",
  );
}

/** The forms of a model argument, for help texts. */
export const modelArgument = "folder, .gguf file, known name, or ORGANIZATION/NAME on the hub";

/**
 * Returns the path of a model argument, which is downloaded if it is not on this machine yet.
 * @throws {ModelError}
 */
export async function modelPath(name: string, { revision }: ModelInputOptions = {}): Promise<string> {
  if (existsSync(name)) return name;
  const bar = downloadBar(name, process.stderr);
  try {
    return await untilStopped((signal) =>
      resolveModel(name, {
        ...modelCache(),
        ...(revision === undefined ? {} : { revision }),
        signal,
        onProgress: bar.show,
      }),
    );
  } finally {
    bar.close();
  }
}

/** @throws {ModelError} */
export async function readModelInput(name: string, options: ModelInputOptions = {}): Promise<ModelFolder> {
  return await loadAnyModel(await modelPath(name, options), ignored(options));
}

/** @throws {ModelError} */
export async function inspectModelInput(
  name: string,
  options: ModelInputOptions = {},
): Promise<ModelFacts & { readonly path: string }> {
  const path = await modelPath(name, options);
  return { path, ...(await inspectModel(path, ignored(options))) };
}

const ignored = ({ ignoreConfig }: ModelInputOptions) => ({ ignoreConfig });
