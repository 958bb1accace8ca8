/**
 * The users of the head's own Redis and their rights. The default user, which needs no name, is off, so that nobody can
 * log in as it. It keeps its rights, because Redis replays its append-only file as that user and silently skips
 * transactions that the user may not run.
 * - `head` may do everything. Its password never leaves the head's folder.
 * - `queues` may use the queues, ledgers, payloads and summaries of runs, but neither the head's tables nor
 *   administration.
 */
import type { TlsIdentity } from "@palimpsest/wire";

/** The keys and channels of runs (trajectories: run-keys.ts). The head's own keys begin differently. */
const queueKeys = ["{palimpsest-*", "palimpsest:runs:*", "palimpsest:run-summaries:*"];
const queueChannels = ["{palimpsest-*"];
/**
 * BullMQ needs scripts, which the head kills when they do not end (stuck-scripts.ts), but no functions. It reads the
 * server's version and settings by INFO; the rest of @dangerous reaches beyond the user's own keys.
 */
const queueCommands = ["+@all", "-@admin", "-@dangerous", "-function", "-fcall", "-fcall_ro", "+info"];

export interface RedisPasswords {
  readonly head: string;
  readonly queues: string;
}

/** Returns the lines of redis.conf that define the users. */
export function accessLines(passwords: RedisPasswords): string[] {
  const keys = queueKeys.map((pattern) => `~${pattern}`).join(" ");
  const channels = queueChannels.map((pattern) => `&${pattern}`).join(" ");
  return [
    "user default reset off ~* &* +@all",
    `user head reset on >${passwords.head} ~* &* +@all`,
    `user queues reset on >${passwords.queues} ${keys} ${channels} ${queueCommands.join(" ")}`,
  ];
}

/** Returns the lines of redis.conf that set where it listens, encrypted if the head is. */
export function listenLines(port: number, tls: RedisTls | undefined): string[] {
  if (tls === undefined) return [`port ${port}`];
  return [
    "port 0",
    `tls-port ${port}`,
    `tls-cert-file ${JSON.stringify(tls.certFile)}`,
    `tls-key-file ${JSON.stringify(tls.keyFile)}`,
    `tls-ca-cert-file ${JSON.stringify(tls.caFile)}`,
    // Clients authenticate with the user's password, so those without a certificate can connect, too.
    "tls-auth-clients no",
    'tls-protocols "TLSv1.3"',
  ];
}

export interface RedisTls {
  readonly identity: TlsIdentity;
  readonly caFile: string;
  readonly certFile: string;
  readonly keyFile: string;
}
