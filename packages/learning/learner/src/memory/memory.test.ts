import { fork } from "node:child_process";
import { once } from "node:events";
import { expect, it } from "vitest";
import { bundledProgram } from "../../../../../test/support/bundled-program.js";

interface Look {
  readonly update: number;
  readonly tensors: number;
  readonly rssBytes: number;
}

it("2,000 optimizer steps hold the number of tensors, and resident memory to 1 MB per 100 steps", async () => {
  const updates = 1000;
  const program = bundledProgram(new URL("memory-process.fixture.ts", import.meta.url));
  const child = fork(program, [String(updates)], {
    execArgv: ["--expose-gc"],
    env: { ...process.env, TF_CPP_MIN_LOG_LEVEL: "3" },
  });
  const looks: Look[] = [];
  child.on("message", (look) => looks.push(look as Look));
  const [code] = (await once(child, "exit")) as [number];
  expect(code).toBe(0);
  expect(looks).toHaveLength(updates / 50);
  expect(new Set(looks.map((look) => look.tensors)).size).toBe(1);
  // After a quarter the heaps have found their size.
  const settled = looks.filter((look) => look.update >= updates / 4);
  expect(slope(settled.map((look) => [look.update * 2, look.rssBytes])) * 100).toBeLessThan(1e6);
});

/** Least squares, y a unit of x. */
function slope(points: readonly (readonly [number, number])[]): number {
  const meanOf = (of: 0 | 1) => points.reduce((sum, point) => sum + point[of], 0) / points.length;
  const [x, y] = [meanOf(0), meanOf(1)];
  const up = points.reduce((sum, [px, py]) => sum + (px - x) * (py - y), 0);
  return up / points.reduce((sum, [px]) => sum + (px - x) ** 2, 0);
}
