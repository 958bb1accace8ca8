import { existsSync } from "node:fs";
import { relative } from "node:path";
import { fileURLToPath } from "node:url";

/** The tarball of the command brings the documents; a checkout has them at its root. */
const folders = [
  new URL("../../docs/", import.meta.url),
  new URL("../../../../../docs/", import.meta.url),
] as const;

/** Returns the path of a document of this installation, as seen from the working directory, for messages. */
export function documentPath(name: string): string {
  const [packed, inCheckout] = folders;
  return relative(process.cwd(), fileURLToPath(new URL(name, existsSync(packed) ? packed : inCheckout)));
}
