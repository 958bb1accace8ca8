/** The grid of a mesh: its dimensions, the positions in it, and slices of it. */
import { PalimpsestError } from "@palimpsest/wire";
import type { ActorOptions } from "../base/config.js";

const maxMembers = 100_000;

/** The size of each dimension, by its name. */
export type MeshShape = Readonly<Record<string, number>>;
/** The position of a member: its index in each dimension, from 0, by the dimension's name. */
export type Coordinates = Readonly<Record<string, number>>;
/** One or several indexes for some of the dimensions; the other dimensions are included whole. */
export type Selection = Readonly<Record<string, number | readonly number[]>>;

/** @throws {PalimpsestError} CONFIG_INVALID naming the field */
export function checkShape(
  shape: MeshShape,
  { name, strategy, labels, placement }: Pick<ActorOptions, "name" | "strategy" | "labels" | "placement">,
): void {
  const sizes = Object.entries(shape);
  if (sizes.length === 0) throw invalid("shape is {}: name a dimension, such as { lane: 8 }");
  for (const [dimension, size] of sizes)
    if (!Number.isInteger(size) || size < 1)
      throw invalid(`shape.${dimension} is ${size}: give a whole number of at least 1`);
  const count = sizes.reduce((product, [, size]) => product * size, 1);
  if (count > maxMembers)
    throw invalid(`shape has ${count} members, more than ${maxMembers}: make it smaller`);
  if (name)
    throw invalid(`name is ${JSON.stringify(name)}: the members of a mesh have no names, so leave it out`);
  if (shape["node"] !== undefined && (strategy ?? labels ?? placement) !== undefined)
    throw invalid(
      "shape.node chooses the nodes: leave strategy, labels and placement out, or give the dimension another name",
    );
}

/** Lists all positions, with the last dimension changing fastest. */
export function coordinatesOf(shape: MeshShape): readonly Coordinates[] {
  let places: readonly Coordinates[] = [{}];
  for (const [dimension, size] of Object.entries(shape))
    places = places.flatMap((at) =>
      Array.from({ length: size }, (_, index) => ({ ...at, [dimension]: index })),
    );
  return places;
}

export function isWithin(at: Coordinates, selection: Selection): boolean {
  return Object.entries(selection).every(([dimension, wanted]) => {
    const index = at[dimension];
    return index !== undefined && (typeof wanted === "number" ? wanted === index : wanted.includes(index));
  });
}

function invalid(message: string): PalimpsestError {
  return new PalimpsestError("CONFIG_INVALID", `options of a mesh: ${message}`);
}
