import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { bundledProgram } from "../../../../../test/support/bundled-program.js";

test("10,000 calls leave the process's memory flat", () => {
  const program = bundledProgram(new URL("thousands-of-calls.fixture.ts", import.meta.url));
  const { stdout, stderr, status } = spawnSync(process.execPath, ["--expose-gc", program], {
    encoding: "utf8",
    timeout: 600_000,
  });
  expect(status, stderr).toBe(0);
  // Outputs that were kept would be 160 MB; what V8 and TensorFlow's allocator keep is up to 48 with Node.js 24.
  expect(Number(stdout)).toBeLessThan(96 * 2 ** 20);
});
