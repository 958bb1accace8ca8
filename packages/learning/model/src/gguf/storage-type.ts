import {
  dequantizeQ2_K,
  dequantizeQ3_K,
  dequantizeQ4_K,
  dequantizeQ5_K,
  dequantizeQ6_K,
  dequantizeQ8_K,
} from "./dequantize-k.js";
import {
  copyFloat32,
  type Dequantize,
  dequantizeQ4_0,
  dequantizeQ4_1,
  dequantizeQ5_0,
  dequantizeQ5_1,
  dequantizeQ8_0,
  widenBfloat16,
  widenFloat16,
} from "./dequantize-simple.js";

/** The type in which a tensor's values are stored, with `blockValues` values in each `blockBytes` bytes. */
export interface StorageType {
  readonly name: string;
  readonly blockValues: number;
  readonly blockBytes: number;
  readonly dequantize: Dequantize;
}

const type = (
  name: string,
  blockValues: number,
  blockBytes: number,
  dequantize: Dequantize,
): StorageType => ({ name, blockValues, blockBytes, dequantize });

/** Storage types by their numbers in GGUF files. */
export const storageTypes: ReadonlyMap<number, StorageType> = new Map([
  [0, type("F32", 1, 4, copyFloat32)],
  [1, type("F16", 1, 2, widenFloat16)],
  [2, type("Q4_0", 32, 18, dequantizeQ4_0)],
  [3, type("Q4_1", 32, 20, dequantizeQ4_1)],
  [6, type("Q5_0", 32, 22, dequantizeQ5_0)],
  [7, type("Q5_1", 32, 24, dequantizeQ5_1)],
  [8, type("Q8_0", 32, 34, dequantizeQ8_0)],
  [10, type("Q2_K", 256, 84, dequantizeQ2_K)],
  [11, type("Q3_K", 256, 110, dequantizeQ3_K)],
  [12, type("Q4_K", 256, 144, dequantizeQ4_K)],
  [13, type("Q5_K", 256, 176, dequantizeQ5_K)],
  [14, type("Q6_K", 256, 210, dequantizeQ6_K)],
  [15, type("Q8_K", 256, 292, dequantizeQ8_K)],
  [30, type("BF16", 1, 2, widenBfloat16)],
]);

/** Names of types that are known but not supported, for the error that refuses them. */
export const unreadTypeNames: ReadonlyMap<number, string> = new Map([
  [9, "Q8_1"],
  [16, "IQ2_XXS"],
  [17, "IQ2_XS"],
  [18, "IQ3_XXS"],
  [19, "IQ1_S"],
  [20, "IQ4_NL"],
  [21, "IQ3_S"],
  [22, "IQ2_S"],
  [23, "IQ4_XS"],
  [24, "I8"],
  [25, "I16"],
  [26, "I32"],
  [27, "I64"],
  [28, "F64"],
  [29, "IQ1_M"],
  [34, "TQ1_0"],
  [35, "TQ2_0"],
  [39, "MXFP4"],
]);
