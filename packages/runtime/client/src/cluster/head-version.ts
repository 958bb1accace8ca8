import { compareVersions, PalimpsestError, softwareVersion } from "@palimpsest/wire";

/** Versions of heads of which this program has been warned. */
const warnedOf = new Set<string>();

/**
 * Compares this program's version with the head's, and warns once of one that works with it.
 * @throws {PalimpsestError} INVALID_ARGUMENT if they do not work together, unless any is accepted
 */
export function meetHead(headVersion: string, anyVersion: boolean): void {
  let warning: string | undefined;
  try {
    warning = compareVersions("this program", softwareVersion(), headVersion);
  } catch (reason) {
    if (!anyVersion) throw reason;
    warning = PalimpsestError.from(reason).rawMessage;
  }
  if (warning === undefined || warnedOf.has(headVersion)) return;
  warnedOf.add(headVersion);
  process.emitWarning(warning, { code: "PALIMPSEST_VERSION" });
}
