import { homedir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** The checkout. */
export const root = fileURLToPath(new URL("../..", import.meta.url));

/** What set-up downloads, shared by all checkouts of this user. */
export const cacheDir =
  process.env.PALIMPSEST_CACHE ?? join(process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache"), "palimpsest");
