/**
 * Responsibility: the weights that a learner publishes: puts each version into the object store, announces it, and releases old ones.
 * Not responsible for: training them, and the order of a step (step-protocol.ts).
 *
 * ANNOUNCE-1 (T5). Weights are announced after their objects are stored; a restarted learner announces its version again.
 */
import { dirname, join } from "node:path";
import type { ActorContext } from "@palimpsest/client";
import type { Learner } from "@palimpsest/learner";
import { parameterShapes } from "@palimpsest/model";
import type { RunQueues } from "@palimpsest/trajectories";
import * as proto from "@palimpsest/wire/protocol";
import type { RunSpec } from "../records/run-spec.js";
import { HeldWeights } from "../weights/held-weights.js";
import { adaptersOf } from "../weights/policy-weights.js";
import { PutWeights } from "../weights/put-weights.js";
import { publishTensors, publishWeights } from "../weights/weights.js";

type Spec = Pick<RunSpec, "runId" | "model" | "checkpointDir">;

export class LearnerWeights {
  readonly #spec: Spec;
  /** The run's initial weights. */
  readonly #initial: proto.WeightManifest;
  readonly #put: PutWeights;
  readonly #held: HeldWeights;

  private constructor(spec: Spec, initial: proto.WeightManifest, put: PutWeights, held: HeldWeights) {
    this.#spec = spec;
    this.#initial = initial;
    this.#put = put;
    this.#held = held;
  }

  /** @param onDisk runs functions that write to the run's folder, and waits for disk space */
  static async open(
    spec: Spec,
    initial: proto.WeightManifest,
    { objects, logger }: Pick<ActorContext, "objects" | "logger">,
    onDisk: <T>(write: () => Promise<T>) => Promise<T>,
  ): Promise<LearnerWeights> {
    const put = await PutWeights.open(
      objects,
      join(dirname(spec.checkpointDir), "weight-objects.json"),
      (write) => onDisk(write),
    );
    const held = new HeldWeights(put, initial, (reason) =>
      logger.warn(
        { err: reason },
        "the weights of an old version could not be released; they are released with a later version",
      ),
    );
    return new LearnerWeights(spec, initial, put, held);
  }

  /** Hash of the run's initial weights. */
  get baseWeightsHash(): string {
    return this.#initial.weightsHash;
  }

  /** Takes over the objects that the actor's previous process announced, because this actor still references them. */
  inherit(announced: Uint8Array | undefined): void {
    if (announced !== undefined) this.#held.add(proto.WeightManifest.decode(announced));
  }

  /** Puts the current weights into the object store, and says which parts are there; for a policy with adapters, only the adapters. */
  async store(learner: Learner, queues: Pick<RunQueues, "foretellWeights">): Promise<proto.WeightManifest> {
    const { runId } = this.#spec;
    const { lora } = learner.config;
    const version = { runId, policyVersion: learner.policyVersion };
    const objects = this.#put;
    const adapters = lora === null ? {} : { adapters: adaptersOf(lora, this.baseWeightsHash) };
    return await publishTensors(objects, version, learner.published(), {
      ...adapters,
      isFinite: true,
      // Adapters are fetched in no time.
      ...(lora === null
        ? { onStored: (stored) => queues.foretellWeights(proto.WeightManifest.encode(stored).finish()) }
        : {}),
    });
  }

  /** Puts whole weights into the object store for those who keep them; they are released with the run. */
  async storeFloats(learner: Learner): Promise<proto.WeightManifest> {
    const { runId, model } = this.#spec;
    const version = { runId, policyVersion: learner.policyVersion };
    return await publishWeights(this.#put, version, learner.parameters(), parameterShapes(model));
  }

  async announce(manifest: proto.WeightManifest, queues: Pick<RunQueues, "announceWeights">): Promise<void> {
    await queues.announceWeights(proto.WeightManifest.encode(manifest).finish());
    this.#held.add(manifest, this.#put.takeLeft());
  }
}
