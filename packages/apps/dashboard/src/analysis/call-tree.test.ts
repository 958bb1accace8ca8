import { expect, test } from "vitest";
import {
  type CallTree,
  framesOf,
  functionCosts,
  largestCalls,
  mergedCalls,
  nameParts,
  ownerOf,
} from "./call-tree.js";

const call = (name: string, self: number, ...calls: CallTree[]): CallTree => ({ name, self, calls });
const sumOf = (calls: readonly CallTree[]): number =>
  calls.reduce((sum, { self, calls: inner }) => sum + self + sumOf(inner), 0);

test("a function that calls itself is counted once with its calls, and what it took itself each time", () => {
  const calls = [call("f", 1, call("g", 2, call("f", 4))), call("g", 8)];
  expect(functionCosts([{ calls }])).toEqual([
    { name: "g", self: 10, total: 14 },
    { name: "f", self: 5, total: 7 },
  ]);
});

test("equal calls of several processes become one, and nothing of the sum is lost", () => {
  const calls = [call("f", 1, call("g", 2)), call("h", 3), call("f", 4, call("g", 8), call("h", 16))];
  expect(mergedCalls(calls)).toEqual([call("f", 5, call("g", 10), call("h", 16)), call("h", 3)]);
});

test("the largest calls are kept, and smaller ones count for their callers (DASHPROFILE-2)", () => {
  const small = () => Array.from({ length: 500 }, (_, at) => call(`small${at}`, 1 + at / 1000));
  const process = { title: "one", pid: 1, calls: [call("large", 100, ...small()), ...small()] };
  const [kept] = largestCalls([process], 50);
  expect(sumOf(kept?.calls ?? [])).toBeCloseTo(sumOf(process.calls), 6);
  expect(framesOf(call("all", 0, ...(kept?.calls ?? []))).length).toBeLessThanOrEqual(53);
  expect(kept?.calls.map(({ name }) => name)).toContain("large");
  const few = [process];
  expect(largestCalls(few, 5_000)).toBe(few);
});

test("a frame lies within its caller's, the largest to the left, and `end` skips what it called", () => {
  const frames = framesOf(call("all", 0, call("f", 1, call("g", 2)), call("h", 10)));
  expect(frames.map(({ name, start, total, depth }) => [name, start, total, depth])).toEqual([
    ["all", 0, 13, 0],
    ["h", 0, 10, 1],
    ["f", 10, 3, 1],
    ["g", 10, 2, 2],
  ]);
  expect(frames.map(({ end }) => end)).toEqual([4, 2, 4, 4]);
  expect(frames.map(({ parent }) => parent)).toEqual([-1, 0, 0, 2]);
});

test("a name tells its function, its line and whose it is", () => {
  expect(nameParts("f (file:///a/b.ts:7:3)")).toEqual({ title: "f", url: "file:///a/b.ts", line: 7 });
  expect(nameParts("(garbage collector)")).toEqual({ title: "(garbage collector)", url: "", line: 0 });
  expect(ownerOf("f (file:///a/b.ts:7:3)")).toBe("yours");
  expect(ownerOf("f (node:fs:7:3)")).toBe("node");
  expect(ownerOf("f (file:///a/node_modules/zod/b.js:7:3)")).toBe("packages");
  expect(ownerOf("f (file:///a/node_modules/@palimpsest/worker/b.js:7:3)")).toBe("palimpsest");
  expect(nameParts("f (app:src/b.ts:7:3)").url).toBe("src/b.ts");
  expect(ownerOf("f (app:node_modules/zod/b.js:7:3)")).toBe("packages");
  expect(ownerOf("(program)")).toBe("native");
});
