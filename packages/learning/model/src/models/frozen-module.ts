import {
  type Backend,
  type JitFunction,
  type JitMode,
  type JitModule,
  jit,
  type TensorSpec,
} from "@palimpsest/jit";
import type { ModelConfig } from "../base/config.js";
import { ModelError } from "../base/error.js";
import { parameterShapes } from "../base/parameters.js";
import type { LoadedModel } from "../text/local-text-model.js";

/** A model with frozen weights, with one function for each length that texts are padded to. */
export interface FrozenModule {
  readonly module: JitModule;
  readonly tokenizer: NonNullable<LoadedModel["tokenizer"]>;
  /** Ascending; the last one is the maximum number of tokens that are read. */
  readonly widths: readonly number[];
}

/**
 * @param options.widths lengths below maxTokens
 * @param options.maxTokens capped at the model's number of positions
 * @param options.purpose what a model without a tokenizer cannot do, for the error
 * @param functionOf returns the function of one length, which also names it
 * @throws {ModelError} TOKENIZER_INVALID if the model was loaded without a tokenizer
 */
export function frozenModule(
  { tokenizer, config, parameters }: LoadedModel,
  options: {
    readonly backend: Backend;
    readonly mode?: "auto" | JitMode | undefined;
    readonly widths: readonly number[];
    readonly maxTokens: number;
    readonly purpose: string;
  },
  functionOf: (config: ModelConfig, width: number) => JitFunction,
): FrozenModule {
  if (tokenizer === undefined) {
    throw new ModelError(
      "TOKENIZER_INVALID",
      `the model has no tokenizer.json, without which it cannot ${options.purpose}; add the file to its folder`,
    );
  }
  const { backend, mode = "auto" } = options;
  const most = Math.min(options.maxTokens, config.maxPositions);
  const widths = [...options.widths.filter((width) => width < most), most];
  const state = Object.fromEntries(
    Object.entries(parameterShapes(config)).map(([name, shape]): [string, TensorSpec] => [
      name,
      { shape, dtype: "float32" },
    ]),
  );
  const functions = Object.fromEntries(widths.map((width) => [String(width), functionOf(config, width)]));
  const module = jit({ backend, mode, state, functions });
  module.writeState(parameters);
  return { module, tokenizer, widths };
}
