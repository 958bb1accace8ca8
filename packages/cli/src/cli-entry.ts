import { fileURLToPath } from "node:url";

/** The file that nodes run drivers with. */
export const cliEntry = fileURLToPath(new URL("../bin/palimpsest.js", import.meta.url));
