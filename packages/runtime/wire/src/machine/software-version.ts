/** The version of the installed software, and which versions work together. */
import { readFileSync } from "node:fs";
import { z } from "zod";
import { PalimpsestError } from "../base/error.js";

const manifestSchema = z.object({ version: z.string() });
let own: string | undefined;

/** Returns the version of this installation. All its packages have the same one. */
export function softwareVersion(): string {
  own ??= manifestSchema.parse(
    JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")),
  ).version;
  return own;
}

/** Major and minor number, such as "1.4"; undefined for what is no version. */
const series = (version: string) => /^(\d+\.\d+)(?:\.|$)/.exec(version.trim())?.[1];

/**
 * Compares the version of a program that comes to a head with the head's: those of the same major and minor number work
 * together. A program that names no version, such as one that speaks the protocol by itself, is not compared.
 * @param what the program, such as "this worker"
 * @returns the warning if only the patches differ; undefined if there is nothing to say
 * @throws {PalimpsestError} INVALID_ARGUMENT, with both versions, if they do not work together
 */
export function compareVersions(what: string, version: string, headVersion: string): string | undefined {
  if (version === headVersion || version === "" || headVersion === "") return undefined;
  const [mine, heads] = [series(version), series(headVersion)];
  if (mine !== undefined && mine === heads) {
    return (
      `${what} has version ${version}, the head has ${headVersion}: they work together, but ` +
      `install ${headVersion} here, or ${version} everywhere, when it suits`
    );
  }
  const wanted = heads === undefined ? headVersion : `${heads}.x`;
  throw new PalimpsestError(
    "INVALID_ARGUMENT",
    `${what} has version ${version}, the head has ${headVersion}, and only those with the same major and minor number work together: ` +
      `install ${wanted} here, or stop the cluster with \`palimpsest stop\` and start all of it with ${version}`,
    { details: { version, headVersion } },
  );
}
