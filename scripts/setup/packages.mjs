import { createHash } from "node:crypto";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { run } from "./command.mjs";
import { packageFolders, root } from "./paths.mjs";

const markFile = join(root, "node_modules/.palimpsest-installed");

function lockHash() {
  const hash = createHash("sha256");
  const manifests = [...packageFolders.values()].map((folder) => `${folder}/package.json`);
  for (const file of ["package.json", "pnpm-lock.yaml", "pnpm-workspace.yaml", ...manifests.sort()]) {
    if (existsSync(join(root, file))) hash.update(file).update(readFileSync(join(root, file)));
  }
  return hash.digest("hex");
}

/** Installs the packages of the lockfile, unless exactly these are there. Returns whether it did. `say` gets a line before the wait. */
export async function ensurePackages(pnpm, say) {
  const hash = lockHash();
  if (existsSync(markFile) && readFileSync(markFile, "utf8") === hash) return false;
  say("installing the packages of pnpm-lock.yaml, which takes a minute or more the first time");
  const [program, ...args] = pnpm.command;
  await run(program, [...args, "install", "--frozen-lockfile"], {
    cwd: root,
    env: { ...process.env, CI: "true" },
  });
  // What a compilation before the installation did not find would count as missing for good.
  for (const folder of packageFolders.values())
    rmSync(join(root, folder, "tsconfig.tsbuildinfo"), { force: true });
  writeFileSync(markFile, hash);
  return true;
}
