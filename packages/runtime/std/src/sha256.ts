import { createHash } from "node:crypto";

/** The SHA-256 of a text's UTF-8 or of bytes, as 64 hexadecimal digits. */
export function sha256Of(content: string | Uint8Array): string {
  return createHash("sha256").update(content).digest("hex");
}
