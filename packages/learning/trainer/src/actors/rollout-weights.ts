/**
 * Responsibility: the weights of one rollout actor: its initial weights, and newer ones as episodes request them.
 * Not responsible for: the sampler, and which version an episode needs.
 *
 * ROLLOUTACTOR-2. Weights are loaded once, however many episodes wait for them.
 * ROLLOUTACTOR-3. Announced weights whose owner has died do not fail an episode, which waits until the weights are
 *   announced again.
 * ROLLOUTWEIGHTS-1. Arrays of weights are used again for the next version, because reading into memory that was used
 *   before takes half the time, and a fraction of that where the new memory would be gigabytes. Arrays that a sampler got are not overwritten before it has loaded them: what it
 *   computes with is its own copy.
 * ROLLOUTWEIGHTS-2. Parts of weights are fetched while the learner stores others, into the same arrays, and a sampler may copy them to
 *   its device. They are used only once the weights are announced, and have the announced hash.
 */

import type { ActorContext } from "@palimpsest/client";
import type { HeldParameters, ModelConfig } from "@palimpsest/model";
import { delay } from "@palimpsest/std";
import type { RunQueues } from "@palimpsest/trajectories";
import { PalimpsestError } from "@palimpsest/wire";
import * as proto from "@palimpsest/wire/protocol";
import type { LayeredPolicy, NamedPolicy } from "../engines/own-sampler.js";
import type { PolicySampler } from "../engines/policy-sampler.js";
import { type BaseWeights, fetchAdapters, fetchPolicy } from "../weights/policy-weights.js";
import { fetchFloats, WeightsFetch } from "../weights/weights.js";

/** How long an episode waits for the announcement of weights. */
const weightsTimeoutMs = 60_000;

export interface RolloutWeightsParts {
  readonly model: ModelConfig;
  /** The run's initial weights. */
  readonly initial: proto.WeightManifest;
  readonly context: ActorContext;
  readonly queues: Pick<RunQueues, "currentWeights" | "onWeights">;
  /** Called only after the first weights are loaded. */
  readonly sampler: () => PolicySampler;
}

export class RolloutWeights {
  readonly #parts: RolloutWeightsParts;
  readonly #base: BaseWeights;
  #loading: Promise<void> = Promise.resolve();
  /** The arrays of weights that the sampler has copied (ROLLOUTWEIGHTS-1); undefined while it copies. */
  #free: HeldParameters | undefined = {};
  /** The next version, as far as it is stored (ROLLOUTWEIGHTS-2). */
  #coming: { readonly policyVersion: number; readonly fetch: WeightsFetch } | undefined;
  /** The newest version that was announced and fetched. */
  #newest = -1;

  constructor(parts: RolloutWeightsParts) {
    const { context, initial } = parts;
    this.#parts = parts;
    // The base is read from this node's store whenever it is needed, because a copy in this process would take memory
    // besides the sampler's for the whole run.
    this.#base = {
      weightsHash: initial.weightsHash,
      parameters: (into) => fetchFloats(context.objects, initial, into),
    };
  }

  /**
   * Returns the newest weights, whole. The objects of the last announcement may be gone with its driver until the
   * learner announces them again. Then this returns the initial weights, which are always there, and the first episode
   * that needs newer ones loads them (ROLLOUTACTOR-1).
   */
  async starting(): Promise<NamedPolicy> {
    const whole = async (manifest: proto.WeightManifest) => ({
      manifest,
      parameters: await this.#policy(manifest),
    });
    return (await this.#announcedBefore(whole)) ?? (await this.#initial());
  }

  /** Like `starting`, but with adapters separate from their base, for a sampler that merges them. */
  async startingLayers(): Promise<LayeredPolicy> {
    const layers = async (manifest: proto.WeightManifest) => {
      if (!manifest.adapters)
        return { manifest, parameters: await this.#policy(manifest), adapters: undefined };
      const adapters = await fetchAdapters(this.#parts.context.objects, manifest, this.#base);
      return { manifest, parameters: await this.#base.parameters(), adapters };
    };
    return (await this.#announcedBefore(layers)) ?? { ...(await this.#initial()), adapters: undefined };
  }

  /** Returns the last announced weights; undefined if their objects no longer exist. */
  async #announcedBefore<T>(read: (manifest: proto.WeightManifest) => Promise<T>): Promise<T | undefined> {
    const announced = await this.#parts.queues.currentWeights();
    if (announced === undefined) return undefined;
    try {
      return await read(proto.WeightManifest.decode(announced));
    } catch (reason) {
      if (PalimpsestError.from(reason).code !== "OBJECT_LOST") throw reason;
      return undefined;
    }
  }

  async #initial(): Promise<NamedPolicy> {
    return { manifest: this.#parts.initial, parameters: await this.#base.parameters() };
  }

  /** Loads the newest announced weights if the sampler's are older than requested. */
  async ensure(minPolicyVersion: number): Promise<void> {
    const sampler = this.#parts.sampler();
    while (sampler.policyVersion < minPolicyVersion) {
      const before = sampler.policyVersion;
      this.#loading = this.#loading.catch(() => undefined).then(() => this.#load(minPolicyVersion));
      await this.#loading;
      if (sampler.policyVersion === before) {
        throw new PalimpsestError(
          "STALE_POLICY",
          `weights are still at version ${before}, but version ${minPolicyVersion} is required`,
          {
            retryable: true,
          },
        );
      }
    }
  }

  /** Fetches what is stored of weights that are not announced yet. What fails is fetched with the announced weights. */
  async foretold(bytes: Uint8Array): Promise<void> {
    const manifest = proto.WeightManifest.decode(bytes);
    const { policyVersion } = manifest;
    if (policyVersion <= Math.max(this.#newest, this.#parts.sampler().policyVersion)) return;
    if (this.#coming === undefined) {
      // The sampler reads the arrays: other ones would double the weights on this host.
      if (this.#free === undefined) return;
      this.#coming = { policyVersion, fetch: new WeightsFetch(this.#parts.context.objects, this.#free) };
    }
    const { fetch, ...coming } = this.#coming;
    if (coming.policyVersion !== policyVersion) return;
    await fetch.more(manifest);
    const there = fetch.there(manifest);
    if (there === undefined || this.#coming?.fetch !== fetch) return;
    this.#parts.sampler().stageWeights?.(there.parameters, there.names);
  }

  async #policy(manifest: proto.WeightManifest, into: HeldParameters = {}): Promise<HeldParameters> {
    const { context, model } = this.#parts;
    return await fetchPolicy(context.objects, manifest, model, this.#base, into);
  }

  async #load(minPolicyVersion: number): Promise<void> {
    const { context } = this.#parts;
    const sampler = this.#parts.sampler();
    if (sampler.policyVersion >= minPolicyVersion) return;
    const { write, startedAt } = await this.#fetch(sampler, minPolicyVersion);
    await write();
    const seconds = (performance.now() - startedAt) / 1000;
    context.metrics.histogram("palimpsest_sampler_weights_load_seconds").observe(seconds);
  }

  /** If the objects of an announcement are gone (ROLLOUTACTOR-3), waits for the next one. */
  async #fetch(sampler: PolicySampler, minPolicyVersion: number) {
    for (let afterMs = 0; ; ) {
      const manifest = await this.#announced(minPolicyVersion, afterMs);
      const startedAt = performance.now();
      try {
        return { write: await this.#fetched(sampler, manifest), startedAt };
      } catch (reason) {
        if (PalimpsestError.from(reason).code !== "OBJECT_LOST") throw reason;
        const { logger } = this.#parts.context;
        logger.warn(
          { err: reason, policyVersion: manifest.policyVersion },
          "the objects of announced weights are lost; waiting for the next announcement",
        );
        afterMs = manifest.publishedAtMs;
      }
    }
  }

  /** Loads only adapters for a sampler that merges them on its device, full weights for others. */
  async #fetched(sampler: PolicySampler, manifest: proto.WeightManifest): Promise<() => Promise<void>> {
    const { policyVersion, weightsHash } = manifest;
    if (manifest.adapters && sampler.setAdapters !== undefined) {
      const adapters = await fetchAdapters(this.#parts.context.objects, manifest, this.#base);
      return async () => await sampler.setAdapters?.(adapters, policyVersion, weightsHash);
    }
    const coming = this.#coming;
    this.#coming = undefined;
    this.#newest = Math.max(this.#newest, policyVersion);
    const isComing = coming?.policyVersion === policyVersion && !manifest.adapters;
    const parameters = isComing
      ? await coming.fetch.finish(manifest)
      : await this.#policy(manifest, (await coming?.fetch.arrays()) ?? this.#free);
    if (isComing && coming.fetch.isRewritten) sampler.forgetStaged?.();
    // Merged with a base, finite adapters may exceed the range.
    const known = { isFinite: manifest.isFinite && !manifest.adapters };
    return async () => {
      this.#free = undefined;
      await sampler.setWeights(parameters, policyVersion, weightsHash, known);
      this.#free = parameters;
    };
  }

  /** Waits for a manifest of at least this version that is announced after that time. */
  async #announced(minPolicyVersion: number, afterMs: number): Promise<proto.WeightManifest> {
    const seen = new AbortController();
    let found: proto.WeightManifest | undefined;
    const subscription = await this.#parts.queues.onWeights((bytes) => {
      const manifest = proto.WeightManifest.decode(bytes);
      if (manifest.policyVersion < minPolicyVersion || manifest.publishedAtMs <= afterMs) return;
      found = manifest;
      seen.abort();
    });
    try {
      if (!found) await delay(weightsTimeoutMs, seen.signal);
    } finally {
      await subscription.close();
    }
    if (found) return found;
    throw new PalimpsestError(
      "STALE_POLICY",
      `weights of version ${minPolicyVersion} were not announced within ${weightsTimeoutMs} ms; check whether the learner is alive`,
      { retryable: true },
    );
  }
}
