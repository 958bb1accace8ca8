/**
 * Responsibility: the head's credentials and the token files of its folder: the cluster's token, the readers' token
 * (Prometheus's `credentials_file`), and earlier tokens, the last of which may be in its grace period.
 * Not responsible for: announcing a new token (token-rotation.ts).
 *
 * Invariants:
 * - HEAD-CREDENTIALS-1. The files are written before a new token is accepted, so that a head that dies in between
 *   comes back with a token that others can read.
 * - HEAD-CREDENTIALS-2. A replaced token does not come back through the command line or the environment of a start.
 */

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Clock } from "@palimpsest/std";
import { reasonText } from "@palimpsest/std/input";
import { Credentials, loadTls, newToken, PalimpsestError, refuseOpenBind, roleToken } from "@palimpsest/wire";
import { tokenPathOf } from "@palimpsest/wire/local-head";
import type * as proto from "@palimpsest/wire/protocol";
import { z } from "zod";
import { keepToken, writeReadableFile, writeSecretFile } from "../store/head-files.js";
import type { HeadConfig } from "./config.js";

const beforeSchema = z.array(z.object({ token: z.string(), acceptedUntilMs: z.number() }));
type TokenBefore = z.infer<typeof beforeSchema>[number];
const maxTokensBefore = 64;

function readerTokenPathOf(dataDir: string): string {
  return join(dataDir, "reader-token");
}

function tokensBeforePathOf(dataDir: string): string {
  return join(dataDir, "tokens-before.json");
}

/**
 * Opens the head's credentials. @throws {PalimpsestError} CONFIG_INVALID: unencrypted beyond loopback, or a wrong
 * role
 */
export function openCredentials(config: HeadConfig, clock: Clock): Credentials {
  const { dataDir, tls, insecure, host, readerTokenFile } = config;
  refuseOpenBind(host, { tls: tls !== "", insecure });
  const identity = tls === "" ? undefined : loadTls(tls);
  if (identity && identity.role !== "head") {
    throw new PalimpsestError(
      "CONFIG_INVALID",
      `tls: the certificate in ${tls} has the role ${identity.role}; a head needs one of the role head`,
    );
  }
  const before = readTokensBefore(dataDir);
  const replaced = before.some(({ token }) => token === config.token);
  const token = keepToken(dataDir, replaced ? undefined : config.token);
  const credentials = Credentials.ofCluster(token, { tls: identity, clock });
  const readers = () => `${roleToken(credentials.token, "reader")}\n`;
  writeSecretFile(readerTokenPathOf(dataDir), readers());
  if (readerTokenFile !== undefined) {
    shareReaderToken(readerTokenFile, readers());
    credentials.onChange(() => {
      try {
        shareReaderToken(readerTokenFile, readers());
      } catch (reason) {
        // This is only a warning: the rotation continues, and readers have its grace period to get the new token by
        // hand.
        process.emitWarning(String(reason));
      }
    });
  }
  for (const { token: old, acceptedUntilMs } of before) {
    credentials.acceptUntil(old, acceptedUntilMs - clock.now());
  }
  return credentials;
}

function shareReaderToken(path: string, text: string): void {
  try {
    writeReadableFile(path, text);
  } catch (cause) {
    throw new PalimpsestError(
      "CONFIG_INVALID",
      `readerTokenFile: ${path} cannot be written: ${reasonText(cause)}; name a file in a folder that the head's user may write to`,
      { cause },
    );
  }
}

/** Accepts a new token. Earlier tokens stay valid for graceMs more, even if the head restarts. */
export function rotateToken(
  dataDir: string,
  credentials: Credentials,
  graceMs: number,
  clock: Clock,
): string {
  const before = credentials.token;
  const token = newToken();
  const untilMs = clock.now() + graceMs;
  const older = readTokensBefore(dataDir).map((known) => ({
    ...known,
    acceptedUntilMs: Math.min(known.acceptedUntilMs, untilMs),
  }));
  writeTokens(dataDir, token, [{ token: before, acceptedUntilMs: untilMs }, ...older]);
  credentials.rotate(token, graceMs);
  return token;
}

/** Returns the tokens that this head accepts, for a standby of its cluster. */
export function tokenState(
  dataDir: string,
  credentials: Credentials,
  clock: Clock,
): proto.TokenState.$Properties {
  const now = clock.now();
  const before = readTokensBefore(dataDir).map(({ token, acceptedUntilMs }) => ({
    token,
    graceMs: Math.max(0, Math.round(acceptedUntilMs - now)),
  }));
  return { token: credentials.token, before };
}

/** Replaces the accepted tokens with those of the leading head. @throws {PalimpsestError} INVALID_ARGUMENT */
export function adoptTokens(
  dataDir: string,
  credentials: Credentials,
  state: proto.TokenState.$Properties,
  clock: Clock,
): void {
  const token = state.token ?? "";
  if (token === "") throw new PalimpsestError("INVALID_ARGUMENT", "the leading head sent an empty token");
  const now = clock.now();
  const told = (state.before ?? []).map((one) => ({ token: one.token ?? "", remainingMs: one.graceMs ?? 0 }));
  const own = credentials.token;
  const known = own === token || told.some((one) => one.token === own);
  // HEAD-CREDENTIALS-2: this head's own token may be older than all that the leading head remembers.
  const before = known ? told : [{ token: own, remainingMs: 0 }, ...told];
  writeTokens(
    dataDir,
    token,
    before.map((one) => ({ token: one.token, acceptedUntilMs: now + one.remainingMs })),
  );
  credentials.follow(token, told);
}

function writeTokens(dataDir: string, token: string, before: readonly TokenBefore[]): void {
  const record = before.slice(0, maxTokensBefore);
  writeSecretFile(tokensBeforePathOf(dataDir), `${JSON.stringify(record)}\n`);
  writeSecretFile(tokenPathOf(dataDir), `${token}\n`);
  writeSecretFile(readerTokenPathOf(dataDir), `${roleToken(token, "reader")}\n`);
}

function readTokensBefore(dataDir: string): readonly TokenBefore[] {
  const path = tokensBeforePathOf(dataDir);
  if (!existsSync(path)) return [];
  try {
    return beforeSchema.parse(JSON.parse(readFileSync(path, "utf8")));
  } catch (cause) {
    throw new PalimpsestError(
      "CONFIG_INVALID",
      `${path} is damaged: remove it, which ends the grace period of replaced tokens`,
      { cause },
    );
  }
}
