/**
 * Responsibility: the weights that a learner publishes: puts each version into the object store, announces it, lets old ones go.
 * Not responsible for: training them, and the order of a step (step-protocol.ts).
 *
 * A3 (T5). Weights are announced after their objects are stored; a restarted learner announces its version again.
 */
import { dirname, join } from "node:path";
import type { ActorContext } from "@palimpsest/client";
import type { Learner } from "@palimpsest/learner";
import { loraForm, loraShapes, parameterShapes } from "@palimpsest/model";
import type { RunQueues } from "@palimpsest/trajectories";
import * as proto from "@palimpsest/wire/protocol";
import type { RunSpec } from "../run-spec.js";
import { HeldWeights } from "./held-weights.js";
import { adaptersOf } from "./policy-weights.js";
import { PutWeights } from "./put-weights.js";
import { publishWeights } from "./weights.js";

type Spec = Pick<RunSpec, "runId" | "model" | "checkpointDir">;

export class LearnerWeights {
  readonly #spec: Spec;
  /** What the run began with. */
  readonly #initial: proto.WeightManifest;
  readonly #put: PutWeights;
  readonly #held: HeldWeights;

  private constructor(spec: Spec, initial: proto.WeightManifest, put: PutWeights, held: HeldWeights) {
    this.#spec = spec;
    this.#initial = initial;
    this.#put = put;
    this.#held = held;
  }

  /** @param onDisk runs what writes to the run's folder, and waits for space there */
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
      logger.warn({ err: reason }, "weights of an old version are let go later"),
    );
    return new LearnerWeights(spec, initial, put, held);
  }

  /** Of the weights that the run began with. */
  get baseWeightsHash(): string {
    return this.#initial.weightsHash;
  }

  /** What the process before this one announced is still held for this actor. */
  inherit(announced: Uint8Array | undefined): void {
    if (announced !== undefined) this.#held.add(proto.WeightManifest.decode(announced));
  }

  /** Puts the present weights into the object store; of a policy with adapters, these alone. */
  async store(learner: Learner): Promise<proto.WeightManifest> {
    const { runId, model } = this.#spec;
    const { lora } = learner.config;
    const version = { runId, policyVersion: learner.policyVersion };
    const objects = this.#put;
    if (lora === null)
      return await publishWeights(objects, version, learner.parameters(), parameterShapes(model));
    return await publishWeights(objects, version, learner.adapters(), loraShapes(model, loraForm(lora)), {
      adapters: adaptersOf(lora, this.baseWeightsHash),
    });
  }

  async announce(manifest: proto.WeightManifest, queues: Pick<RunQueues, "announceWeights">): Promise<void> {
    await queues.announceWeights(proto.WeightManifest.encode(manifest).finish());
    this.#held.add(manifest, this.#put.takeLeft());
  }
}
