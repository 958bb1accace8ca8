import { createRandom } from "@palimpsest/std/random";
import { createPermutation } from "./permutation.js";

const words = (text: string): readonly string[] => text.trim().split(/\s+/);

const adjectives = words(`
  amber ancient ardent autumn bitter blue bold brave brazen brief bright brisk broad bronze calm candid careful
  chilly civil clear clever coastal cold coral cosy crimson crisp curious curly dainty daring dark deep dense dim distant
  dizzy dotted drowsy dusty eager early earnest eastern elder empty faint fair famous fancy feral fertile fierce firm fleet
  floral foggy fond formal fragile frank fresh frosty frugal gentle giant gilded glad glossy golden grand grave green
  handy hardy hasty hazel heavy hidden hollow honest humble icy idle indigo inner ivory jolly keen kind lively lofty lone
  loud loyal lucky lunar mellow merry mighty mild misty modest mossy narrow neat nimble noble northern olive opal outer
  pale patient plain pleasant polished proud quaint quick quiet rapid rare restless ripe robust rosy rough round royal
  rugged rustic sandy scarlet secret serene sharp shiny silent silver simple sleepy slender smooth snowy solar solemn
  southern spry stable steady steep still stormy stout sturdy subtle sunny supple swift tame tender thrifty tidy timid
  tiny tranquil trusty upright velvet vivid warm wary western whole wide wild windy wise witty wooden young zesty`);

const nouns = words(`
  acorn anchor anvil apple arch arrow attic badge bakery balcony barrel basin basket beacon bell bench blanket boulder
  bowl branch brick bridge brook broom bucket button cabin cable candle canoe canyon carpet cart castle cave cedar cellar
  chalk chapel chest chimney circus cliff clock cloud coat comet compass copper cottage cradle crane crate creek crown
  cup curtain desert desk diary dome door drawer drum easel elm engine falcon farm feather fence ferry fiddle field flag
  flask flute forest forge fountain fox garden gate glacier glove goblet grove guitar hammer harbor harvest hat hedge
  helmet heron hill hinge horn hotel island jacket jar jewel journal jungle kettle key kitchen kite ladder lagoon lake lamp
  lantern lark lemon letter library lighthouse lily loom magnet mantle maple market marsh mask meadow medal mill mirror
  mitten monument moon mountain museum needle nest oak oar oasis orchard organ otter oven owl paddle palace panel parcel
  parlor pasture path pearl pebble pencil piano pier pillar pillow pine pipe planet plaza plough pocket pond port prairie
  puppet quarry quill quilt raft rail ranch raven reef ribbon ridge river robin rocket roof rope rudder saddle sail
  scarf scroll shelf shell shore sled spade sparrow spoon stable statue stove stream street summit sundial swan table
  tailor teapot temple tent theater thimble thistle tower trail train trumpet tulip tunnel turtle umbrella valley vase
  vault village violin wagon walnut wharf wheel whistle willow window winter yard`);

const consonants = "bcdfghjklmnpqrstvwxz";
const vowels = "aeiou";

/** Maps indices to texts. Different indices below `size` give different texts. */
export interface DistinctTexts {
  readonly size: number;
  at(index: number): string;
}

function drawn(seed: string, size: number, spell: (place: number) => string): DistinctTexts {
  const permutation = createPermutation(seed, size);
  return { size, at: (index) => spell(permutation(index)) };
}

/**
 * Returns keys such as "brave-lantern", or "brave-silver-lantern" if there may be more keys than such pairs.
 * @param most number of keys that may be needed
 */
export function wordKeys(seed: string, most: number): DistinctTexts {
  const pairs = adjectives.length * nouns.length;
  const noun = (place: number) => nouns[place % nouns.length] as string;
  if (most <= pairs) {
    return drawn(`${seed}/pairs`, pairs, (place) => {
      const adjective = adjectives[Math.floor(place / nouns.length)] as string;
      return `${adjective}-${noun(place)}`;
    });
  }
  return drawn(`${seed}/triples`, pairs * (adjectives.length - 1), (place) => {
    const rest = Math.floor(place / nouns.length);
    const first = rest % adjectives.length;
    // The second adjective skips the first one, so that none occurs twice.
    const second = (first + 1 + Math.floor(rest / adjectives.length)) % adjectives.length;
    return `${adjectives[first]}-${adjectives[second]}-${noun(place)}`;
  });
}

/** Returns whole numbers with this many digits, the first of which is not zero. */
export function numbers(seed: string, digits: number): DistinctTexts {
  const least = 10 ** (digits - 1);
  return drawn(`${seed}/numbers`, 9 * least, (place) => String(least + place));
}

/** Returns random UUIDs (version 4), which are distinct with near certainty. */
export function uuids(seed: string): DistinctTexts {
  const hex = (value: number, digits: number) => value.toString(16).padStart(digits, "0").slice(-digits);
  return {
    size: 2 ** 32,
    at(index) {
      const random = createRandom(`${seed}/uuid/${index}`);
      const [a, b, c, d] = [random.uint32(), random.uint32(), random.uint32(), random.uint32()];
      const third = `4${hex(b >>> 16, 3)}`;
      const fourth = hex(0x8000 | (c & 0x3fff), 4);
      return `${hex(a, 8)}-${hex(b, 4)}-${third}-${fourth}-${hex(c >>> 16, 4)}${hex(d, 8)}`;
    },
  };
}

/** Returns made-up words of three syllables, such as "rovamu". They are equally long, so none contains another. */
export function codedWords(seed: string): DistinctTexts {
  const syllables = consonants.length * vowels.length;
  return drawn(`${seed}/coded`, syllables ** 3, (place) => {
    let word = "";
    for (let rest = place, i = 0; i < 3; i++, rest = Math.floor(rest / syllables)) {
      word += consonants[Math.floor((rest % syllables) / vowels.length)];
      word += vowels[rest % vowels.length];
    }
    return word;
  });
}

/** Returns variable names of five capital consonants. They are not words of a text, and they are equally long. */
export function variableNames(seed: string): DistinctTexts {
  const letters = consonants.toUpperCase();
  return drawn(`${seed}/variables`, letters.length ** 5, (place) => {
    let name = "";
    for (let rest = place, i = 0; i < 5; i++, rest = Math.floor(rest / letters.length)) {
      name += letters[rest % letters.length];
    }
    return name;
  });
}
