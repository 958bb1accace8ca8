#!/usr/bin/env node
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

const main = fileURLToPath(new URL("../dist/main.js", import.meta.url));
if (!existsSync(main)) {
  process.stderr.write("palimpsest is not built: run `npm run quickstart` once, it sets up everything\n");
  process.exit(1);
}
await import(main);
