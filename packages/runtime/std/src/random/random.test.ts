import { describe, expect, it } from "vitest";
import { createRandom } from "./random.js";

describe("createRandom", () => {
  it("gives the same numbers for a seed in every release", () => {
    const random = createRandom(1);
    expect([random.uint32(), random.uint32(), random.uint32()]).toMatchInlineSnapshot(`
      [
        3434110209,
        4221012007,
        1254035271,
      ]
    `);
    expect(createRandom("1").uint32()).toBe(createRandom(1).uint32());
    expect(createRandom(2).uint32()).not.toBe(createRandom(1).uint32());
  });

  it("draws whole numbers below a bound equally often (chi-square, 9 degrees of freedom)", () => {
    const random = createRandom("bound");
    const observed = new Array<number>(10).fill(0);
    for (let i = 0; i < 100_000; i++) {
      const drawn = random.below(10);
      observed[drawn] = (observed[drawn] as number) + 1;
    }
    expect(observed.reduce((sum, n) => sum + (n - 10_000) ** 2 / 10_000, 0)).toBeLessThan(27.9);
    expect(() => random.below(0)).toThrow(RangeError);
  });

  it("draws numbers from 0 to below 1 with their mean in the middle", () => {
    const random = createRandom("float");
    const drawn = Array.from({ length: 100_000 }, () => random.float());
    expect(Math.min(...drawn.slice(0, 1000))).toBeGreaterThanOrEqual(0);
    expect(Math.max(...drawn.slice(0, 1000))).toBeLessThan(1);
    expect(drawn.reduce((sum, x) => sum + x, 0) / drawn.length).toBeCloseTo(0.5, 2);
  });

  it("shuffles into every order and leaves the list as it was", () => {
    const items = [1, 2, 3];
    const random = createRandom("orders");
    const orders = new Map<string, number>();
    for (let i = 0; i < 6000; i++) {
      const order = random.shuffle(items).join("");
      orders.set(order, (orders.get(order) ?? 0) + 1);
    }
    expect(items).toEqual([1, 2, 3]);
    expect(orders.size).toBe(6);
    for (const n of orders.values()) expect(Math.abs(n - 1000)).toBeLessThan(150);
  });

  it("refuses to pick from nothing", () => {
    expect(() => createRandom(0).pick([])).toThrow(RangeError);
  });
});
