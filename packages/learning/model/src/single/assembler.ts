/*
 * The subset of WebAssembly's binary format that the kernels of this folder need. Code is an array of bytes; an expression leaves one value.
 */

export type Code = readonly number[];

export const type = { i32: 0x7f, f32: 0x7d, v128: 0x7b } as const;
type ValueType = (typeof type)[keyof typeof type];

const unsigned = (value: number): number[] =>
  value < 128 ? [value] : [(value & 127) | 128, ...unsigned(value >>> 7)];

const signed = (value: number): number[] => {
  const low = value & 127;
  const rest = value >> 7;
  const ends = (rest === 0 && (low & 64) === 0) || (rest === -1 && (low & 64) !== 0);
  return ends ? [low] : [low | 128, ...signed(rest)];
};

const float32Bytes = (value: number): number[] => [...new Uint8Array(Float32Array.of(value).buffer)];
const vector =
  (opcode: number) =>
  (...operands: readonly Code[]): Code => [...operands.flat(), 0xfd, ...unsigned(opcode)];
const scalar =
  (opcode: number) =>
  (...operands: readonly Code[]): Code => [...operands.flat(), opcode];

export const get = (local: number): Code => [0x20, ...unsigned(local)];
export const set = (local: number, value: Code): Code => [...value, 0x21, ...unsigned(local)];
export const i32Const = (value: number): Code => [0x41, ...signed(value)];
export const f32Const = (value: number): Code => [0x43, ...float32Bytes(value)];

export const i32 = {
  add: scalar(0x6a),
  lessUnsigned: scalar(0x49),
  mul: scalar(0x6c),
};
export const f32 = {
  add: scalar(0x92),
  div: scalar(0x95),
  max: scalar(0x97),
  mul: scalar(0x94),
  sqrt: scalar(0x91),
};

export const v128 = {
  and: vector(0x4e),
  /** a, where the mask's bits are 0. */
  andNot: vector(0x4f),
  f32Splat: vector(0x13),
  load: (address: Code, offset = 0): Code => [...address, 0xfd, 0x00, 2, ...unsigned(offset)],
  /** Eight signed bytes as 16-bit integers. */
  loadBytes: (address: Code, offset = 0): Code => [...address, 0xfd, 0x01, 0, ...unsigned(offset)],
  /** 32 bits in all four lanes. */
  loadSplat: (address: Code, offset = 0): Code => [...address, 0xfd, 0x09, 2, ...unsigned(offset)],
  store: (address: Code, value: Code, offset = 0): Code => [
    ...address,
    ...value,
    0xfd,
    0x0b,
    2,
    ...unsigned(offset),
  ],
  zero: [0xfd, 0x0c, ...Array<number>(16).fill(0)] as Code,
  lane: (value: Code, lane: number): Code => [...value, 0xfd, 0x1f, lane],
  splat: (value: number): Code => [...f32Const(value), 0xfd, 0x13],
  intSplat: (value: number): Code => [...i32Const(value), 0xfd, 0x11],
};

export const f32x4 = {
  abs: vector(0xe0),
  add: vector(0xe4),
  sub: vector(0xe5),
  mul: vector(0xe6),
  div: vector(0xe7),
  min: vector(0xe8),
  /** NaN if one of the two is. */
  max: vector(0xe9),
  /** a · b + c, rounded once; not every engine has it. */
  relaxedMultiplyAdd: vector(0x105),
  lessThan: vector(0x43),
  nearest: vector(0x6a),
  ofInts: vector(0xfa),
};
export const i32x4 = {
  add: vector(0xae),
  shiftLeft: (value: Code, bits: number): Code => [...value, ...i32Const(bits), 0xfd, 0xab, 0x01],
  /** Products of signed 16-bit lanes, summed in pairs. */
  dot: vector(0xba),
  truncated: vector(0xf8),
};
export const i16x8 = {
  /** Two vectors of 32-bit integers, saturated. */
  narrow: vector(0x85),
};

/** Folds the four float32 lanes of a local. */
export const foldLanes = (local: number, fold: (a: Code, b: Code) => Code): Code =>
  [1, 2, 3].reduce<Code>(
    (folded, lane) => fold(folded, v128.lane(get(local), lane)),
    v128.lane(get(local), 0),
  );

export const f32Store = (address: Code, value: Code, offset = 0): Code => [
  ...address,
  ...value,
  0x38,
  2,
  ...unsigned(offset),
];

/** Runs `body` as long as `condition` is true before it. */
export const during = (condition: Code, body: Code): Code => [
  0x02,
  0x40,
  ...condition,
  0x45,
  0x0d,
  0,
  ...repeat(body, condition),
  0x0b,
];

/** Runs `body` at least once, and again as long as `condition` is true after it. */
export const repeat = (body: Code, condition: Code): Code => [
  0x03,
  0x40,
  ...body,
  ...condition,
  0x0d,
  0,
  0x0b,
];

const sized = (bytes: Code): number[] => [...unsigned(bytes.length), ...bytes];
const list = (items: readonly Code[]): number[] => [...unsigned(items.length), ...items.flat()];
const section = (id: number, content: Code): number[] => [id, ...sized(content)];

export interface WasmFunction {
  readonly name: string;
  readonly parameters: readonly ValueType[];
  readonly results: readonly ValueType[];
  readonly locals: readonly ValueType[];
  readonly body: Code;
}

/** A module of functions over an imported shared memory "m"."m". */
export function wasmModule(functions: readonly WasmFunction[]): Uint8Array<ArrayBuffer> {
  const types = functions.map(({ parameters, results }) => [
    0x60,
    ...list(parameters.map((of) => [of])),
    ...list(results.map((of) => [of])),
  ]);
  const text = (value: string) => sized([...Buffer.from(value)]);
  const mostPages = 65_536;
  return Uint8Array.from([
    ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(1, list(types)),
    ...section(2, list([[...text("m"), ...text("m"), 2, 3, 1, ...unsigned(mostPages)]])),
    ...section(3, list(functions.map((_, i) => unsigned(i)))),
    ...section(7, list(functions.map(({ name }, i) => [...text(name), 0, ...unsigned(i)]))),
    ...section(
      10,
      list(functions.map(({ locals, body }) => sized([...list(locals.map((of) => [1, of])), ...body, 0x0b]))),
    ),
  ]);
}
