/**
 * Responsibility: the functions of the C library that map files into memory, by koffi, which is optional.
 * Not responsible for: what they are called for (mapped-files.ts, writable-mapping.ts).
 */
import { createRequire } from "node:module";
import { promisify } from "node:util";

export const pageBytes = 4096;

export const lock = { shared: 1, exclusive: 2, atOnce: 4 } as const;
export const protection = { readAndWrite: 3 } as const;
export const map = {
  shared: 1,
  private: 2,
  fixed: 0x10,
  anonymous: 0x20,
  noReserve: 0x4000,
  populate: 0x8000,
} as const;
export const malloc = { trimThreshold: -1, mmapThreshold: -3 } as const;

/** What of it is used. */
export interface Library {
  readonly flock: (descriptor: number, operation: number) => number;
  /** Returns the address; all bits are set when it failed. */
  readonly mmap: (
    at: bigint,
    lengthBytes: number,
    protection: number,
    flags: number,
    descriptor: number,
    offsetBytes: number,
  ) => bigint;
  readonly munmap: (at: bigint, lengthBytes: number) => number;
  readonly mallopt: (parameter: number, value: number) => number;
  readonly copyIn: (to: bigint, from: Uint8Array, lengthBytes: number) => void;
  /** Does the same in a thread of Node's pool. */
  readonly copyInThread: (to: bigint, from: Uint8Array, lengthBytes: number) => Promise<void>;
  readonly copyOut: (to: Uint8Array, from: bigint, lengthBytes: number) => void;
  readonly addressOf: (buffer: ArrayBufferLike) => bigint;
  /** Returns a word of memory. */
  readonly wordAt: (address: bigint) => bigint;
}

/** What is used of koffi. It is optional, also where this is compiled. */
interface Koffi {
  load(path: null): { func(definition: string): KoffiFunction };
  address(reference: unknown): bigint;
  decode(address: bigint, type: "uint64_t"): number | bigint;
}

interface KoffiFunction {
  (...args: unknown[]): never;
  readonly async: (...argsAndCallback: unknown[]) => void;
}

let loaded: { readonly library: Library | undefined; readonly problem: string } | undefined;

function load(): { readonly library: Library | undefined; readonly problem: string } {
  if (process.platform !== "linux")
    return { library: undefined, problem: `not on ${process.platform}: only on Linux` };
  try {
    const koffi: Koffi = createRequire(import.meta.url)("koffi");
    const c = koffi.load(null);
    // Others have neither this function nor blocks with such headers.
    c.func("const char *gnu_get_libc_version()");
    const pages: number = c.func("int getpagesize()")();
    if (pages !== pageBytes)
      return { library: undefined, problem: `memory has pages of ${pages} bytes, not ${pageBytes}` };
    const mmap: (...args: unknown[]) => number | bigint = c.func(
      "uintptr_t mmap(uintptr_t at, size_t size, int prot, int flags, int fd, int64_t offset)",
    );
    const memcpy = c.func("void memcpy(uintptr_t to, const void *from, size_t size)");
    const library: Library = {
      flock: c.func("int flock(int fd, int operation)"),
      mmap: (...args) => BigInt(mmap(...args)),
      munmap: c.func("int munmap(uintptr_t at, size_t size)"),
      mallopt: c.func("int mallopt(int parameter, int value)"),
      copyIn: memcpy,
      copyInThread: promisify(memcpy.async) as Library["copyInThread"],
      copyOut: c.func("void memcpy(void *to, uintptr_t from, size_t size)"),
      addressOf: (buffer) => koffi.address(buffer instanceof ArrayBuffer ? buffer : new Uint8Array(buffer)),
      wordAt: (address) => BigInt(koffi.decode(address, "uint64_t")),
    };
    return { library, problem: "" };
  } catch (reason) {
    const text = reason instanceof Error ? reason.message.split("\n")[0] : String(reason);
    return { library: undefined, problem: `koffi cannot be used: ${text}` };
  }
}

/** Returns undefined where it cannot be called, or memory is not as mapping needs it. */
export function library(): Library | undefined {
  loaded ??= load();
  return loaded.library;
}

/** Says why it cannot be used; empty if it can. */
export function libraryProblem(): string {
  loaded ??= load();
  return loaded.problem;
}
