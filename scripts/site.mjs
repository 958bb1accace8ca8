#!/usr/bin/env node
// `npm run site`: the documents as a static site in dist-site/NAME, for each version a folder, with what it needs installed on
// demand. `-- --serve` shows it, `-- --check` opens it in Chromium and judges it. `--name v0.1` names the version (default:
// latest), `--base /palimpsest/` the path that it is served below, `--repository URL` where its files are shown.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { run } from "./setup/command.mjs";
import { root } from "./setup/paths.mjs";
import { ensurePnpm } from "./setup/pnpm.mjs";
import { compile, writePages } from "./setup/setup.mjs";
import { checkSite } from "./site/browser.mjs";
import { buildSite } from "./site/build.mjs";
import { serveSite } from "./site/serve.mjs";

const options = {
  name: { type: "string", default: "latest" },
  base: { type: "string", default: "/" },
  out: { type: "string", default: join(root, "dist-site") },
  repository: { type: "string" },
  serve: { type: "boolean", default: false },
  check: { type: "boolean", default: false },
};

function settings() {
  try {
    const { values } = parseArgs({ options });
    if (!/^\/([\w.-]+\/)*$/.test(values.base))
      throw new Error(`--base is ${values.base}: give a path that begins and ends with /`);
    if (!/^(latest|next|v\d+\.\d+)$/.test(values.name))
      throw new Error(`--name is ${values.name}: give latest, next or a version such as v0.1`);
    return values;
  } catch (error) {
    process.stderr.write(`error: ${error.message}\n`);
    process.exit(2);
  }
}

const { serve, check, ...how } = settings();
if (!existsSync(join(root, "node_modules"))) {
  process.stderr.write("packages are not installed: run `npm run setup` once\n");
  process.exit(1);
}
const folder = join(root, "site");
// Takes a second where all of it is there.
const [program, ...args] = (await ensurePnpm()).command;
await run(program, [...args, "install", "--frozen-lockfile"], {
  cwd: folder,
  env: { ...process.env, CI: "true" },
});
await compile();
await writePages();
const built = await buildSite(how);
process.stdout.write(`${built.pages} pages in ${built.folder}\n`);
if (check || serve) {
  const server = await serveSite(how.out, how.base);
  const address = `${server.origin}${how.base}${how.name}/`;
  if (check) {
    const wrong = await checkSite(address);
    await server.close();
    process.exitCode = wrong > 0 ? 1 : 0;
  } else process.stdout.write(`${address}  (Ctrl-C ends)\n`);
}
