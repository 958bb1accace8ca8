import { isPlain } from "./values.js";

/** Returns the character at an index by code points, negative from the end; undefined if there is none. */
export function characterAt(text: string, index: number): string | undefined {
  const characters = isPlain(text) ? text : [...text];
  const character = characters[index < 0 ? characters.length + index : index];
  return character;
}

export interface Slice {
  readonly start: number | undefined;
  readonly stop: number | undefined;
  readonly step: number;
}

/** Returns the first index of Python's slice of a sequence of a length, and the index where it ends. */
export function sliceBounds(length: number, { start, stop, step }: Slice): readonly [number, number] {
  const [lowest, highest] = step > 0 ? [0, length] : [-1, length - 1];
  const clamp = (index: number) => Math.min(highest, Math.max(lowest, index < 0 ? index + length : index));
  const from = start === undefined ? (step > 0 ? lowest : highest) : clamp(start);
  const to = stop === undefined ? (step > 0 ? highest : lowest) : clamp(stop);
  return [from, to];
}

export function sliceIndices(length: number, slice: Slice): number[] {
  const [from, to] = sliceBounds(length, slice);
  const { step } = slice;
  const indices: number[] = [];
  for (let i = from; step > 0 ? i < to : i > to; i += step) indices.push(i);
  return indices;
}

export function sliceText(text: string, slice: Slice): string {
  if (slice.step === 1 && isPlain(text)) return text.slice(slice.start, slice.stop);
  const characters = isPlain(text) ? text : [...text];
  return sliceIndices(characters.length, slice)
    .map((i) => characters[i])
    .join("");
}

/** Returns the index by code points that belongs to one by UTF-16 units. */
export const codePointIndex = (text: string, index: number): number =>
  index <= 0 || isPlain(text) ? index : [...text.slice(0, index)].length;
