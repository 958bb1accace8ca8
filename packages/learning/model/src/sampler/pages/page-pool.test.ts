import { describe, expect, it } from "vitest";
import { PagePool } from "./page-pool.js";

const pageLength = 4;
const aPool = (pages: number, share = true) => new PagePool({ pages, pageLength, share });
/** Tokens of `count` pages, alike for equal seeds. */
const tokens = (count: number, seed: number) =>
  Array.from({ length: count * pageLength }, (_, i) => seed * 1000 + i);

describe("pages", () => {
  it("are given to one lease at a time, and only while there are enough (PAGES-2)", () => {
    const pool = aPool(5);
    const first = pool.reserve([1, 2, 3], 9);
    const second = pool.reserve([4, 5, 6], 8);
    expect(first?.pages).toHaveLength(3);
    expect(new Set([...(first?.pages ?? []), ...(second?.pages ?? [])]).size).toBe(5);
    expect(pool.reserve([7], 1)).toBeUndefined();
    if (first !== undefined) pool.release(first, [1, 2, 3]);
    expect(pool.reserve([7], 12)?.pages).toHaveLength(3);
    expect(pool.reserve([8], 1)).toBeUndefined();
  });

  it("are shared by prompts that begin alike, up to where they differ (PAGES-1, PAGES-3)", () => {
    const pool = aPool(20);
    const prompt = [...tokens(2, 1), ...tokens(1, 2), 5];
    const first = pool.reserve(prompt, 16);
    const other = pool.reserve([...tokens(2, 1), ...tokens(1, 3), 5], 16);
    expect(first?.sharedTokens).toBe(0);
    expect(other?.sharedTokens).toBe(8);
    expect(other?.pages.slice(0, 2)).toEqual(first?.pages.slice(0, 2));
    expect(other?.pages.slice(2).some((page) => first?.pages.includes(page))).toBe(false);
  });

  it("leave at least one token of the prompt to be read", () => {
    const pool = aPool(20);
    const first = pool.reserve(tokens(2, 1), 8);
    expect(first?.sharedTokens).toBe(0);
    expect(pool.reserve(tokens(2, 1), 8)?.sharedTokens).toBe(4);
  });

  it("are not shared where that saves little, and never when told so", () => {
    const pool = aPool(40);
    pool.reserve([...tokens(1, 1), ...tokens(3, 2)], 16);
    expect(pool.reserve([...tokens(1, 1), ...tokens(3, 3)], 16)?.sharedTokens).toBe(0);
    const apart = aPool(40, false);
    apart.reserve(tokens(3, 1), 12);
    expect(apart.reserve(tokens(3, 1), 12)?.sharedTokens).toBe(0);
  });

  it("count as read once they are filled (PAGES-4)", () => {
    const pool = aPool(20);
    const prompt = [...tokens(2, 1), 9];
    const first = pool.reserve(prompt, 12);
    const second = pool.reserve(prompt, 12);
    if (first === undefined || second === undefined) throw new Error("no pages");
    expect(pool.state(first)).toBe("filled");
    expect(pool.state(second)).toBe("pending");
    pool.filled(first, 4);
    expect(pool.state(second)).toBe("pending");
    pool.filled(first, 8);
    expect(pool.state(second)).toBe("filled");
  });

  it("that nobody will fill break the leases that share them, and come back (PAGES-4)", () => {
    const pool = aPool(8);
    const prompt = [...tokens(2, 1), 9];
    const first = pool.reserve(prompt, 12);
    const second = pool.reserve(prompt, 12);
    if (first === undefined || second === undefined) throw new Error("no pages");
    pool.filled(first, 4);
    pool.release(first, prompt.slice(0, 4));
    expect(pool.state(second)).toBe("broken");
    pool.release(second, []);
    const again = pool.reserve(prompt, 12);
    expect(again?.sharedTokens).toBe(0);
    expect(pool.availablePages).toBe(5);
  });

  it("stay after a request for those that begin alike, its sampled tokens too, until they are needed", () => {
    const pool = aPool(6);
    const said = [...tokens(2, 1), ...tokens(1, 2)];
    const first = pool.reserve(said.slice(0, 9), 12);
    if (first === undefined) throw new Error("no pages");
    pool.filled(first, 9);
    pool.release(first, said);
    expect(pool.availablePages).toBe(6);
    const goesOn = pool.reserve([...said, 1, 2], 16);
    if (goesOn === undefined) throw new Error("no pages");
    expect(goesOn.sharedTokens).toBe(12);
    expect(goesOn.pages.slice(0, 3)).toEqual(first.pages);
    pool.release(goesOn, said);
    // Five of six pages are needed: the deepest kept ones go first, so the first page is still there.
    const other = pool.reserve(tokens(5, 7), 20);
    expect(other?.pages).toHaveLength(5);
    if (other !== undefined) pool.release(other, []);
    expect(pool.reserve([...said.slice(0, 4), 3], 5)?.sharedTokens).toBe(4);
  });

  it("are free and empty after clear, but those of leases, of which nothing is kept (PAGES-5)", () => {
    const pool = aPool(12);
    const prompt = [...tokens(2, 1), 9];
    const kept = pool.reserve(tokens(2, 2), 8);
    const first = pool.reserve(prompt, 12);
    if (kept === undefined || first === undefined) throw new Error("no pages");
    pool.filled(kept, 8);
    pool.release(kept, tokens(2, 2));
    pool.filled(first, 9);
    const second = pool.reserve(prompt, 12);
    if (second === undefined) throw new Error("no pages");
    expect(second.sharedTokens).toBe(8);
    pool.clear();
    expect(pool.availablePages).toBe(12 - new Set([...first.pages, ...second.pages]).size);
    const after = pool.reserve(prompt, 12);
    if (after === undefined) throw new Error("no pages");
    expect(after.sharedTokens).toBe(0);
    expect(after.pages.filter((page) => [...first.pages, ...second.pages].includes(page))).toEqual([]);
    pool.filled(after, 9);
    // What ends now stood under the same tokens as what was read since, and must not take its place away.
    pool.release(first, prompt);
    pool.discard(second);
    expect(pool.reserve(prompt, 12)?.sharedTokens).toBe(8);
  });

  it("are never lost or given twice, whatever comes and goes", () => {
    const pool = aPool(30);
    let seed = 1;
    const next = (below: number) => {
      seed = (Math.imul(seed, 1103515245) + 12345) & 0x7fffffff;
      return (seed >>> 8) % below;
    };
    const held = new Map<NonNullable<ReturnType<PagePool["reserve"]>>, number[]>();
    for (let i = 0; i < 3000; i++) {
      if (next(50) === 0) pool.clear();
      if (next(2) === 0) {
        const prompt = [...tokens(next(4), next(3)), ...tokens(next(2), next(3)), next(9)];
        const lease = pool.reserve(prompt, prompt.length + next(12));
        if (lease !== undefined) held.set(lease, prompt);
      }
      for (const [lease, prompt] of [...held]) {
        if (pool.state(lease) === "broken" || next(6) === 0) {
          const read = pool.state(lease) === "filled" ? prompt : [];
          if (next(2) === 0) pool.filled(lease, read.length);
          pool.release(lease, next(2) === 0 ? read : []);
          held.delete(lease);
        }
      }
      const shared = [...held.keys()].flatMap((lease) => lease.pages.slice(lease.sharedTokens / pageLength));
      expect(new Set(shared).size).toBe(shared.length);
    }
    for (const lease of held.keys()) pool.release(lease, []);
    expect(pool.availablePages).toBe(30);
  });
});
