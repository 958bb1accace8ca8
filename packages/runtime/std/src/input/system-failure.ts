/** Errors of the operating system in words, so that no message is a raw `ENOENT: no such file or directory, open '…'`. */

/** What is wrong, and what to do about it. */
const failures: Readonly<Record<string, readonly [what: string, remedy: string]>> = {
  ENOSPC: ["the disk is full", "free some space, or name a folder on another disk"],
  EDQUOT: ["the quota of this disk is used up", "free some space, or name a folder on another disk"],
  EACCES: ["this user may not do that there", "change the permissions, or name another path"],
  EPERM: ["this user may not do that there", "change the permissions, or name another path"],
  EROFS: ["the file system can only be read", "name a path on another one"],
  ENOENT: ["it does not exist", "check the path, or create its folder"],
  EISDIR: ["it is a folder", "name a file"],
  ENOTDIR: ["it, or a part of the path, is a file", "name a folder"],
  EEXIST: ["it exists already", "name another path, or remove it"],
  EMFILE: ["this process has too many open files", "raise the limit with `ulimit -n 65536`"],
  ENFILE: ["this machine has too many open files", "close programs, or raise fs.file-max"],
  ENAMETOOLONG: ["the path is too long", "name a shorter one"],
  ELOOP: ["its links lead in a circle", "name the file itself"],
  ERR_ENCODING_INVALID_ENCODED_DATA: ["it is not UTF-8 text", "save it as UTF-8"],
  ERR_INVALID_ARG_VALUE: ["the path is none, because a zero byte is in it", "name another path"],
  EADDRINUSE: ["another program listens there", "stop it, or give another port (0: a free one)"],
  EADDRNOTAVAIL: ["this machine has no such address", "give one of its own, such as 127.0.0.1 or 0.0.0.0"],
  ECONNREFUSED: ["nothing listens there", "start the server, or correct the address"],
  ECONNRESET: [
    "the other side broke the connection off",
    "look at its log, and check whether it expects TLS",
  ],
  EHOSTUNREACH: ["no network leads there", "correct the address, or look at the network"],
  ENETUNREACH: ["no network leads there", "correct the address, or look at the network"],
  ENOTFOUND: ["no such host is known", "correct its name"],
  EAI_AGAIN: ["the name of the host was not resolved now", "look at the network, and try again"],
  ETIMEDOUT: ["there was no answer", "look at the network, and whether the server runs"],
};

/** Codes that mean something else where a folder is made. */
const foldersFailures: Readonly<Record<string, string>> = { EEXIST: "ENOTDIR", ENOENT: "EROFS" };

export interface SystemFailure {
  readonly code: string;
  readonly what: string;
  readonly remedy: string;
  /** The file, or the address with its port. An error of a full disk names none. */
  readonly where?: string;
}

/** @returns undefined for an error that is not of the operating system */
export function systemFailure(reason: unknown): SystemFailure | undefined {
  if (!(reason instanceof Error) || !("code" in reason) || typeof reason.code !== "string") return undefined;
  // A folder cannot be made where a file is; and where all above it exists, its file system has no room for folders.
  const isFolder = Reflect.get(reason, "syscall") === "mkdir";
  const code = (isFolder && foldersFailures[reason.code]) || reason.code;
  const known = Object.hasOwn(failures, code) ? failures[code] : undefined;
  if (known === undefined) return undefined;
  const [what, remedy] = known;
  const field = (name: string) => {
    const value: unknown = Reflect.get(reason, name);
    return typeof value === "string" || typeof value === "number" ? String(value) : undefined;
  };
  const host = field("address") ?? field("hostname");
  const port = field("port");
  const where = field("path") ?? (host === undefined || port === undefined ? host : `${host}:${port}`);
  return { code, what, remedy, ...(where === undefined ? {} : { where }) };
}

/** Returns what the operating system would say of a path, for code that has looked: the cause of its error. */
export function pathError(code: "ENOENT" | "EISDIR" | "ENOTDIR", path: string): Error {
  return Object.assign(new Error(`${code}: ${failures[code]?.[0]}, '${path}'`), { code, path });
}

/** Says in words why something failed, to be a part of a message that names the file or the address and the fix. */
export function reasonText(reason: unknown): string {
  const failure = systemFailure(reason);
  if (failure !== undefined) return `${failure.what}: ${failure.code}`;
  return (reason instanceof Error ? reason.message : String(reason)).split("\n", 1)[0] ?? "";
}
