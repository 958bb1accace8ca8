/** The sampler of a recipe with the adapters of a run, which can be taken away and put back: what the benchmarks of policies ask. */
import { loadBackend } from "../../packages/learning/jit/src/index.js";
import { createSampler, loadAdapters, loadModel } from "../../packages/learning/model/src/index.js";
import { samplerSettings } from "../../packages/learning/trainer/src/engines/own-sampler.js";
import { holdsRunModel, type Recipe, readRunAdapters } from "../../packages/learning/trainer/src/index.js";
import { openModelText, readModelText } from "../../packages/learning/trainer/src/parts/model-text.js";

export interface PolicySource {
  readonly recipe: Recipe;
  /** Folder or GGUF file of the base model. */
  readonly model: string;
  /** A run, whose newest adapters are taken, one of its checkpoints, or a folder of PEFT's. */
  readonly adapters?: string | undefined;
  readonly rows: number;
  /** Default: the recipe's. */
  readonly precision?: string | undefined;
}

export async function openPolicySampler({ recipe, model, adapters: folder, rows, precision }: PolicySource) {
  const { config, parameters } = await loadModel(model);
  const text = openModelText(await readModelText(model), Date.now());
  const trained =
    folder === undefined
      ? undefined
      : holdsRunModel(folder)
        ? await readRunAdapters(folder)
        : { ...(await loadAdapters(folder, config)), policyVersion: undefined };
  if (trained?.policyVersion === 0) throw new Error(`--adapters ${folder}: the run has made no update yet`);
  const sampler = createSampler({
    ...samplerSettings(recipe),
    backend: await loadBackend({ threads: 2, device: recipe.rollout.gpus > 0 ? "gpu" : "auto" }),
    config,
    parameters,
    lora: recipe.learner.lora ?? undefined,
    maxBatch: rows,
    ...(precision === "float32" || precision === "bfloat16" ? { precision } : {}),
  });
  let isTrainedInPlace = false;
  return {
    sampler,
    ...text,
    policyVersion: trained?.policyVersion,
    /** The adapters' B is zero in untrained ones, so that they change nothing. */
    async usePolicy(isTrained: boolean): Promise<void> {
      if (isTrained === isTrainedInPlace) return;
      if (trained === undefined) throw new Error("a trained system needs --adapters");
      const adapters = Object.fromEntries(
        Object.entries(trained.adapters).map(([name, values]) => [
          name,
          isTrained ? values : new Float32Array(values.length),
        ]),
      );
      await sampler.setAdapters(adapters, isTrained ? 1 : 2, isTrained ? "trained" : "base");
      isTrainedInPlace = isTrained;
    },
  };
}
