/** The version of the installed software, which is shown; which processes work together is in protocol-range.ts. */
import { readFileSync } from "node:fs";
import { z } from "zod";

const manifestSchema = z.object({ version: z.string() });
let own: string | undefined;

/** Returns the version of this installation. All its packages have the same one. */
export function softwareVersion(): string {
  own ??= manifestSchema.parse(
    JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")),
  ).version;
  return own;
}
