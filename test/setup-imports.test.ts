import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect, it } from "vitest";

const folder = mkdtempSync(join(tmpdir(), "palimpsest-setup-imports-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it("setup starts where nothing is installed yet", () => {
  for (const name of ["scripts", "package.json"])
    cpSync(fileURLToPath(new URL(`../${name}`, import.meta.url)), join(folder, name), { recursive: true });
  const { status, stderr } = spawnSync(
    process.execPath,
    ["--input-type=module", "-e", 'await import("./scripts/setup/setup.mjs")'],
    // NODE_PATH is emptied: pnpm sets it, so that the programs that it starts find its packages from any folder.
    { cwd: folder, encoding: "utf8", env: { ...process.env, NODE_PATH: "" } },
  );
  expect(stderr).toBe("");
  expect(status).toBe(0);
});
