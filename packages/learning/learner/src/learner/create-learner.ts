/** Creates a learner from weights or from a checkpoint. */
import type { Backend } from "@palimpsest/jit";
import type { ModelConfig } from "@palimpsest/model";
import type { Checkpoint } from "../checkpoint/checkpoint.js";
import { checkSameLearner } from "../checkpoint/checkpoint-match.js";
import { chosenConfig } from "../checkpoint/chosen-config.js";
import type { LearnerConfigInput } from "../config/config.js";
import { LearnerError } from "../config/error.js";
import { createRandom, restoreRandom } from "../config/random.js";
import { type AdvantageModule, ownAdvantage } from "../loss/define-advantage.js";
import { withMemoryAdvice } from "../memory/memory-exhausted.js";
import { writeWhole } from "../state/optimizer-shards.js";
import { passedGradients } from "../state/passed-gradients.js";
import { initialState, restoredState } from "../state/state.js";
import { compileLearner, type Objective } from "../step/compiled.js";
import type { Peers } from "../together/peers.js";
import { checkTogether, Together } from "../together/together.js";
import { Learner } from "./learner.js";

export interface LearnerOptions {
  readonly backend: Backend;
  readonly config: LearnerConfigInput;
  readonly model: ModelConfig;
  /** Initial weights, by the names of the model's `parameterShapes`. */
  readonly parameters: Readonly<Record<string, Float32Array>>;
  /** The weights that the KL is measured against; default: the initial weights. */
  readonly referenceParameters?: Readonly<Record<string, Float32Array>>;
  /**
   * The checkpoint from which to resume. It replaces parameters, reference and policy version; with adapters, the base
   * is still `parameters`.
   */
  readonly checkpoint?: Checkpoint;
  /** Version of the initial weights. Default 0. */
  readonly policyVersion?: number;
  /** Objectives to compile. Default: both. */
  readonly objectives?: readonly Objective[];
  /** The export of `config.advantage`'s module, if it names one. */
  readonly advantage?: AdvantageModule;
  /** Folder for batches that could not be trained; absent: they are not written. */
  readonly dumpFolder?: string;
  /** Other learners that train the same model with this one; each is given the same calls in the same order. */
  readonly peers?: Peers;
  /** The type of whole weights that `published` gives and `weightsHash` names; bfloat16 only without lora. Default float32. */
  readonly publishedType?: "float32" | "bfloat16";
  /** How functions are executed. Default "auto". */
  readonly mode?: "auto" | "eager" | "graph" | "xla";
}

/** @throws {LearnerError} CONFIG_INVALID, CHECKPOINT_MISMATCH, MEMORY_EXHAUSTED; {JitError} if a function cannot be compiled */
export function createLearner(options: LearnerOptions): Learner {
  const { backend, model, objectives = ["policy", "supervised"], mode = "auto" } = options;
  const { config, reason } = chosenConfig(options);
  if (config.deterministic && !backend.deterministic)
    throw new LearnerError(
      "CONFIG_INVALID",
      "deterministic is true, but the backend was loaded without it; call loadBackend({ deterministic: true }) before anything else loads TensorFlow in this process, or set deterministic to false",
    );
  if (options.peers !== undefined) checkTogether(options.peers, config);
  if (options.checkpoint !== undefined) checkSameLearner(options.checkpoint, model, config);
  const state =
    options.checkpoint === undefined
      ? initialState(options, config)
      : restoredState(options.checkpoint.tensors, options, config);
  const isTogether = options.peers !== undefined;
  const module = compileLearner({ backend, model, config, objectives, mode, isTogether });
  try {
    writeWhole(module, config, model, state);
  } catch (error) {
    module.dispose();
    throw withMemoryAdvice(error, config, module.mode);
  }
  return new Learner(module, config, model, {
    precisionReason: reason,
    policyVersion: options.checkpoint?.policyVersion ?? options.policyVersion ?? 0,
    step: options.checkpoint?.step ?? 0,
    random: options.checkpoint ? restoreRandom(options.checkpoint.random) : createRandom(config.seed),
    klCoefficient: options.checkpoint?.klCoefficient ?? config.kl.coefficient,
    dumpFolder: options.dumpFolder,
    publishedType: options.publishedType ?? "float32",
    ownAdvantage: ownAdvantage(config.advantage, options.advantage),
    reference: options.checkpoint?.storedReference,
    together: options.peers && new Together(options.peers, passedGradients(model, config)),
  });
}
