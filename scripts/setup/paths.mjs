import { existsSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { basename, isAbsolute, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The checkout, or the folder of the installed package that these scripts came with. */
export const root = fileURLToPath(new URL("../..", import.meta.url));

/** Whether this is a checkout: it is built from its sources, an installed package is not. */
export const isCheckout = existsSync(join(root, "pnpm-workspace.yaml"));

/** The folders of the packages of a checkout, relative to it, by their names without the scope. Each stands in a wing: packages/WING/NAME. */
export const packageFolders = new Map(
  (isCheckout ? JSON.parse(readFileSync(join(root, "tsconfig.json"), "utf8")).references : [])
    .filter(({ path }) => path.split("/").length === 3)
    .map(({ path }) => [basename(path), path]),
);

/** The folder of one of the project's packages, by its name without the scope. */
export function packageDir(name) {
  if (isCheckout) return join(root, packageFolders.get(name));
  const own = JSON.parse(readFileSync(join(root, "package.json"), "utf8")).name;
  const isOwn = own === (name === "cli" ? "palimpsest" : `@palimpsest/${name}`);
  return isOwn ? root.replace(/\/$/, "") : join(root, "node_modules/@palimpsest", name);
}

/** By the XDG Base Directory Specification empty is unset, and a relative path is ignored. */
const userCache = isAbsolute(process.env.XDG_CACHE_HOME ?? "")
  ? process.env.XDG_CACHE_HOME
  : join(homedir(), ".cache");

/** What setup downloads, shared by all checkouts and installations of this user. */
export const cacheDir = process.env.PALIMPSEST_CACHE || join(userCache, "palimpsest");
