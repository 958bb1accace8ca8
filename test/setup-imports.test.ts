import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect, it } from "vitest";

const folder = mkdtempSync(join(tmpdir(), "palimpsest-setup-imports-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const copied = () => {
  for (const name of ["scripts", "package.json"])
    cpSync(fileURLToPath(new URL(`../${name}`, import.meta.url)), join(folder, name), { recursive: true });
};
const imported = (program: string) =>
  spawnSync(
    process.execPath,
    ["--input-type=module", "-e", program],
    // NODE_PATH is emptied: pnpm sets it, so that the programs that it starts find its packages from any folder.
    { cwd: folder, encoding: "utf8", env: { ...process.env, NODE_PATH: "", PALIMPSEST_SETUP: "" } },
  );

it("setup starts where nothing is installed yet", () => {
  copied();
  const { status, stderr } = imported('await import("./scripts/setup/setup.mjs")');
  expect(stderr).toBe("");
  expect(status).toBe(0);
});

it("a mistyped file of ask is told before the minutes of a first setup", () => {
  copied();
  // Without its program a setup ends at once, and the command would not run.
  rmSync(join(folder, "scripts/setup.mjs"));
  const runs = (...args: string[]) =>
    imported(
      `console.log((await import("./scripts/first-use.mjs")).firstUse(${JSON.stringify(args)}))`,
    ).stdout.trim();
  expect(runs("ask", "mistyped.txt", "-q", "who?")).toBe("true");
  expect(runs("ask", "package.json", "-q", "who?")).toBe("false");
  expect(runs("ask", "-q", "who?")).toBe("false");
});
