/** Disk operations between any two of which a crash may happen; a test replaces them to crash there. */
import { copyFile, link, open, readdir, readFile, rename, rm } from "node:fs/promises";

export interface DurableFiles {
  /** Writes a file with these bytes, replacing an existing one; they are on disk when it resolves. */
  readonly write: (path: string, bytes: Uint8Array) => Promise<void>;
  /** Hard-links the file at `from` to a free name; copies it if the file system has no links. */
  readonly link: (from: string, to: string) => Promise<void>;
  readonly rename: (from: string, to: string) => Promise<void>;
  /** The names of the folder's files are on disk when it resolves. */
  readonly syncFolder: (path: string) => Promise<void>;
  /** Removes a file or a folder, if it exists. */
  readonly remove: (path: string) => Promise<void>;
}

export const durableFiles: DurableFiles = {
  write: async (path, bytes) => {
    const file = await open(path, "w");
    try {
      await file.writeFile(bytes);
      await file.sync();
    } finally {
      await file.close();
    }
  },
  link: async (from, to) => {
    try {
      await link(from, to);
    } catch (reason) {
      if (!linkless.has(codeOf(reason))) throw reason;
      await copyFile(from, to);
      await sync(to, "r+");
    }
  },
  rename,
  syncFolder: (path) => sync(path, "r"),
  remove: (path) => rm(path, { recursive: true, force: true }),
};

/** Error codes of file systems without hard links, or without links between these two folders. */
const linkless: ReadonlySet<unknown> = new Set([
  "EPERM",
  "ENOTSUP",
  "EOPNOTSUPP",
  "EXDEV",
  "EMLINK",
  "ENOSYS",
]);

function codeOf(reason: unknown): unknown {
  return reason instanceof Error && "code" in reason ? reason.code : undefined;
}

async function sync(path: string, flags: "r" | "r+"): Promise<void> {
  const file = await open(path, flags);
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Returns the names in a folder; empty if there is no folder. */
export async function namesIn(folder: string): Promise<readonly string[]> {
  return await readdir(folder).catch(noneWhereAbsent);
}

/** Returns a file's bytes; undefined if there is no such file. */
export async function bytesOf(path: string): Promise<Uint8Array | undefined> {
  return await readFile(path).catch((reason: unknown) => {
    if (codeOf(reason) === "ENOENT") return undefined;
    throw reason;
  });
}

function noneWhereAbsent(reason: unknown): readonly string[] {
  if (codeOf(reason) === "ENOENT") return [];
  throw reason;
}
