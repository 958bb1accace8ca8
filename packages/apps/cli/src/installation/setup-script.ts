import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** Path of the setup script: in the installed package, or at the root of the checkout. */
export const setupScript = ["../../scripts/setup.mjs", "../../../../../scripts/setup.mjs"]
  .map((place) => fileURLToPath(new URL(place, import.meta.url)))
  .find((path) => existsSync(path));
