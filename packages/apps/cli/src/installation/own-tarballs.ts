import { existsSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { parseJson } from "@palimpsest/std/input";
import { z } from "zod";
import { version } from "./version.js";

const folder = fileURLToPath(new URL("../..", import.meta.url));
const checkout = fileURLToPath(new URL("../../../../..", import.meta.url));
const lockSchema = z.object({
  packages: z.record(z.string(), z.object({ resolved: z.string().optional() })),
});

/** The checkout in which this command runs; undefined where it was installed. */
export const checkoutFolder = existsSync(join(checkout, "pnpm-workspace.yaml")) ? checkout : undefined;

/** Returns the file that npm installed this command from, or undefined if it was a registry. */
function installedFile(): string | undefined {
  const modules = join(folder, "..");
  const lock = join(modules, ".package-lock.json");
  if (!existsSync(lock)) return undefined;
  const { data } = lockSchema.safeParse(parseJson(readFileSync(lock, "utf8")));
  const resolved = data?.packages["node_modules/palimpsest"]?.resolved;
  return resolved?.startsWith("file:") ? join(modules, "..", resolved.slice("file:".length)) : undefined;
}

/**
 * Returns what a new project depends on, by name: versions of a registry, or, where this command itself came from a
 * tarball or a checkout, the tarballs beside it. A library from a tarball needs those of its peers named, too.
 */
export function dependenciesOf(project: string): Readonly<Record<string, string>> {
  const names = [...["agents", "client", "rewards"].map((name) => `@palimpsest/${name}`), "palimpsest"];
  const file = installedFile();
  const tarballs = checkoutFolder === undefined ? file && join(file, "..") : join(checkoutFolder, "tarballs");
  if (tarballs === undefined) return Object.fromEntries(names.map((name) => [name, `^${version}`]));
  const peers = ["engines", "memory", "std", "telemetry", "trajectories", "wire"].map(
    (name) => `@palimpsest/${name}`,
  );
  const specified = [...names, ...peers].map((name) => {
    const tarball = `${name.replace("@", "").replace("/", "-")}-${version}.tgz`;
    return [name, `file:${relative(project, join(tarballs, tarball))}`];
  });
  return Object.fromEntries(specified.sort());
}
