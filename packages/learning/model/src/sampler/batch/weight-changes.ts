import { setImmediate } from "node:timers/promises";
import type { ModelConfig } from "../../base/config.js";
import { ModelError } from "../../base/error.js";
import { type LoraConfig, loraForm, loraShapes } from "../../base/lora.js";
import {
  checkFinite,
  checkParameters,
  checkTensors,
  finiteChecks,
  type HeldParameters,
} from "../../base/parameters.js";
import type { SamplingDevice } from "../calls/sampling-device.js";
import type { StagedWeights } from "../weights/staged-weights.js";

type Values = Readonly<Record<string, Float32Array>>;

/** The identity of a policy. */
export interface PolicyName {
  readonly policyVersion: number;
  readonly weightsHash: string;
}

/** What is known of whole weights before they are checked. */
export interface KnownWeights {
  /** Whether all values are known to be finite, which saves a pass over them. Default false. */
  readonly isFinite?: boolean;
}

/** Whole weights, or adapters over the present ones. */
export type PolicyValues =
  | ({ readonly parameters: HeldParameters } & KnownWeights)
  | { readonly adapters: Values };

type NewWeights = PolicyName & PolicyValues;

type WeightChange = NewWeights & {
  readonly applied: () => void;
  readonly failed: (error: unknown) => void;
};

/**
 * Responsibility: the weights of a sampler, and the changes that wait until they may be written; of several, the newest is
 *   applied.
 * Not responsible for: when that is (model-sampler.ts), and how they are written (sampling-device.ts).
 *
 * Invariants:
 * - WEIGHTCHANGE-1. A change that is refused before it is written leaves the weights unchanged. If merged weights turn out not to
 *     be finite, earlier adapters are merged again: those that waited with them, or the previous ones.
 * - WEIGHTCHANGE-2. Whole weights are checked and written in steps, between which the event loop runs, so that a large model does not
 *     keep an actor's timers and connections waiting. Nothing else uses the device until all are written.
 * - WEIGHTCHANGE-3. Weights that are staged (STAGED-1) are changed only once they are, and only the newest: what was staged of others is
 *     never used.
 */
export class WeightChanges {
  readonly #model: ModelConfig;
  readonly #lora: LoraConfig | undefined;
  readonly #device: SamplingDevice;
  #current: PolicyName;
  /** The merged adapters; undefined: the base alone. */
  #adapters: Values | undefined;
  #waiting: WeightChange[] = [];
  #isApplying = false;
  #staged: StagedWeights | undefined;

  constructor(
    {
      model,
      lora,
      device,
    }: {
      readonly model: ModelConfig;
      readonly lora: LoraConfig | undefined;
      readonly device: SamplingDevice;
    },
    current: PolicyName,
  ) {
    this.#model = model;
    this.#lora = lora;
    this.#device = device;
    this.#current = current;
  }

  get current(): PolicyName {
    return this.#current;
  }

  get isWaiting(): boolean {
    return this.#waiting.length > 0 || this.#isApplying;
  }

  /** Whether waiting changes may be applied: the newest whole weights among them are staged, unless the device does not do so. */
  get isReady(): boolean {
    const whole = this.#waiting.findLast((change) => "parameters" in change);
    return whole === undefined || this.#stagedOf(whole)?.isWhole !== false;
  }

  /** Whether weights were announced that are not in place. */
  get isStaging(): boolean {
    return this.#staged !== undefined;
  }

  /** Whether `stage` has something to copy. */
  get isStageable(): boolean {
    return this.#staged?.isCopyable ?? false;
  }

  /**
   * Tells that these of the parameters are there, which a later change may have, so that they can be copied already.
   * @throws {ModelError} TENSOR_MISSING, TENSOR_UNKNOWN, SHAPE_MISMATCH
   */
  announce(parameters: HeldParameters, names: Iterable<string>): void {
    if (this.#staged?.parameters !== parameters) {
      checkParameters(this.#model, parameters);
      this.#staged = this.#device.stageWeights?.(parameters);
    }
    this.#staged?.add(names);
  }

  /** Forgets what was announced and is not a change yet: it has other values now. */
  forget(): void {
    const isChange = this.#waiting.some((change) => this.#stagedOf(change) !== undefined);
    if (!isChange) this.#staged = undefined;
  }

  /** Copies announced weights for about that long. If the device has no room for them, they are written when they are applied. */
  stage(ms: number): void {
    const endMs = performance.now() + ms;
    try {
      while (this.#staged?.step() === true && performance.now() < endMs);
    } catch {
      this.#staged = undefined;
    }
  }

  #stagedOf(change: WeightChange): StagedWeights | undefined {
    return "parameters" in change && change.parameters === this.#staged?.parameters
      ? this.#staged
      : undefined;
  }

  /**
   * Whole weights that are not known to be finite are checked for it when they are applied.
   * @throws {ModelError} TENSOR_MISSING, TENSOR_UNKNOWN, SHAPE_MISMATCH, NOT_FINITE of adapters, CONFIG_INVALID for adapters without `lora`
   */
  check(values: PolicyValues): void {
    if ("parameters" in values) {
      checkParameters(this.#model, values.parameters);
      return;
    }
    if (this.#lora === undefined)
      throw new ModelError(
        "CONFIG_INVALID",
        "adapters were given, but the sampler was created without lora; create it with the adapters' lora",
      );
    checkTensors(loraShapes(this.#model, loraForm(this.#lora)), values.adapters, "these adapters");
    checkFinite(values.adapters);
  }

  /** Resolves when they are written. The caller must have checked them, and must not modify them afterwards. */
  add(weights: NewWeights): Promise<void> {
    if ("parameters" in weights) this.announce(weights.parameters, Object.keys(weights.parameters));
    return new Promise<void>((applied, failed) => {
      this.#waiting.push({ ...weights, applied, failed });
    });
  }

  /**
   * Writes the newest finite change. Callers learn the fate of their own change: one that a newer change superseded counts as
   * applied, and only one that is itself not finite is rejected.
   * @throws what the device throws if some tensors may be new and some old
   */
  async apply(advised: (error: unknown) => unknown): Promise<void> {
    this.#isApplying = true;
    try {
      await this.#apply(await this.#finite(this.#waiting.splice(0)), advised);
    } finally {
      this.#isApplying = false;
    }
  }

  /** Rejects the changes whose weights are not finite and returns the others. */
  async #finite(changes: readonly WeightChange[]): Promise<WeightChange[]> {
    const kept: WeightChange[] = [];
    for (const change of changes) {
      try {
        if ("parameters" in change && change.isFinite !== true) await paced(finiteChecks(change.parameters));
        kept.push(change);
      } catch (error) {
        change.failed(error);
      }
    }
    return kept;
  }

  async #apply(changes: WeightChange[], advised: (error: unknown) => unknown): Promise<void> {
    // Adapters belong to the last whole weights, which are either waiting too or already written.
    const whole = changes.findLast((change) => "parameters" in change);
    try {
      if (whole !== undefined && "parameters" in whole) {
        const staged = this.#stagedOf(whole);
        this.#staged = undefined;
        await paced(staged?.finish() ?? this.#device.writeWeights(whole.parameters));
        this.#adapters = undefined;
        this.#current = nameOf(whole);
      }
    } catch (error) {
      const told = advised(error);
      for (const { failed } of changes) failed(told);
      if (isNotFinite(told)) return;
      throw told;
    }
    for (let newest = changes.pop(); newest !== undefined; newest = changes.pop()) {
      try {
        if ("adapters" in newest) this.#merge(newest.adapters);
      } catch (error) {
        const told = advised(error);
        newest.failed(told);
        if (isNotFinite(told)) continue;
        for (const { failed } of changes) failed(told);
        throw told;
      }
      this.#current = nameOf(newest);
      for (const { applied } of [...changes.splice(0), newest]) applied();
    }
  }

  fail(error: unknown): void {
    for (const { failed } of this.#waiting.splice(0)) failed(error);
  }

  #merge(adapters: Values): void {
    try {
      this.#device.writeAdapters(adapters);
      this.#adapters = adapters;
    } catch (error) {
      if (!isNotFinite(error)) throw error;
      const before = this.#adapters ?? withZeros(adapters);
      this.#device.writeAdapters(before);
      throw error;
    }
  }
}

/** How long steps run before the event loop does. */
const stepsMs = 10;

async function paced(steps: Iterable<undefined>): Promise<void> {
  let startedAt = performance.now();
  for (const _ of steps) {
    if (performance.now() - startedAt < stepsMs) continue;
    await setImmediate();
    startedAt = performance.now();
  }
}

function isNotFinite(error: unknown): boolean {
  return error instanceof ModelError && error.code === "NOT_FINITE";
}

function nameOf({ policyVersion, weightsHash }: PolicyName): PolicyName {
  return { policyVersion, weightsHash };
}

function withZeros(adapters: Values): Values {
  return Object.fromEntries(
    Object.entries(adapters).map(([name, { length }]) => [name, new Float32Array(length)]),
  );
}
