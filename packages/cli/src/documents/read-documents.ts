import { open, readdir, readFile, stat } from "node:fs/promises";
import { join, relative } from "node:path";
import { buffer } from "node:stream/consumers";
import { PalimpsestError } from "@palimpsest/wire";
import { documentText } from "./document-text.js";

export interface ReadText {
  readonly text: string;
  /** The sources in order: paths, or "standard input". */
  readonly sources: readonly string[];
  /** Files of a folder that were skipped, and why. */
  readonly skipped: readonly string[];
}

export interface ReadLimits {
  /** The total size of all files on disk, in bytes. */
  readonly mostBytes: number;
}

/**
 * Reads the text of a file, of standard input ("-"), or of every file of a folder and its subfolders, in the order of
 * their names.
 * @throws {PalimpsestError} NOT_FOUND, INVALID_ARGUMENT naming the file and the fix
 */
export async function readDocuments(
  source: string,
  { mostBytes }: ReadLimits,
  stdin: NodeJS.ReadableStream = process.stdin,
): Promise<ReadText> {
  if (source === "-") {
    const bytes = await buffer(stdin);
    checkSize("standard input", bytes.length, mostBytes);
    return oneText("standard input", await documentText("standard input", bytes));
  }
  const found = await stat(source).catch((cause: NodeJS.ErrnoException) => {
    const why = cause.code === "ENOENT" ? "does not exist" : `cannot be read (${cause.message})`;
    throw new PalimpsestError(
      "NOT_FOUND",
      `${source}: ${why}; give a file, a folder or - for standard input`,
      {
        cause,
      },
    );
  });
  if (found.isDirectory()) return await readFolder(source, mostBytes);
  if (!found.isFile()) {
    throw new PalimpsestError(
      "INVALID_ARGUMENT",
      `${source}: is neither a file nor a folder; to read a pipe, give - and the pipe as standard input`,
    );
  }
  checkSize(source, found.size, mostBytes);
  const bytes = await readFile(source).catch((cause: unknown) => {
    throw new PalimpsestError(
      "INVALID_ARGUMENT",
      `${source}: ${unreadable(cause)}; give a file that you may read`,
      {
        cause,
      },
    );
  });
  return oneText(source, await documentText(source, bytes));
}

function oneText(source: string, text: string): ReadText {
  if (text.trim() === "") {
    throw new PalimpsestError("INVALID_ARGUMENT", `${source}: is empty; give a document with text`);
  }
  return { text, sources: [source], skipped: [] };
}

async function readFolder(folder: string, mostBytes: number): Promise<ReadText> {
  const skipped: string[] = [];
  const passOver = (path: string, why: string) => skipped.push(`${relative(folder, path) || path}: ${why}`);
  const paths = await filesOf(folder, passOver);
  const texts: string[] = [];
  const sources: string[] = [];
  let sizeBytes = 0;
  for (const path of paths) {
    const name = relative(folder, path);
    // A video or a disk image among the documents is recognized by its first bytes, and never read into memory.
    const large = await isLargerThan(path, mostBytes).catch(() => false);
    if (large && (await isBinary(path))) {
      passOver(path, "is a binary file; give text, Markdown, HTML or PDF");
      continue;
    }
    if (large) checkSize(folder, (await stat(path)).size, mostBytes);
    const bytes = await readFile(path).catch((cause: unknown) => void passOver(path, unreadable(cause)));
    if (bytes === undefined) continue;
    let text: string;
    try {
      text = await documentText(name, bytes);
    } catch (reason) {
      if (!(reason instanceof PalimpsestError)) throw reason;
      skipped.push(reason.rawMessage);
      continue;
    }
    if (text.trim() === "") {
      skipped.push(`${name}: is empty`);
      continue;
    }
    sizeBytes += bytes.length;
    checkSize(folder, sizeBytes, mostBytes);
    sources.push(path);
    texts.push(`File: ${name}\n\n${text.trim()}\n`);
  }
  if (texts.length === 0) {
    const seen =
      paths.length === 0 ? "contains no files" : `contains ${paths.length} files, none of which has text`;
    throw new PalimpsestError(
      "INVALID_ARGUMENT",
      `${folder}: ${seen}; give a folder with text, Markdown, HTML or PDF files`,
    );
  }
  return { text: texts.join("\n\n"), sources, skipped };
}

const isLargerThan = async (path: string, bytes: number) => (await stat(path)).size > bytes;

/** Returns whether the first 64 KiB contain a zero byte, except in a PDF and in UTF-16 with a byte order mark. */
async function isBinary(path: string): Promise<boolean> {
  if (/\.pdf$/i.test(path)) return false;
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(64 * 1024));
    const head = buffer.subarray(0, bytesRead);
    const isWide = (head[0] === 0xff && head[1] === 0xfe) || (head[0] === 0xfe && head[1] === 0xff);
    return head.includes(0) && !isWide && head.toString("latin1", 0, 5) !== "%PDF-";
  } finally {
    await file.close();
  }
}

const unreadable = (cause: unknown) =>
  `cannot be read (${cause instanceof Error ? cause.message : String(cause)})`;

/**
 * Lists the files of a folder and its subfolders. Hidden files and `node_modules` are left out, because they are not
 * documents, and links are left out, because they may form cycles.
 */
async function filesOf(folder: string, passOver: (path: string, why: string) => void): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((cause: unknown) => {
    passOver(folder, unreadable(cause));
    return [];
  });
  const seen = entries
    .filter(({ name }) => !name.startsWith(".") && name !== "node_modules")
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  const paths: string[] = [];
  for (const entry of seen) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) paths.push(...(await filesOf(path, passOver)));
    else if (entry.isFile()) paths.push(path);
    else if (entry.isSymbolicLink()) passOver(path, "is a symbolic link; give the file to which it points");
  }
  return paths;
}

function checkSize(name: string, sizeBytes: number, mostBytes: number): void {
  if (sizeBytes <= mostBytes) return;
  const mebibytes = (bytes: number) => (bytes / 2 ** 20).toFixed(1);
  throw new PalimpsestError(
    "INVALID_ARGUMENT",
    `${name}: ${mebibytes(sizeBytes)} MiB exceed --max-size ${mebibytes(mostBytes)}; raise --max-size, or give a part of it`,
  );
}
