import { shownValue } from "@palimpsest/std/input";
import { DatasetError } from "../error.js";
import { countWorld } from "./count-world.js";
import { houseWorlds } from "./house-worlds.js";
import { linkWorld } from "./link-world.js";
import { mapWorld } from "./map-world.js";
import { presenceWorlds } from "./presence-worlds.js";
import { tradeWorlds } from "./trade-worlds.js";
import { withdrawWorld } from "./withdraw-world.js";
import type { World } from "./world.js";

const order = ["link", "trade", "carry", "count", "withdraw", "before"];
const rank = ({ name }: World) => {
  const named = order.indexOf(name);
  return named < 0 ? order.length + Number(name.replace("babi-", "")) : named;
};

/** All worlds, in the order of the documentation. */
export const worlds: readonly World[] = [
  linkWorld,
  ...tradeWorlds,
  ...houseWorlds,
  countWorld,
  withdrawWorld,
  mapWorld,
  ...presenceWorlds,
].sort((a, b) => rank(a) - rank(b));

/** The worlds' names. */
export const worldNames: readonly string[] = worlds.map(({ name }) => name);

/**
 * Returns the world with this name.
 * @throws {DatasetError} BAD_CONFIG if there is none
 */
export function worldByName(name: string): World {
  const world = worlds.find((one) => one.name === name);
  if (world !== undefined) return world;
  throw new DatasetError(
    "BAD_CONFIG",
    `world: ${shownValue(name)} is unknown; use one of ${worldNames.join(", ")}`,
    { name: shownValue(name) },
  );
}
