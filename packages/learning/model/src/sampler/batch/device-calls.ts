import { entry } from "@palimpsest/jit";
import type { CallPlan } from "../calls/call-plan.js";
import type { DeviceRow, SampledRow, SamplingDevice } from "../calls/sampling-device.js";
import type { Batch } from "./batch.js";
import type { Generation } from "./generation.js";
import { GuessChoice } from "./guess-choice.js";
import { type ReadBatch, readBatch } from "./read-batch.js";
import type { SamplerMeter } from "./sampler-stats.js";
import type { PolicyName } from "./weight-changes.js";

/** Tokens between two turns of the event loop: about a tenth of a second. */
const stepsAlone = 4;

interface DeviceCallsOptions {
  readonly device: SamplingDevice;
  readonly shapes: CallPlan;
  readonly batch: Batch;
  readonly meter: SamplerMeter;
  /** The weights that are in place, by name: results are given it. */
  readonly policy: () => PolicyName;
}

/** The device calls of a sampler: which requests the next one serves, and what becomes of its tokens. */
export class DeviceCalls {
  readonly #device: SamplingDevice;
  readonly #shapes: CallPlan;
  readonly #batch: Batch;
  readonly #meter: SamplerMeter;
  readonly #policy: () => PolicyName;
  /** Prompt tokens read since the last call that sampled, and the time that it took. */
  #readSinceDecode = 0;
  #readSeconds = 0;
  /** Time of the last call that sampled. */
  #decodeSeconds = 0;
  readonly #choice = new GuessChoice();

  constructor({ device, shapes, batch, meter, policy }: DeviceCallsOptions) {
    this.#device = device;
    this.#shapes = shapes;
    this.#batch = batch;
    this.#meter = meter;
    this.#policy = policy;
  }

  /** Makes one call for the running requests. */
  next(): void {
    const sampling = this.#batch.running.find((generation) => !generation.isReading);
    const plan = readBatch(this.#batch.readable, this.#shapes, this.#readBudget(sampling !== undefined));
    if (plan !== undefined) this.#read(plan);
    else if (sampling !== undefined) this.#continue(sampling);
  }

  /** How many prompt tokens the next call may read (SAMPLER-7). */
  #readBudget(isSampling: boolean): number {
    if (!isSampling) return Number.POSITIVE_INFINITY;
    const { patience, prefillTokens } = this.#shapes;
    if (patience === undefined) return prefillTokens - this.#readSinceDecode;
    const patient = Math.min(patience.seconds, patience.times * this.#decodeSeconds);
    return this.#readSeconds < patient ? Number.POSITIVE_INFINITY : 0;
  }

  /** Reads the next pieces of prompts. */
  #read({ generations: batch, pieces, length, paddedTokens }: ReadBatch): void {
    const rows = batch.map((generation, i) => generation.deviceRow(pieces[i]));
    const tokens = pieces.reduce((sum, piece) => sum + piece, 0);
    const before = this.#meter.secondsBusy;
    const sampled = this.#meter.time(rows.length, tokens, () => this.#device.read(rows, length));
    this.#readSeconds += this.#meter.secondsBusy - before;
    this.#readSinceDecode += paddedTokens;
    this.#batch.notePoisoned(batch, sampled);
    batch.forEach((generation, i) => {
      if (generation.lease === undefined) return; // Another request's onTokens aborted it.
      this.#batch.filled(generation, generation.readTokens + (pieces[i] as number));
      // A NaN within a prompt cannot go away, so the request fails at once.
      if (!generation.isReading || generation.isPoisoned) this.#take(generation, entry(sampled, i));
    });
  }

  /** Samples for the next running request, and for others with as many steps and a similar attended length. */
  #continue(next: Generation): void {
    const stepsOf = (generation: Generation) =>
      this.#device.needsHost(generation.request) ? 0 : this.#shapes.stepsFor(generation.remainingTokens);
    const steps = stepsOf(next);
    const pastOf = ({ writtenTokens }: Generation) =>
      this.#shapes.pastClass(writtenTokens, Math.max(1, steps));
    const past = pastOf(next);
    const alike = this.#batch.running.filter(
      (generation) => !generation.isReading && stepsOf(generation) === steps && pastOf(generation) === past,
    );
    const batch = alike.slice(0, this.#shapes.maxRows);
    if (alike.length === 1 && this.#batch.running.every((other) => other === next) && this.#verify(next))
      return;
    if (this.#sampleAlone(next)) return;
    this.#batch.putLast(batch);
    const rows = batch.map((generation) => generation.deviceRow());
    const before = this.#meter.secondsBusy;
    const { decodeGuessing } = this.#device;
    const guesses = steps > 0 && decodeGuessing !== undefined && this.#choice.next() === "guessing";
    const sampled = this.#meter.time(rows.length, 0, () => {
      // Drawing on the host goes token by token.
      if (!guesses) return this.#device.decode(rows, Math.max(1, steps));
      const { sampled, guessed, right } = decodeGuessing(rows);
      this.#meter.addGuessed(guessed, right);
      return sampled;
    });
    this.#decodeSeconds = this.#meter.secondsBusy - before;
    this.#readSinceDecode = 0;
    this.#readSeconds = 0;
    this.#batch.notePoisoned(batch, sampled);
    const kept = batch.reduce((sum, generation, i) => sum + this.#take(generation, entry(sampled, i)), 0);
    if (steps > 0 && decodeGuessing !== undefined)
      this.#choice.note(guesses ? "guessing" : "plain", kept / batch.length / this.#decodeSeconds);
  }

  /** Samples a request that runs alone in the single-request decoder; returns false if the device has none ready. */
  #sampleAlone(generation: Generation): boolean {
    if (
      this.#device.sampleAlone === undefined ||
      this.#batch.running.length > 1 ||
      this.#batch.waiting.length > 0
    )
      return false;
    const { passCosts } = this.#device;
    const guessed = passCosts === undefined ? undefined : generation.worthwhileRow(passCosts);
    // With guesses each token may be the start of some.
    const steps = passCosts === undefined ? Math.min(stepsAlone, generation.remainingTokens) : 1;
    const row = guessed ?? generation.deviceRow();
    const sampled = this.#meter.time(1, 0, () => this.#device.sampleAlone?.(row, steps));
    if (sampled === undefined) return false;
    this.#readSinceDecode = 0;
    this.#readSeconds = 0;
    this.#batch.notePoisoned([generation], [sampled]);
    this.#take(generation, guessed === undefined ? sampled : this.#checked(generation, guessed, sampled));
    return true;
  }

  /** Checks guesses for the only running request in one pass; returns false if there are none. */
  #verify(generation: Generation): boolean {
    const { guesses = 0 } = this.#device;
    const { request } = generation;
    const row = guesses === 0 || this.#device.needsHost(request) ? undefined : generation.guessedRow(guesses);
    if (row === undefined) return false;
    const sampled = this.#meter.time(1, 0, () => this.#device.verify?.(row) ?? []);
    this.#readSinceDecode = 0;
    this.#readSeconds = 0;
    this.#batch.notePoisoned([generation], [sampled]);
    this.#take(generation, this.#checked(generation, row, sampled));
    return true;
  }

  /** Returns the valid part of a checked row. */
  #checked(generation: Generation, row: DeviceRow, sampled: SampledRow): SampledRow {
    const held = generation.verified(row, sampled);
    this.#meter.addGuessed(row.tokenIds.length - 1, held.length - 1);
    return held;
  }

  /** Returns the number of tokens that the request keeps: none of those beyond a stop. */
  #take(generation: Generation, sampled: SampledRow): number {
    if (generation.lease === undefined) return 0; // Another request's onTokens aborted it.
    const before = generation.sampledTokens;
    try {
      const result = generation.take(sampled, this.#policy());
      if (result !== undefined) {
        this.#batch.forget(generation);
        generation.settle(result);
      }
    } catch (error) {
      this.#batch.forget(generation);
      generation.settle({ error });
    }
    const kept = generation.sampledTokens - before;
    this.#meter.addSampled(kept);
    return kept;
  }
}
