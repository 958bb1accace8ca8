import crypto from "node:crypto";
import { syncBuiltinESMExports } from "node:module";
import { afterEach, expect, test, vi } from "vitest";
import { Credentials } from "./credentials.js";

afterEach(() => {
  vi.restoreAllMocks();
  syncBuiltinESMExports();
});

test("CREDENTIALS-3: a token is compared in constant time with every accepted one, wherever it is wrong", () => {
  // The test observes the comparing function itself.
  const compare = vi.spyOn(crypto, "timingSafeEqual");
  syncBuiltinESMExports();
  const credentials = Credentials.ofCluster("a-token");
  const comparisonsOf = (token: string) => {
    compare.mockClear();
    const known = credentials.identify(`Bearer ${token}`) !== undefined;
    return { known, lengths: compare.mock.calls.map(([, digest]) => digest.byteLength) };
  };
  const right = comparisonsOf("a-token");
  expect([right.known, right.lengths.length > 1, new Set(right.lengths)]).toEqual([
    true,
    true,
    new Set([32]),
  ]);
  for (const wrong of ["b-token", "a-tokem", "", "a-token-and-more"])
    expect(comparisonsOf(wrong)).toEqual({ known: false, lengths: right.lengths });
});

test("a token that no header can carry is refused by its character, and not told", () => {
  for (const [token, said] of [
    ["secret\nword", /U\+000A at position 6.*token file/],
    ["sécret", /U\+00E9 at position 1/],
    [" secret", /U\+0020 at position 0/],
  ] as const) {
    const make = () => Credentials.ofCluster(token);
    expect(make).toThrow(said);
    expect(make).not.toThrow(/cret/);
  }
});
