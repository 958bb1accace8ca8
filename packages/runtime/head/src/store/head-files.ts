/**
 * Writes the small files in the head's folder: its token and its address. Only their owner can read them. Other
 * programs read them with `@palimpsest/wire/local-head`.
 */

import { existsSync, readFileSync } from "node:fs";
import { makeFolder, replaceFileSync } from "@palimpsest/std/files";
import { newToken } from "@palimpsest/wire";
import { type HeadAddress, headAddressPathOf, tokenPathOf } from "@palimpsest/wire/local-head";

export function prepareFolder(dataDir: string): void {
  makeFolder(dataDir, 0o700);
}

/** Returns the given token, else the stored one, else a new one, and stores it. */
export function keepToken(dataDir: string, given: string | undefined): string {
  const path = tokenPathOf(dataDir);
  const kept = existsSync(path) ? readFileSync(path, "utf8").trim() : "";
  const token = given ?? (kept || newToken());
  if (token !== kept) writeSecretFile(path, `${token}\n`);
  return token;
}

export function writeHeadAddress(dataDir: string, address: HeadAddress): void {
  writeSecretFile(headAddressPathOf(dataDir), `${JSON.stringify(address, null, 2)}\n`);
}

/** Returns the port of a host:port. */
export function portOf(address: string): number {
  return Number(address.slice(address.lastIndexOf(":") + 1));
}

/** Replaces the file atomically, with mode 0600. */
export function writeSecretFile(path: string, text: string): void {
  replaceFileSync(path, text, 0o600);
}

/** Replaces the file atomically, with mode 0644 whatever the process's umask. */
export function writeReadableFile(path: string, text: string): void {
  replaceFileSync(path, text, 0o644);
}
