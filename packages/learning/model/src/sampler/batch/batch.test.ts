import { expect, it } from "vitest";
import { SlotPool } from "../slots/slot-pool.js";
import { Batch } from "./batch.js";
import { Generation } from "./generation.js";
import { SamplerMeter } from "./sampler-stats.js";

const slots = 2;

it("zeroes what a poisoned request left, and tries again if the device could not (SAMPLER-8)", () => {
  const batch = new Batch(new SlotPool({ slots, share: true }), slots, new SamplerMeter(slots));
  const [poisoned, sound] = [1, 2].map(
    (tokenId) =>
      new Generation(
        { promptTokenIds: [tokenId], maxTokens: 4, temperature: 1, stopTokenIds: [], seed: 1 },
        undefined,
        () => {},
      ),
  ) as [Generation, Generation];
  batch.add(poisoned);
  batch.add(sound);
  batch.admit();
  expect(batch.running).toEqual([poisoned, sound]);
  batch.notePoisoned(batch.running, [
    [{ tokenId: 3, rolloutLogprob: Number.NaN, sampledLogprob: Number.NaN }],
    [{ tokenId: 3, rolloutLogprob: -1, sampledLogprob: -1 }],
  ]);
  batch.forget(poisoned);
  batch.forget(sound);
  const full = new Error("the device is full");
  expect(() =>
    batch.zeroUnsound(() => {
      throw full;
    }),
  ).toThrow(full);
  const zeroed: (readonly number[])[] = [];
  batch.zeroUnsound((pages) => zeroed.push(pages));
  batch.zeroUnsound((pages) => zeroed.push(pages));
  expect(zeroed).toEqual([[0]]);
});
