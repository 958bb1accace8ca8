import { setFlagsFromString } from "node:v8";
import { f32x4, wasmModule } from "./assembler.js";
import {
  type Add,
  type Exponentials,
  elementwiseFunctions,
  type Gate,
  type Largest,
  type Normalize,
  type Quantize,
  type Scale,
} from "./elementwise.js";
import { type MultiplyAdd, mostVectors, type Product, productFunction, productName } from "./products.js";
import type { WeightFormat } from "./tiles.js";

/*
 * The hot loops of a single request, in WebAssembly with 128-bit SIMD: products of a matrix and up to four vectors, and passes over
 * vectors. Where the engine has it, a product of float32 weights and its addition are one instruction, which rounds once. Weights of
 * bfloat16 are multiplied and added by two: an addition ends sooner than both in one, and one vector's additions wait for each other.
 */

export interface Kernels {
  /** For 1, 2, 3 and 4 vectors. */
  readonly products: Readonly<Record<WeightFormat, readonly Product[]>>;
  readonly exponentials: Exponentials;
  readonly largest: Largest;
  readonly normalize: Normalize;
  readonly quantize: Quantize;
  readonly add: Add;
  readonly scale: Scale;
  readonly gate: Gate;
}

declare const WebAssembly: {
  readonly Memory: new (size: {
    readonly initial: number;
    readonly maximum: number;
    readonly shared: true;
  }) => SharedMemory;
  readonly validate: (bytes: Uint8Array<ArrayBuffer>) => boolean;
  readonly Module: new (bytes: Uint8Array<ArrayBuffer>) => object;
  readonly Instance: new (
    module: object,
    imports: Readonly<Record<string, Readonly<Record<string, SharedMemory>>>>,
  ) => { readonly exports: Readonly<Record<string, unknown>> };
};

export interface SharedMemory {
  readonly buffer: SharedArrayBuffer;
}

const pageBytes = 65_536;
/** The most that 32 bits can address. */
export const mostBytes = 65_535 * pageBytes;

/** Allocates memory that threads share. @throws RangeError if there is not enough */
export function sharedMemory(sizeBytes: number): SharedMemory {
  const pages = Math.ceil(sizeBytes / pageBytes);
  return new WebAssembly.Memory({ initial: pages, maximum: pages, shared: true });
}

const formats: readonly WeightFormat[] = ["float32", "bfloat16", "int8"];
const vectorCounts = Array.from({ length: mostVectors }, (_, i) => i + 1);

const twoRoundings: MultiplyAdd = (a, b, c) => f32x4.add(f32x4.mul(a, b), c);

function moduleBytes(multiplyAdd: MultiplyAdd): Uint8Array<ArrayBuffer> {
  const products = formats.flatMap((format) =>
    vectorCounts.map((count) =>
      productFunction(format, count, format === "float32" ? multiplyAdd : twoRoundings),
    ),
  );
  return wasmModule([...products, ...elementwiseFunctions]);
}

function bestModuleBytes(): Uint8Array<ArrayBuffer> {
  const fused = moduleBytes(f32x4.relaxedMultiplyAdd);
  if (WebAssembly.validate(fused)) return fused;
  // Node.js 20 has relaxed SIMD behind this flag. Later versions have it without, and print an error for a flag that they do not know.
  setFlagsFromString("--experimental-wasm-relaxed-simd");
  return WebAssembly.validate(fused) ? fused : moduleBytes(twoRoundings);
}

let compiled: object | undefined;

export function kernelsOver(memory: SharedMemory): Kernels {
  compiled ??= new WebAssembly.Module(bestModuleBytes());
  const { exports } = new WebAssembly.Instance(compiled, { m: { m: memory } });
  const products = (format: WeightFormat) =>
    vectorCounts.map((count) => exports[productName(format, count)] as Product);
  return {
    products: {
      float32: products("float32"),
      bfloat16: products("bfloat16"),
      int8: products("int8"),
    },
    exponentials: exports["exponentials"] as Exponentials,
    largest: exports["largest"] as Largest,
    normalize: exports["normalize"] as Normalize,
    quantize: exports["quantize"] as Quantize,
    add: exports["add"] as Add,
    scale: exports["scale"] as Scale,
    gate: exports["gate"] as Gate,
  };
}
