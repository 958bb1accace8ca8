/**
 * Users of the head's own Redis and what each may do. The default user, which needs no name, is off: nobody can be it.
 * It keeps its rights all the same, for in its name Redis reads back its file, and a transaction that its user may not
 * run is left out there without a word.
 * - `head`: everything; its password never leaves the head's folder.
 * - `queues`: queues, ledgers, payloads and memory archives of runs; neither the head's tables nor administration.
 */
import type { TlsIdentity } from "@palimpsest/wire";

/** Keys and channels of runs (trajectories: run-keys.ts, redis-archive.ts). The head's own begin otherwise. */
const queueKeys = ["{palimpsest-*", "palimpsest:runs:*", "palimpsest:run-summaries:*", "palimpsest:memory:*"];
const queueChannels = ["{palimpsest-*"];
/** BullMQ needs scripts, which the head ends when they do not (stuck-scripts.ts), and no functions. It asks for the server's version and settings by INFO; the rest of @dangerous reaches beyond the own keys. */
const queueCommands = ["+@all", "-@admin", "-@dangerous", "-function", "-fcall", "-fcall_ro", "+info"];

export interface RedisPasswords {
  readonly head: string;
  readonly queues: string;
}

/** Lines of redis.conf. */
export function accessLines(passwords: RedisPasswords): string[] {
  const keys = queueKeys.map((pattern) => `~${pattern}`).join(" ");
  const channels = queueChannels.map((pattern) => `&${pattern}`).join(" ");
  return [
    "user default reset off ~* &* +@all",
    `user head reset on >${passwords.head} ~* &* +@all`,
    `user queues reset on >${passwords.queues} ${keys} ${channels} ${queueCommands.join(" ")}`,
  ];
}

/** Lines of redis.conf that say where it listens, encrypted when the head is. */
export function listenLines(port: number, tls: RedisTls | undefined): string[] {
  if (tls === undefined) return [`port ${port}`];
  return [
    "port 0",
    `tls-port ${port}`,
    `tls-cert-file ${JSON.stringify(tls.certFile)}`,
    `tls-key-file ${JSON.stringify(tls.keyFile)}`,
    `tls-ca-cert-file ${JSON.stringify(tls.caFile)}`,
    // Clients prove themselves with the user's password: those without a certificate of their own too.
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
