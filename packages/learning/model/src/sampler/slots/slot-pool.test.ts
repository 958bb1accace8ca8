import { describe, expect, it } from "vitest";
import type { CacheLease } from "../calls/cache-pool.js";
import { SlotPool } from "./slot-pool.js";

const tokens = (count: number, seed: number) => Array.from({ length: count }, (_, i) => seed * 1000 + i);
const aPool = (slots: number, share = true) => new SlotPool({ slots, share });
const taken = (pool: SlotPool, prompt: readonly number[]): CacheLease => {
  const lease = pool.reserve(prompt);
  if (lease === undefined) throw new Error("no slot is free");
  return lease;
};

describe("slots", () => {
  it("have one owner at a time, and those released longest ago go first (SLOT-1)", () => {
    const pool = aPool(3);
    const leases = [1, 2, 3].map((seed) => taken(pool, tokens(4, seed)));
    expect(leases.map(({ pages }) => pages)).toEqual([[0], [1], [2]]);
    expect(pool.reserve(tokens(4, 4))).toBeUndefined();
    for (const at of [2, 0]) pool.release(leases[at] as CacheLease, []);
    expect(taken(pool, tokens(4, 5)).pages).toEqual([2]);
    expect(taken(pool, tokens(4, 6)).pages).toEqual([0]);
  });

  it("are copied from by prompts that begin alike, once what they share is read (SLOT-3)", () => {
    const pool = aPool(4);
    const prompt = tokens(20, 1);
    const first = taken(pool, prompt);
    const second = taken(pool, [...prompt, 7]);
    expect(second).toMatchObject({ pages: [1], source: 0, sharedTokens: 20 });
    expect(pool.state(second)).toBe("pending");
    pool.filled(first, 12);
    expect(pool.state(second)).toBe("pending");
    pool.filled(first, 20);
    expect(pool.state(second)).toBe("filled");
    // At least one token is read: what it gives is where sampling starts.
    expect(taken(pool, prompt)).toMatchObject({ source: 0, sharedTokens: 19 });
  });

  it("that are to be copied from get no new owner (SLOT-2)", () => {
    const pool = aPool(2);
    const first = taken(pool, tokens(20, 1));
    pool.filled(first, 20);
    const second = taken(pool, tokens(30, 1));
    pool.release(first, tokens(20, 1));
    expect(pool.reserve(tokens(30, 2))).toBeUndefined();
    expect(pool.state(second)).toBe("filled");
    pool.filled(second, 30);
    expect(pool.reserve(tokens(30, 2))).toBeDefined();
  });

  it("break what waits for them where their owner gives up, and those that wait for these (SLOT-3)", () => {
    const pool = aPool(3);
    const prompt = tokens(20, 1);
    const first = taken(pool, prompt);
    const second = taken(pool, [...prompt, ...tokens(10, 2)]);
    const third = taken(pool, [...prompt, ...tokens(10, 2), 5]);
    expect(third.source).toBe(1);
    pool.filled(first, 10);
    pool.release(first, prompt.slice(0, 10));
    expect([pool.state(second), pool.state(third)]).toEqual(["broken", "broken"]);
    // What was not copied is not kept.
    pool.release(second, prompt);
    pool.release(third, prompt);
    expect(taken(pool, prompt).sharedTokens).toBe(10);
  });

  it("are taken over by a conversation that goes on, and copied where something would be lost", () => {
    const pool = aPool(3);
    const first = taken(pool, tokens(10, 1));
    pool.filled(first, 10);
    pool.release(first, tokens(40, 1));
    const next = taken(pool, tokens(60, 1));
    expect(next).toMatchObject({ pages: [0], sharedTokens: 40 });
    expect(next.source).toBeUndefined();
    pool.filled(next, 60);
    pool.release(next, tokens(60, 1));
    expect(taken(pool, tokens(30, 1))).toMatchObject({ source: 0, sharedTokens: 29 });
  });

  it("whose numbers are not to be trusted are forgotten, and break whoever is about to copy them", () => {
    const pool = aPool(2);
    const first = taken(pool, tokens(20, 1));
    pool.filled(first, 20);
    const second = taken(pool, tokens(20, 1));
    expect(pool.discard(first)).toEqual([0]);
    expect(pool.state(second)).toBe("broken");
    pool.release(second, tokens(19, 1));
    expect(taken(pool, tokens(20, 1)).sharedTokens).toBe(0);
  });

  it("share nothing where that is off, nor what is not worth it, nor what was cleared", () => {
    const off = aPool(2, false);
    off.release(taken(off, tokens(20, 1)), tokens(20, 1));
    expect(taken(off, tokens(20, 1)).sharedTokens).toBe(0);
    const pool = aPool(2);
    const first = taken(pool, tokens(20, 1));
    pool.filled(first, 20);
    expect(taken(pool, [...tokens(20, 1), ...tokens(50, 2)]).sharedTokens).toBe(0);
    const cleared = aPool(1);
    cleared.release(taken(cleared, tokens(20, 1)), tokens(20, 1));
    cleared.clear();
    expect(taken(cleared, tokens(20, 1)).sharedTokens).toBe(0);
  });

  it("keep nothing of a lease that was held while all was cleared (SLOT-4)", () => {
    const pool = aPool(2);
    const running = taken(pool, tokens(20, 1));
    pool.filled(running, 20);
    pool.clear();
    const other = taken(pool, [...tokens(20, 1), 3]);
    expect(other).toMatchObject({ sharedTokens: 0 });
    expect(other.pages).not.toEqual(running.pages);
    pool.discard(other);
    pool.release(running, tokens(40, 1));
    expect(taken(pool, tokens(40, 1)).sharedTokens).toBe(0);
  });
});
