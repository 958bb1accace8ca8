import { open, readdir, readFile, stat } from "node:fs/promises";
import { join, relative } from "node:path";
import { buffer } from "node:stream/consumers";
import { fileKind } from "@palimpsest/memory/text";
import { shellWord } from "@palimpsest/std";
import { reasonText } from "@palimpsest/std/input";
import { PalimpsestError } from "@palimpsest/wire";
import { counted } from "../display/count.js";
import { decodeText } from "./decode-text.js";
import { type DocumentText, documentText } from "./document-text.js";
import { type Encoding, namedEncoding } from "./encodings.js";

export interface ReadText {
  readonly text: string;
  /** The sources in order: paths, or "standard input". */
  readonly sources: readonly string[];
  /** Files of a folder and pages of files that were skipped, and why. */
  readonly skipped: readonly string[];
  /** How documents were decoded that do not say it themselves. */
  readonly remarks: readonly string[];
}

export interface ReadOptions {
  /** The total size of all files on disk, in bytes. */
  readonly mostBytes: number;
  /** The encoding of documents that are not marked as Unicode; default: what they declare, or a guess. */
  readonly encoding?: string | undefined;
}

/**
 * Reads the text of a file, of standard input ("-"), or of every file of a folder and its subfolders, in the order of
 * their names, in which numbers count as numbers: chapter 2 comes before chapter 10.
 * @throws {PalimpsestError} NOT_FOUND, INVALID_ARGUMENT naming the file and the fix
 */
export async function readDocuments(
  source: string,
  { mostBytes, encoding: label }: ReadOptions,
  stdin: NodeJS.ReadableStream = process.stdin,
): Promise<ReadText> {
  const encoding = label === undefined ? undefined : namedEncoding(label);
  if (source === "-") {
    const bytes = await buffer(stdin);
    checkSize("standard input", bytes.length, mostBytes);
    return oneText("standard input", await documentText("standard input", bytes, encoding));
  }
  const found = await stat(source).catch((cause: NodeJS.ErrnoException) => {
    if (/^https?:\/\//i.test(source)) {
      throw new PalimpsestError(
        "INVALID_ARGUMENT",
        `${source}: is a URL, and only files are read; fetch it, for example with curl -L ${shellWord(source)} | palimpsest ask -`,
        { cause },
      );
    }
    const why = cause.code === "ENOENT" ? "does not exist" : `cannot be read (${reasonText(cause)})`;
    throw new PalimpsestError(
      "NOT_FOUND",
      `${source}: ${why}; give a file, a folder or - for standard input`,
      {
        cause,
      },
    );
  });
  if (found.isDirectory()) return await readFolder(source, mostBytes, encoding);
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
  return oneText(source, await documentText(source, bytes, encoding));
}

function oneText(source: string, { text, remarks, skipped = [] }: DocumentText): ReadText {
  if (text.trim() === "") {
    throw new PalimpsestError("INVALID_ARGUMENT", `${source}: is empty; give a document with text`);
  }
  const named = (notes: readonly string[]) => notes.map((note) => `${source}: ${note}`);
  return { text, sources: [source], skipped: named(skipped), remarks: named(remarks) };
}

async function readFolder(
  folder: string,
  mostBytes: number,
  encoding: Encoding | undefined,
): Promise<ReadText> {
  const skipped: string[] = [];
  const remarks: string[] = [];
  const passOver = (path: string, why: string) => skipped.push(`${relative(folder, path) || path}: ${why}`);
  const paths = await filesOf(folder, passOver);
  const texts: string[] = [];
  const sources: string[] = [];
  let sizeBytes = 0;
  for (const path of paths) {
    const name = relative(folder, path);
    // A video or a disk image among the documents is recognized by its first bytes, and never read into memory.
    const large = await isLargerThan(path, mostBytes).catch(() => false);
    const binary = large ? await binaryReason(path) : undefined;
    if (binary !== undefined) {
      passOver(path, binary);
      continue;
    }
    if (large) checkSize(folder, (await stat(path)).size, mostBytes);
    const bytes = await readFile(path).catch((cause: unknown) => void passOver(path, unreadable(cause)));
    if (bytes === undefined) continue;
    let read: DocumentText;
    try {
      read = await documentText(name, bytes, encoding);
    } catch (reason) {
      if (!(reason instanceof PalimpsestError)) throw reason;
      skipped.push(reason.rawMessage);
      continue;
    }
    const text = read.text.trim();
    if (text === "") {
      skipped.push(`${name}: is empty`);
      continue;
    }
    sizeBytes += bytes.length;
    checkSize(folder, sizeBytes, mostBytes);
    sources.push(path);
    for (const note of read.skipped ?? []) skipped.push(`${name}: ${note}`);
    for (const remark of read.remarks) remarks.push(`${name}: ${remark}`);
    texts.push(`File: ${name}\n\n${text}\n`);
  }
  if (texts.length === 0) {
    const seen =
      paths.length === 0 ? "contains no files" : `contains ${paths.length} files, none of which has text`;
    throw new PalimpsestError(
      "INVALID_ARGUMENT",
      `${folder}: ${seen}; give a folder with text, Markdown, HTML or PDF files`,
    );
  }
  return { text: texts.join("\n\n"), sources, skipped, remarks };
}

const isLargerThan = async (path: string, bytes: number) => (await stat(path)).size > bytes;

/** Says of a file what it is if its first 64 KiB are no text; undefined for a PDF and a text. */
async function binaryReason(path: string): Promise<string | undefined> {
  if (/\.pdf$/i.test(path)) return undefined;
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(64 * 1024));
    const head = buffer.subarray(0, bytesRead);
    const kind = fileKind(head);
    if (kind !== undefined) return `is ${kind.name}; ${kind.fix}`;
    if (head.toString("latin1", 0, 5) === "%PDF-") return undefined;
    const decoded = await decodeText(head);
    return "refused" in decoded ? decoded.refused : undefined;
  } finally {
    await file.close();
  }
}

const unreadable = (cause: unknown) => `cannot be read (${reasonText(cause)})`;

/** Compares names alike in every locale: numbers by their values, letters before their case. */
const byName = new Intl.Collator("en", { numeric: true });

/**
 * Lists the files of a folder and its subfolders. Hidden files and `node_modules` are left out, because they are not
 * documents, and links are left out, because they may form cycles.
 */
async function filesOf(folder: string, passOver: (path: string, why: string) => void): Promise<string[]> {
  const leftOut = { hidden: 0, modules: 0 };
  const paths = await visit(folder);
  const { hidden, modules } = leftOut;
  const one = (count: number) => `name ${count === 1 ? "it" : "one"} to read it`;
  if (hidden > 0)
    passOver(
      folder,
      `${hidden} hidden ${hidden === 1 ? "file or folder" : "files and folders"}; ${one(hidden)}`,
    );
  if (modules > 0) passOver(folder, `${counted(modules, "folder")} node_modules; ${one(modules)}`);
  return paths;

  async function visit(inner: string): Promise<string[]> {
    const entries = await readdir(inner, { withFileTypes: true }).catch((cause: unknown) => {
      passOver(inner, unreadable(cause));
      return [];
    });
    entries.sort((a, b) => byName.compare(a.name, b.name) || (a.name < b.name ? -1 : 1));
    const found: string[] = [];
    for (const entry of entries) {
      const path = join(inner, entry.name);
      if (entry.name.startsWith(".")) leftOut.hidden += 1;
      else if (entry.name === "node_modules") leftOut.modules += 1;
      else if (entry.isDirectory()) found.push(...(await visit(path)));
      else if (entry.isFile()) found.push(path);
      else if (entry.isSymbolicLink()) passOver(path, "is a symbolic link; give the file to which it points");
    }
    return found;
  }
}

function checkSize(name: string, sizeBytes: number, mostBytes: number): void {
  if (sizeBytes <= mostBytes) return;
  const mebibytes = (bytes: number) => (bytes / 2 ** 20).toFixed(1);
  throw new PalimpsestError(
    "INVALID_ARGUMENT",
    `${name}: ${mebibytes(sizeBytes)} MiB exceed the ${mebibytes(mostBytes)} MiB of --max-size; raise it, or give a part of it`,
  );
}
