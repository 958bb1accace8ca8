#!/usr/bin/env node
import { rememberSetup } from "./first-use.mjs";
// `npm run setup`, and `npx palimpsest setup` of an installed package: what quickstart and test do first, alone. `npm run setup -- gpu [--dry-run]`: also finds or fetches what a
// GPU needs, says where each piece is, and tries it.
import { setupGpu } from "./setup/gpu/gpu.mjs";
import { setup } from "./setup/setup.mjs";

const [what, ...args] = process.argv.slice(2);
if (what === undefined) {
  await setup();
  rememberSetup();
} else if (what === "gpu") process.exitCode = await setupGpu(args, setup);
else {
  process.stderr.write(`unknown argument ${what}: give \`gpu\` or nothing\n`);
  process.exitCode = 2;
}
