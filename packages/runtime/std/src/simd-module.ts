/** The compiler's library has no WebAssembly, which every Node.js has. */
declare const WebAssembly: {
  readonly Memory: new (size: { readonly initial: number }) => WasmMemory;
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (
    module: object,
    imports: Readonly<Record<string, Readonly<Record<string, WasmMemory>>>>,
  ) => { readonly exports: Readonly<Record<string, unknown>> };
};

interface WasmMemory {
  readonly buffer: ArrayBuffer;
}

/** A function of WebAssembly without a result, for loops that JavaScript runs without vector instructions. */
export interface SimdFunction {
  /** Number of its parameters, which are 32-bit integers. */
  readonly parameters: number;
  /** Its locals and instructions in the binary format, up to its end (0x0b). */
  readonly body: readonly number[];
}

/** The functions of a module over a memory of their own. */
export interface SimdInstance<Name extends string> {
  readonly memory: ArrayBuffer;
  readonly functions: Readonly<Record<Name, (...parameters: readonly number[]) => void>>;
}

const i32 = 0x7f;
const unsigned = (value: number): number[] =>
  value < 128 ? [value] : [(value & 127) | 128, ...unsigned(value >>> 7)];
const sized = (bytes: readonly number[]): number[] => [...unsigned(bytes.length), ...bytes];
const section = (id: number, entries: readonly (readonly number[])[]): number[] => [
  id,
  ...sized([...unsigned(entries.length), ...entries.flat()]),
];

/**
 * Makes a module of functions by their names, and compiles it when it is first used.
 * @returns opens it over a new memory of so many pages of 64 KiB, at least 1
 */
export function simdModule<Name extends string>(
  given: Readonly<Record<Name, SimdFunction>>,
): (pages: number) => SimdInstance<Name> {
  let module: object | undefined;
  return (pages) => {
    const memory = new WebAssembly.Memory({ initial: pages });
    module ??= new WebAssembly.Module(bytesOf(Object.entries<SimdFunction>(given)));
    const { exports } = new WebAssembly.Instance(module, { m: { m: memory } });
    return { memory: memory.buffer, functions: exports as SimdInstance<Name>["functions"] };
  };
}

function bytesOf(functions: readonly (readonly [name: string, value: SimdFunction])[]): Uint8Array {
  const parametersOf = ({ parameters }: SimdFunction) => Array<number>(parameters).fill(i32);
  return Uint8Array.from([
    ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    // Each function has a type of its own, the memory is "m"."m".
    ...section(
      1,
      functions.map(([, one]) => [0x60, ...sized(parametersOf(one)), 0]),
    ),
    ...section(2, [[1, 0x6d, 1, 0x6d, 2, 0, 1]]),
    ...section(
      3,
      functions.map((_, index) => unsigned(index)),
    ),
    ...section(
      7,
      functions.map(([name], index) => [...sized([...Buffer.from(name)]), 0, ...unsigned(index)]),
    ),
    ...section(
      10,
      functions.map(([, { body }]) => sized(body)),
    ),
  ]);
}
