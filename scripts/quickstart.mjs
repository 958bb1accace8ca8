#!/usr/bin/env node
// `npm run quickstart [-- OPTIONS]`: sets up what is missing, then trains the small memory agent.
import { spawn } from "node:child_process";
import { join } from "node:path";
import { root } from "./setup/paths.mjs";
import { setup } from "./setup/setup.mjs";

await setup();
const child = spawn(
  process.execPath,
  [join(root, "packages/apps/cli/bin/palimpsest.js"), "quickstart", ...process.argv.slice(2)],
  {
    stdio: "inherit",
  },
);
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => child.kill(signal));
child.on("close", (code, signal) => process.exit(code ?? (signal === "SIGINT" ? 130 : 1)));
