import type { KnownModel } from "./known-model.js";
import { smollm2 } from "./smollm2.js";

export const knownModels: Readonly<Record<string, KnownModel>> = { "smollm2-135m-instruct": smollm2 };

export function knownModel(name: string): KnownModel | undefined {
  return Object.hasOwn(knownModels, name) ? knownModels[name] : undefined;
}
