// Fetches NVIDIA's libraries as wheels, at pinned versions with their hashes, into the project's cache.

import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { run } from "../command.mjs";
import { cacheDir } from "../paths.mjs";
import { table } from "./find.mjs";

/** Laid out as site-packages; another set of versions has another folder. */
export function fetchedFolder() {
  const key = createHash("sha256").update(JSON.stringify(table.wheels)).digest("hex").slice(0, 16);
  return join(cacheDir, "cuda", key);
}

/** The line of a requirements file. pip decides from which index. */
export function requirement(wheel) {
  const { version, sha256 } = table.wheels[wheel];
  return `${wheel}==${version} --hash=sha256:${sha256}`;
}

/** @param wheels names of packages; those that are there already are not fetched again */
export async function fetchWheels(wheels, { python, say }) {
  const folder = fetchedFolder();
  const wanted = [...new Set(wheels)].filter((wheel) => !existsSync(join(folder, ".fetched", wheel)));
  if (wanted.length === 0) return folder;
  mkdirSync(dirname(folder), { recursive: true });
  const work = mkdtempSync(`${folder}.partial-`);
  try {
    say(`fetching ${wanted.join(", ")} (up to 2.5 GB together, once)`);
    const file = join(work, "requirements.txt");
    writeFileSync(file, `${wanted.map(requirement).join("\n")}\n`);
    const target = join(work, "site");
    const options = ["--quiet", "--no-deps", "--no-cache-dir", "--only-binary=:all:", "--require-hashes"];
    await run(python, ["-m", "pip", "install", ...options, "--target", target, "--requirement", file]);
    mkdirSync(join(folder, ".fetched"), { recursive: true });
    await run("cp", ["-a", `${target}/.`, folder]);
    for (const wheel of wanted) writeFileSync(join(folder, ".fetched", wheel), "");
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
  return folder;
}
