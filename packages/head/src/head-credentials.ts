/**
 * Responsibility: the head's credentials and the token files of its folder: the cluster's token, the token of readers
 * (what Prometheus gets as `credentials_file`), and the token of before while its grace runs.
 *
 * Invariants:
 * - HEAD-CREDENTIALS-1. The files are written before a new token is accepted: a head that dies in between comes back
 *   with a token that others can read.
 */
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import {
  type Clock,
  Credentials,
  loadTls,
  newToken,
  PalimpsestError,
  refuseOpenBind,
  roleToken,
} from "@palimpsest/wire";
import { z } from "zod";
import type { HeadConfig } from "./config.js";
import { keepToken, tokenPathOf, writeSecretFile } from "./head-files.js";

const beforeSchema = z.object({ token: z.string(), acceptedUntilMs: z.number() });

export function readerTokenPathOf(dataDir: string): string {
  return join(dataDir, "reader-token");
}

function tokenBeforePathOf(dataDir: string): string {
  return join(dataDir, "token-before.json");
}

/** Opens the head's credentials. @throws {PalimpsestError} CONFIG_INVALID: unencrypted beyond loopback, or a wrong role */
export function openCredentials(config: HeadConfig, clock: Clock): Credentials {
  const { dataDir, tls, insecure, host } = config;
  refuseOpenBind(host, { tls: tls !== "", insecure });
  const identity = tls === "" ? undefined : loadTls(tls);
  if (identity && identity.role !== "head") {
    throw new PalimpsestError(
      "CONFIG_INVALID",
      `tls: the certificate in ${tls} has the role ${identity.role}; a head needs one of the role head`,
    );
  }
  const credentials = Credentials.ofCluster(keepToken(dataDir, config.token), { tls: identity, clock });
  writeSecretFile(readerTokenPathOf(dataDir), `${roleToken(credentials.token, "reader")}\n`);
  const before = readTokenBefore(dataDir);
  if (before) credentials.acceptUntil(before.token, before.acceptedUntilMs - clock.now());
  return credentials;
}

/** Takes a new token; what was accepted before is accepted for graceMs more, also by a head that restarts. */
export function rotateToken(
  dataDir: string,
  credentials: Credentials,
  graceMs: number,
  clock: Clock,
): string {
  const before = credentials.token;
  const token = newToken();
  const record = { token: before, acceptedUntilMs: clock.now() + graceMs };
  writeSecretFile(tokenBeforePathOf(dataDir), `${JSON.stringify(record)}\n`);
  writeSecretFile(tokenPathOf(dataDir), `${token}\n`);
  writeSecretFile(readerTokenPathOf(dataDir), `${roleToken(token, "reader")}\n`);
  credentials.rotate(token, graceMs);
  return token;
}

function readTokenBefore(dataDir: string): z.infer<typeof beforeSchema> | undefined {
  const path = tokenBeforePathOf(dataDir);
  if (!existsSync(path)) return undefined;
  const parsed = beforeSchema.safeParse(JSON.parse(readFileSync(path, "utf8")));
  if (parsed.success) return parsed.data;
  rmSync(path);
  return undefined;
}
