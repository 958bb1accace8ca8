#!/usr/bin/env node
// `npm run release -- version`: raises the versions as the change files ask and moves what they say into CHANGELOG.md.
// `npm run release -- build | try | stage [FOLDER]`: makes the files of a release; installs them into an empty project and runs
// README's programs; hands the tarballs to the registry, where nobody can install them until a person approves.
// `npm run release -- --dry-run [FOLDER]`: all three, with nothing sent. FOLDER is `release` if it is not given.
import { readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { buildRelease } from "./release/build.mjs";
import { isWaiting, raiseVersion } from "./release/notes.mjs";
import { tryRelease } from "./release/try.mjs";
import { run } from "./setup/command.mjs";

/** npm 12 knows staged publishing; the identity of the workflow stands in the place of a token. */
async function stage(folder, flags) {
  for (const name of readdirSync(folder).filter((each) => each.endsWith(".tgz"))) {
    const args = [
      "stage",
      "publish",
      join(folder, name),
      "--access",
      "public",
      "--tag",
      "latest",
      "--loglevel=error",
    ];
    await run("npm", [...args, ...flags], { cwd: folder });
    process.stdout.write(`  ✓ staged ${name}${flags.includes("--dry-run") ? ", as a trial" : ""}\n`);
  }
}

const steps = {
  version: async () => process.stdout.write(`${await raiseVersion()}\n`),
  build: async (folder) => {
    const tarballs = await buildRelease(folder);
    process.stdout.write(`  ✓ ${tarballs.length} tarballs and what goes with them, in ${folder}\n`);
  },
  try: tryRelease,
  stage: async (folder) => {
    if (isWaiting())
      throw new Error("change files wait: `npm run release -- version`, and a commit, come first");
    await stage(folder, ["--provenance"]);
  },
  "--dry-run": async (folder) => {
    await steps.build(folder);
    tryRelease(folder);
    await stage(folder, ["--dry-run"]);
  },
};

const [what, folder = "release", ...rest] = process.argv.slice(2);
const chosen = steps[what];
if (chosen === undefined || rest.length > 0) {
  process.stderr.write(
    `${what ?? "nothing"} is no step of a release: give ${Object.keys(steps).join(", ")}, and a folder\n`,
  );
  process.exit(2);
}
try {
  await chosen(resolve(folder));
} catch (error) {
  process.stderr.write(`${error.message}\n${error.log ?? ""}`);
  process.exit(1);
}
