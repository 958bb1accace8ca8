/** Reads and writes the small files in the head's folder: its token and its address. Only their owner can read them. */
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { newToken, PalimpsestError } from "@palimpsest/wire";
import { z } from "zod";

/** What other commands on this machine need in order to reach the head. */
export interface HeadAddress {
  /** host:port of the gRPC services. */
  readonly address: string;
  /** The process id of the head; 0 when the head has ended in an orderly way. */
  readonly pid: number;
  readonly clusterId: string;
  /** The name of the cluster. */
  readonly cluster: string;
  /** The id of the head process, which is new at every start. */
  readonly headId: string;
  /** The highest epoch with which a head of this folder has led. */
  readonly epoch: number;
  readonly tokenPath: string;
  /** host:port of the metrics page; empty when it is off. */
  readonly metricsAddress: string;
  /** host:port of the dashboard; empty when it is off. */
  readonly dashboardAddress: string;
  readonly startedAtMs: number;
  readonly version: string;
}

const headAddressSchema = z.object({
  address: z.string(),
  pid: z.number(),
  clusterId: z.string(),
  cluster: z.string(),
  headId: z.string(),
  epoch: z.number(),
  tokenPath: z.string(),
  metricsAddress: z.string(),
  dashboardAddress: z.string().default(""),
  startedAtMs: z.number(),
  version: z.string(),
});

export function prepareFolder(dataDir: string): void {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
}

export function tokenPathOf(dataDir: string): string {
  return join(dataDir, "token");
}

export function headAddressPathOf(dataDir: string): string {
  return join(dataDir, "head.json");
}

/** Returns the given token, else the stored one, else a new one, and stores it. */
export function keepToken(dataDir: string, given: string | undefined): string {
  const path = tokenPathOf(dataDir);
  const kept = existsSync(path) ? readFileSync(path, "utf8").trim() : "";
  const token = given ?? (kept || newToken());
  if (token !== kept) writeSecretFile(path, `${token}\n`);
  return token;
}

/** Returns undefined if no head was ever started with this folder. @throws {PalimpsestError} CONFIG_INVALID */
export function readHeadAddress(dataDir: string): HeadAddress | undefined {
  const path = headAddressPathOf(dataDir);
  if (!existsSync(path)) return undefined;
  try {
    return headAddressSchema.parse(JSON.parse(readFileSync(path, "utf8")));
  } catch (reason) {
    throw new PalimpsestError("CONFIG_INVALID", `${path} is damaged: remove it to start over`, {
      cause: reason,
    });
  }
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
  replaceFile(path, text, 0o600);
}

/** Replaces the file atomically, with mode 0644 whatever the process's umask. */
export function writeReadableFile(path: string, text: string): void {
  replaceFile(path, text, 0o644);
}

function replaceFile(path: string, text: string, mode: number): void {
  const temporary = `${path}.${process.pid}.tmp`;
  writeFileSync(temporary, text, { mode });
  chmodSync(temporary, mode);
  renameSync(temporary, path);
}
