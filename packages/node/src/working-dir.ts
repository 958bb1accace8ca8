/** Unpacks the working directory of a job, which a client packed and the bundle cache has checked against its hash. */
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { PalimpsestError } from "@palimpsest/wire";
import * as proto from "@palimpsest/wire/protocol";

/** What the unpacked folder may take, so that a small bundle cannot fill the memory. */
const maxUnpackedBytes = 320 * 1024 * 1024;

/**
 * Makes `folder` anew with the files of the packed one.
 * @throws {PalimpsestError} INVALID_ARGUMENT for a path that leads out of the folder, or bytes that are no packed folder
 */
export async function unpackWorkingDir(packedPath: string, folder: string): Promise<void> {
  const files = await readPacked(packedPath);
  const bad = files.find(({ path }) => !isInside(path));
  if (bad !== undefined) {
    throw new PalimpsestError(
      "INVALID_ARGUMENT",
      `working directory names ${JSON.stringify(bad.path)}: only relative paths without ".." are allowed`,
    );
  }
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true, mode: 0o700 });
  for (const { path, data, executable } of files) {
    const target = join(folder, path);
    await mkdir(dirname(target), { recursive: true, mode: 0o700 });
    // "wx": a name that comes twice is an error, and nothing is written through what an earlier entry made.
    await writeFile(target, data, { mode: executable ? 0o700 : 0o600, flag: "wx" });
  }
}

interface PackedFile {
  readonly path: string;
  readonly data: Uint8Array;
  readonly executable: boolean;
}

async function readPacked(packedPath: string): Promise<readonly PackedFile[]> {
  try {
    const bytes = await promisify(gunzip)(await readFile(packedPath), { maxOutputLength: maxUnpackedBytes });
    return proto.WorkingDirectory.decode(bytes).files.map(({ path, data, executable }) => ({
      path: path ?? "",
      data: data ?? new Uint8Array(),
      executable: executable ?? false,
    }));
  } catch (reason) {
    throw new PalimpsestError(
      "INVALID_ARGUMENT",
      `the working directory does not unpack: ${String(reason)}`,
      {
        cause: reason,
      },
    );
  }
}

function isInside(path: string): boolean {
  const names = path.split("/");
  return !/[\\\0]/.test(path) && names.every((name) => name !== "" && name !== "." && name !== "..");
}
