import { sha256Of } from "@palimpsest/std";

/** Returns 32 hexadecimal digits of the SHA-256 of a JSON value. The order of an object's keys is ignored. */
export function fingerprint(value: unknown): string {
  return sha256Of(canonical(value)).slice(0, 32);
}

function canonical(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) => {
    if (typeof part !== "object" || part === null || Array.isArray(part)) return part;
    return Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)));
  });
}
