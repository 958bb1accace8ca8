import { fileURLToPath } from "node:url";

/** The file with which nodes run drivers. */
export const cliEntry = fileURLToPath(new URL("../../bin/palimpsest.js", import.meta.url));
