import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

test("10,000 calls leave the process's memory flat", () => {
  const fixture = fileURLToPath(new URL("./thousands-of-calls.fixture.ts", import.meta.url));
  const options = ["--expose-gc", "--import", "tsx", "--conditions=@palimpsest/source"];
  const { stdout, stderr, status } = spawnSync(process.execPath, [...options, fixture], {
    encoding: "utf8",
    timeout: 60_000,
  });
  expect(status, stderr).toBe(0);
  // Outputs that were kept would be 160 MB.
  expect(Number(stdout)).toBeLessThan(16 * 2 ** 20);
}, 60_000);
