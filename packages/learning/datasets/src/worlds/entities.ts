import type { Random } from "@palimpsest/std/random";
import { DatasetError } from "../error.js";

/** Parts of the data whose entities, wordings and seeds are kept apart. */
export const worldSplits = ["train", "dev", "test"] as const;
export type WorldSplit = (typeof worldSplits)[number];

/** A well-known sight and the city that it stands in. */
interface Sight {
  readonly landmark: string;
  readonly city: string;
}

/** Everybody and everything that a text is about. */
export interface Cast {
  readonly people: readonly string[];
  readonly things: readonly string[];
  readonly rooms: readonly string[];
  readonly sights: readonly Sight[];
}

const words = (text: string): readonly string[] => text.trim().split(/\s+/);

const people: Readonly<Record<WorldSplit, readonly string[]>> = {
  train: words("Ada Ben Cora Dan Eva Finn Gus Ida Jack Kim Leo Mia Nina Otto Paul Rosa"),
  dev: words("Amir Beth Carl Dora Emil Fay Gina Hans Igor Jane Kurt Lena Max Omar Pia Ralf"),
  test: words("Sam Tina Udo Vera Willa Xenia Yara Zoe Tom Una Vito Wanda Yuri Zara Susan Noah"),
};

const things: Readonly<Record<WorldSplit, readonly string[]>> = {
  train: words("coin key lamp map ring drum book clock rope mask bell kite"),
  dev: words("cup fan flute glove hat horn jar knife ladle mirror nail purse"),
  test: words("quill spoon scarf sponge stamp sword torch trowel vase violin whistle wrench"),
};

const rooms: Readonly<Record<WorldSplit, readonly string[]>> = {
  train: words("attic garden kitchen cellar library hall stable chapel tower bakery"),
  dev: words("barn balcony cabin cave studio yard pantry office garage porch"),
  test: words("lounge nursery bathroom workshop mill harbor market school theater museum"),
};

const sightsOf = (text: string): readonly Sight[] =>
  text
    .trim()
    .split("\n")
    .map((line) => {
      const [landmark, city] = line.split(" | ") as [string, string];
      return { landmark: landmark.trim(), city: city.trim() };
    });

const sights: Readonly<Record<WorldSplit, readonly Sight[]>> = {
  train: sightsOf(`
    the Louvre | Paris
    the Colosseum | Rome
    the Tower Bridge | London
    the Brandenburg Gate | Berlin
    the Acropolis | Athens
    the Kremlin | Moscow
    the Prado | Madrid
    the Empire State Building | Manhattan
    the White House | Washington
    the Golden Gate Bridge | California
    the Burj Khalifa | Dubai
    the Forbidden City | Beijing`),
  dev: sightsOf(`
    the Charles Bridge | Prague
    the Sagrada Familia | Barcelona
    the Rijksmuseum | Amsterdam
    the Little Mermaid | Copenhagen
    the Hagia Sophia | Istanbul
    the Taj Mahal | Agra
    the Space Needle | Seattle
    the Rialto Bridge | Venice
    the Uffizi | Florence
    the Atomium | Brussels
    the CN Tower | Toronto
    the Sphinx | Giza`),
  test: sightsOf(`
    the Leaning Tower | Pisa
    the Opera House with the white sails | Sydney
    the Prater | Vienna
    the Vasa Museum | Stockholm
    the Belem Tower | Lisbon
    the Marienplatz | Munich
    the Shibuya crossing | Tokyo
    the beach of Copacabana | Rio
    the Willis Tower | Chicago
    La Scala | Milan
    the Wawel Castle | Krakow
    the Table Mountain | Capetown`),
};

/** How many of each kind a text has. */
export type CastSizes = Readonly<Record<keyof Cast, number>>;

/**
 * Draws the cast of one text from the split's entities.
 * @throws {DatasetError} BAD_CONFIG if the split has fewer of a kind
 */
export function drawCast(split: WorldSplit, sizes: CastSizes, random: Random): Cast {
  const some = <T>(kind: keyof Cast, all: readonly T[]): readonly T[] => {
    if (sizes[kind] > all.length)
      throw new DatasetError(
        "BAD_CONFIG",
        `cast: ${sizes[kind]} ${kind} are asked for, but there are ${all.length}; give at most ${all.length}`,
      );
    return random.shuffle(all).slice(0, sizes[kind]);
  };
  return {
    people: some("people", people[split]),
    things: some("things", things[split]),
    rooms: some("rooms", rooms[split]),
    sights: some("sights", sights[split]),
  };
}
