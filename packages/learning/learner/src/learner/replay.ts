import { readFile } from "node:fs/promises";
import type { Backend } from "@palimpsest/jit";
import { parseModelConfig } from "@palimpsest/model";
import { decodeStepDump, type StepDump } from "@palimpsest/trajectories";
import type { Checkpoint } from "../checkpoint/checkpoint.js";
import type { LearnerConfigInput } from "../config/config.js";
import { LearnerError } from "../config/error.js";
import type { AdvantageModule } from "../loss/define-advantage.js";
import type { UpdateMetrics } from "../step/update-metrics.js";
import type { Peers } from "../together/peers.js";
import { createLearner } from "./create-learner.js";
import type { Learner } from "./learner.js";

export interface ReplayOptions {
  readonly backend: Backend;
  /** The checkpoint before the step; model and configuration come from it. */
  readonly checkpoint: Checkpoint;
  /** The inputs of the steps between the checkpoint and the step, in order; default: none. */
  readonly between?: AsyncIterable<StepDump>;
  /** The inputs of the step. */
  readonly dump: StepDump;
  /** For a policy with adapters: their base weights. */
  readonly baseParameters?: Readonly<Record<string, Float32Array>>;
  /** The export of the module of the configuration's advantage, if it has one. */
  readonly advantage?: AdvantageModule;
  /** For several learners that trained together: each repeats the step with its own rank. */
  readonly peers?: Peers;
  /** The type of the weights that the hash is of, as in `LearnerOptions`. Default float32. */
  readonly publishedType?: "float32" | "bfloat16";
  /** Execution mode; the same bits require the mode of the run. Default "auto". */
  readonly mode?: Learner["mode"];
}

export interface Replay {
  readonly metrics: UpdateMetrics;
  /** Hash of the weights after the step. */
  readonly weightsHash: string;
}

/**
 * Repeats one update from its checkpoint and its groups, without sampling. On one backend with the same number of threads,
 * weights and metrics are those of the run, bit for bit.
 * @throws {LearnerError} CHECKPOINT_MISMATCH, and what `Learner.update` throws
 */
export async function replayStep(options: ReplayOptions): Promise<Replay> {
  const {
    backend,
    checkpoint,
    dump,
    baseParameters = {},
    mode = "auto",
    advantage,
    peers,
    publishedType,
  } = options;
  const learner = createLearner({
    backend,
    checkpoint,
    // createLearner parses it again and names what does not fit.
    config: checkpoint.config as LearnerConfigInput,
    model: parseModelConfig(checkpoint.model),
    parameters: baseParameters,
    objectives: ["policy"],
    mode,
    ...(advantage ? { advantage } : {}),
    ...(peers ? { peers } : {}),
    ...(publishedType ? { publishedType } : {}),
  });
  const repeat = async (given: StepDump): Promise<UpdateMetrics> => {
    if (given.policyVersion === learner.policyVersion)
      return await learner.update(given.groups, { shuffleRewards: given.shuffleRewards });
    throw new LearnerError(
      "CHECKPOINT_MISMATCH",
      `the dump was trained from policy version ${given.policyVersion}, but the checkpoint has version ${learner.policyVersion}; give the checkpoint of the version from which the step started`,
    );
  };
  try {
    for await (const given of options.between ?? []) await repeat(given);
    const metrics = await repeat(dump);
    return { metrics, weightsHash: learner.weightsHash() };
  } finally {
    learner.close();
  }
}

/** Reads a dump from disk. @throws {PalimpsestError} CODEC; the file system's error */
export async function readStepDump(file: string): Promise<StepDump> {
  return decodeStepDump(await readFile(file));
}
