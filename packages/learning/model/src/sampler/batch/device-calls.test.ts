import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { smallConfig } from "../../testing/index.js";
import type { DeviceRow, SamplingDevice } from "../calls/sampling-device.js";
import { SlotPool } from "../slots/slot-pool.js";
import { SlotShapes } from "../slots/slot-shapes.js";
import { Batch } from "./batch.js";
import { DeviceCalls } from "./device-calls.js";
import { Generation } from "./generation.js";
import { SamplerMeter } from "./sampler-stats.js";

/** Durations of the device that is played here, ms. */
const [readMs, decodeMs, guessMs] = [100, 60, 40];
const stopToken = 2;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["performance"] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** The calls of a sampler over slots of a GPU whose device only takes time, and what each call was. */
function calls(options: { readonly prefillTokens?: number; readonly stopsAfter?: number } = {}) {
  const config = smallConfig({ vocabSize: 40, maxPositions: 16_384 });
  const shapes = new SlotShapes(config, {
    maxBatch: 8,
    maxLength: 16_000,
    stepsPerCall: 32,
    promptLengths: undefined,
    prefillTokens: options.prefillTokens,
    gpu: true,
    packs: true,
  });
  const made: {
    readonly what: "read" | "decode" | "guess";
    readonly tokens: readonly number[];
    readonly length: number;
  }[] = [];
  const drawn = { tokenId: 1, rolloutLogprob: -1, sampledLogprob: -1 };
  const { stopsAfter } = options;
  /** A call's tokens for a row: those after a stop are drawn all the same. */
  const drawnRow = (length: number) =>
    Array.from({ length }, (_, i) => (i + 1 === stopsAfter ? { ...drawn, tokenId: stopToken } : drawn));
  const guessing: Pick<SamplingDevice, "decodeGuessing"> = {
    decodeGuessing(rows) {
      made.push({
        what: "guess",
        tokens: rows.map(() => stopsAfter as number),
        length: stopsAfter as number,
      });
      vi.advanceTimersByTime(guessMs);
      return { sampled: rows.map(() => drawnRow(stopsAfter as number)), guessed: 0, right: 0 };
    },
  };
  const device: SamplingDevice = {
    ...(stopsAfter === undefined ? {} : guessing),
    mode: "xla",
    functionStats: {},
    writeWeights: () => [],
    writeAdapters() {},
    needsHost: () => false,
    read(rows: readonly DeviceRow[], length: number) {
      made.push({ what: "read", tokens: rows.map(({ tokenIds }) => tokenIds.length), length });
      vi.advanceTimersByTime(readMs);
      return rows.map(() => [drawn]);
    },
    decode(rows: readonly DeviceRow[], steps: number) {
      made.push({ what: "decode", tokens: rows.map(() => steps), length: steps });
      vi.advanceTimersByTime(decodeMs);
      return rows.map(({ remaining }) => drawnRow(Math.min(steps, remaining)));
    },
    preparations: () => [],
    zeroPages() {},
    dispose() {},
  };
  const meter = new SamplerMeter(shapes.maxRows);
  const batch = new Batch(new SlotPool({ slots: 8, share: false }), 8, meter);
  const policy = () => ({ policyVersion: 0, weightsHash: "" });
  const all = new DeviceCalls({ device, shapes, batch, meter, policy });
  const ask = (promptTokens: number, maxTokens: number) => {
    const promptTokenIds = Array.from({ length: promptTokens }, (_, t) => t % 40);
    const request = { promptTokenIds, maxTokens, temperature: 1, stopTokenIds: [stopToken], seed: 1 };
    batch.add(new Generation(request, undefined, () => {}));
    batch.admit();
  };
  return { ask, all, made, batch };
}

it("packs unread prompts behind what was read of them, until a call is full", () => {
  const { ask, all, made } = calls();
  for (const tokens of [5000, 300, 4000]) ask(tokens, 100);
  for (let i = 0; i < 4; i++) all.next();
  expect(made.map(({ what, tokens, length }) => ({ what, tokens, length }))).toEqual([
    { what: "read", tokens: [4096], length: 4096 },
    { what: "read", tokens: [904, 300, 2892], length: 4096 },
    // Two requests sample now, and how long that takes decides how much is read after it.
    { what: "decode", tokens: [32, 32], length: 32 },
    { what: "read", tokens: [1024], length: 1024 },
  ]);
});

it("reads until those that sample have waited four times as long as their last call took (SAMPLER-7)", () => {
  const { ask, all, made } = calls();
  ask(10, 10_000);
  all.next();
  all.next();
  for (let i = 0; i < 6; i++) ask(15_000, 500);
  for (let i = 0; i < 12; i++) all.next();
  // Four calls of 60 ms are 240 ms: the third read begins after 200 and ends after them.
  expect(
    made
      .slice(2)
      .map(({ what }) => what)
      .join(" "),
  ).toBe("read read read decode read read read decode read read read decode");
});

it("reads as many tokens as are configured instead (SAMPLER-7)", () => {
  const { ask, all, made } = calls({ prefillTokens: 1024 });
  ask(10, 10_000);
  all.next();
  all.next();
  ask(15_000, 500);
  for (let i = 0; i < 4; i++) all.next();
  expect(made.slice(2).map(({ what, length }) => `${what} ${length}`)).toEqual([
    "read 1024",
    "decode 32",
    "read 1024",
    "decode 32",
  ]);
});

it("compares calls with and without guesses by the tokens that requests keep, not by those beyond a stop", () => {
  const { ask, all, made, batch } = calls({ stopsAfter: 8 });
  for (let call = 0; call < 80; call++) {
    if (batch.running.length === 0) ask(10, 100);
    all.next();
  }
  const count = (kind: string) => made.filter(({ what }) => what === kind).length;
  // Both keep eight tokens of a call, of which the plain one draws 32 and takes half as long again.
  expect(count("decode")).toBeGreaterThan(1);
  expect(count("guess")).toBeGreaterThan(2 * count("decode"));
});
