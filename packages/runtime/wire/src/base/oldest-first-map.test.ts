import { expect, test } from "vitest";
import { processorMs } from "../../../../../test/support/processor-time.js";
import { OldestFirstMap } from "./oldest-first-map.js";

test("the oldest is a Map's first key, whatever is set, deleted and cleared in between", () => {
  const map = new OldestFirstMap<number, string>();
  const plain = new Map<number, string>();
  let seed = 7;
  const random = (below: number) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
    return seed % below;
  };
  for (let step = 0; step < 20_000; step++) {
    const key = random(40);
    const act = random(100);
    if (act < 50) for (const each of [map, plain]) each.set(key, String(step));
    else if (act < 97) {
      const gone = act < 75 ? key : (map.oldest ?? key);
      for (const each of [map, plain]) each.delete(gone);
    } else if (act === 99 && random(20) === 0) for (const each of [map, plain]) each.clear();
    if (random(3) > 0) expect(map.oldest).toBe([...plain.keys()][0]);
  }
  expect([...map]).toEqual([...plain]);
});

test("a queue's first key costs the same however many entries were taken out before it", () => {
  const map = new OldestFirstMap<number, number>();
  const size = 100_000;
  for (let key = 0; key < size; key++) map.set(key, key);
  const startedAt = processorMs();
  for (let key = 0; key < size; key++) {
    if (map.oldest !== key) expect(map.oldest).toBe(key);
    map.delete(key);
    map.set(size + key, key);
  }
  // A Map's own iterator takes 20 s here.
  expect(processorMs() - startedAt).toBeLessThan(3_000);
});
