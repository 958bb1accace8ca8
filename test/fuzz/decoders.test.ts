import { describe, expect, test } from "vitest";
import { runCampaign } from "./campaign.js";
import { decoders } from "./decoders.js";

describe("damaged bytes", () => {
  test("every decoder takes its own seeds", () => {
    for (const { name, seeds, decode } of decoders)
      for (const seed of seeds) expect(() => decode(seed), name).not.toThrow();
  });

  test("are decoded or refused as each decoder promises, without a hang and without growth", () => {
    const { findings, heapBytes } = runCampaign(decoders, 20_000, 7);
    expect(findings).toEqual([]);
    expect(heapBytes.late - heapBytes.early).toBeLessThan(8 * 2 ** 20);
  });

  test("a decoder that throws something else is found", () => {
    const careless = {
      name: "careless",
      seeds: [Uint8Array.of(1, 2, 3)],
      decode: (bytes: Uint8Array) => {
        if (bytes[0] !== 1) throw new TypeError("of undefined");
      },
      isRefusal: () => false,
    };
    expect(runCampaign([careless], 1_000, 7).findings.length).toBeGreaterThan(0);
  });
});
