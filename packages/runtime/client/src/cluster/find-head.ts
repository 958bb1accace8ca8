/**
 * Finds the head that a program connects to: the one that it was given, that its environment names, or that runs on
 * this machine. Commands and `connect()` find the same one.
 */

import { join, resolve } from "node:path";
import { isProcessAlive, shellWord } from "@palimpsest/std";
import { PalimpsestError } from "@palimpsest/wire";
import {
  defaultDataDir,
  devFolder,
  givenToken,
  type HeadAddress,
  headAddressPathOf,
  readHeadAddress,
  readToken,
  tokenFileVariable,
  tokenPathOf,
} from "@palimpsest/wire/local-head";
import { addressForm, isAddress } from "../base/address-form.js";
import { connectionFiles, withConnectionFiles } from "./connection-files.js";

export { connectionFiles, type FileSetting } from "./connection-files.js";

type Environment = Readonly<Record<string, string | undefined>>;

/** What is known about the head that a program looks for; absent fields come from the environment or the data folder. */
export interface HeadSearch {
  readonly address?: string | undefined;
  readonly token?: string | undefined;
  readonly tls?: string | undefined;
  /** The data folder of this machine's head. Default: that of `head start`, and that of `palimpsest dev`. */
  readonly dataDir?: string | undefined;
}

/** How a search for the head reports and what it accepts. */
export interface SearchHow {
  /** Whether the search's values are flags of a command, for messages. Default: they are options of a function. */
  readonly flags?: boolean;
  /** Whether a head that has ended will do, because the caller waits for its next start. Default: false. */
  readonly mayHaveEnded?: boolean;
}

/** The head that was found, and what is needed to connect. */
export interface FoundHead {
  readonly address: string;
  readonly token: string;
  /** Absolute path of the folder of certificates; empty means no TLS. */
  readonly tls: string;
  /** Data folder of the head on this machine that has the address; undefined if none is known. */
  readonly dataDir: string | undefined;
  /** What names the address: an option, a variable, or a file. */
  readonly from: string;
}

/** @throws {PalimpsestError} UNAVAILABLE without a head, UNAUTHENTICATED without a token, INVALID_ARGUMENT, CONFIG_INVALID */
export function findHead(given: HeadSearch, own: Environment, how: SearchHow = {}): FoundHead {
  const files = connectionFiles(given.address !== undefined || given.dataDir !== undefined, own);
  const { environment, sourceOf } = withConnectionFiles(files, own);
  const say = (option: string) => (how.flags ? `--${option}` : option);
  const folders =
    given.dataDir === undefined
      ? [defaultDataDir("head", environment), join(devFolder(environment), "head")]
      : [given.dataDir];
  const known = folders.flatMap((folder) => knownHead(folder));
  const named = given.address ?? (environment["PALIMPSEST_ADDRESS"] || undefined);
  const source = given.address === undefined ? sourceOf("address") : say("address");
  if (named !== undefined) checkAddress(named, source);
  const local = named === undefined ? mostAlive(known) : known.find(({ head }) => head.address === named);
  const address = named ?? local?.head.address;
  const hasEnded = named === undefined && local?.head.pid === 0 && !how.mayHaveEnded;
  if (!address || hasEnded) {
    const files = folders.map((folder) => headAddressPathOf(folder)).join(" and ");
    const [because, start] =
      local === undefined
        ? [
            `${files} ${folders.length > 1 ? "are" : "is"} missing`,
            given.dataDir === undefined
              ? "head and worker with `palimpsest dev`, or a head with `palimpsest head start`"
              : startOf(given.dataDir, environment),
          ]
        : [`${headAddressPathOf(local.folder)} says that it has ended`, startOf(local.folder, environment)];
    throw new PalimpsestError(
      "UNAVAILABLE",
      `no head runs on this machine (${because}): start ${start}, or name one on another machine with ` +
        `${say("address")} HOST:PORT, PALIMPSEST_ADDRESS or a file of settings`,
      { retryable: false },
    );
  }
  const folder = local?.folder ?? folders[0] ?? "";
  // A file that somebody sent must not learn this machine's token.
  const isForeign = local === undefined && address !== given.address && !own["PALIMPSEST_ADDRESS"];
  const token =
    givenToken(given.token, environment, sourceOf("tokenFile")) ?? (isForeign ? "" : readToken(folder));
  if (!token) {
    const file = isForeign
      ? `no tokenFile stands beside ${sourceOf("address")}`
      : `${tokenPathOf(folder)} cannot be read`;
    throw new PalimpsestError(
      "UNAUTHENTICATED",
      `no token was found for ${address}: give ${say("token")}, PALIMPSEST_TOKEN or ${tokenFileVariable}, which names a file that ` +
        `holds it; \`palimpsest head start\` prints the path of its token file, and ${file}`,
    );
  }
  const tls = given.tls ?? environment["PALIMPSEST_TLS"] ?? "";
  checkTls(local, {
    tls,
    isFound: named === undefined,
    say,
    source: given.tls === undefined ? sourceOf("tls") : say("tls"),
  });
  const from = named === undefined ? headAddressPathOf(folder) : source;
  return { address, token, tls: tls === "" ? "" : resolve(tls), dataDir: local?.folder, from };
}

function checkAddress(address: string, what: string): void {
  if (isAddress(address)) return;
  throw new PalimpsestError("INVALID_ARGUMENT", `${what} is ${JSON.stringify(address)}: ${addressForm}`);
}

interface KnownHead {
  readonly folder: string;
  readonly head: HeadAddress;
}

function knownHead(folder: string): KnownHead[] {
  const head = readHeadAddress(folder);
  return head === undefined ? [] : [{ folder, head }];
}

/**
 * Returns the first head whose process lives, else the newest that did not end in an orderly way: its process may be in
 * another container, with process ids of its own, or about to be started again.
 */
function mostAlive(known: readonly KnownHead[]): KnownHead | undefined {
  const newest = known.toSorted((one, other) => other.head.startedAtMs - one.head.startedAtMs);
  return (
    known.find(({ head }) => head.pid !== 0 && isProcessAlive(head.pid)) ??
    newest.find(({ head }) => head.pid !== 0) ??
    newest[0]
  );
}

function startOf(folder: string, environment: Environment): string {
  if (folder === join(devFolder(environment), "head")) return "it with `palimpsest dev`";
  if (folder === defaultDataDir("head", environment))
    return "it with `palimpsest head start`, or head and worker with `palimpsest dev`";
  return `it with \`palimpsest head start --data-dir ${shellWord(folder)}\``;
}

/** Compares the certificates with what the head of this machine speaks: either mistake looks like a head that is away. */
function checkTls(
  local: KnownHead | undefined,
  how: {
    readonly tls: string;
    readonly isFound: boolean;
    readonly say: (option: string) => string;
    /** What messages call the source of the certificates. */
    readonly source: string;
  },
): void {
  if (local?.head.tls === true && how.tls === "") {
    throw new PalimpsestError(
      "CONFIG_INVALID",
      `${how.say("tls")} is not given, and the head at ${local.head.address} speaks TLS (${headAddressPathOf(local.folder)}): give the folder of a ` +
        "certificate, or set PALIMPSEST_TLS to it; `palimpsest certs init` made certs/driver for programs and certs/node for workers",
    );
  }
  if (local?.head.tls === false && how.tls !== "" && how.isFound) {
    const name = how.source;
    throw new PalimpsestError(
      "CONFIG_INVALID",
      `${name} is ${how.tls}, but the head at ${local.head.address} was started without TLS (${headAddressPathOf(local.folder)}): ` +
        `leave ${name} out, or start the head with --tls`,
    );
  }
}

/** Returns the error of a connection, with what names the address and what is known about its head if that is away. */
export function awayError(found: FoundHead, reason: unknown, environment: Environment): PalimpsestError {
  const error = PalimpsestError.from(reason);
  if (error.code !== "UNAVAILABLE") return error;
  const head = found.dataDir === undefined ? undefined : readHeadAddress(found.dataDir);
  const isAway = head?.address === found.address && (head.pid === 0 || !isProcessAlive(head.pid));
  const what = isAway
    ? `the head at ${found.address} does not answer: its process ${head.pid === 0 ? "" : `${head.pid} `}has ended; start ${startOf(found.dataDir ?? "", environment)}`
    : error.rawMessage;
  return new PalimpsestError("UNAVAILABLE", `${what}; ${found.from} names this address`, { cause: reason });
}
