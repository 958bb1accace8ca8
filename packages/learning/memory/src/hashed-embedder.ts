import { fnv1a32, lowBiasMix32 } from "@palimpsest/std/random";
import { z } from "zod";
import type { Embedder } from "./embedder.js";
import { refuseUnfit } from "./refuse-unfit.js";
import { words } from "./text/words.js";

/** Words that occur in every text say little about its subject. Their fixed weight replaces a low idf. */
const functionWords = new Set(
  `a about after all also am an and any are as at be because been before being but by can could did do does doing
  down for from had has have having he her here hers him his how i if in into is it its just let like me more most
  my no not now of off on once only or other our out over own really s said say says she should so some such t than
  that the their them then there these they this those through to too under until up us very was we were what when
  where which while who whom why will with would you your`.split(/\s+/),
);

const optionsSchema = z.strictObject({ dimensions: z.int().min(8).optional() });

const functionWordWeight = 0.02;
/** The parts of a word together weigh this much of the word, which makes "paint", "painting" and "painted" similar. */
const partsWeight = 1.2;

/**
 * Creates vectors without a model: each word and its parts of three to five letters (with the word's ends marked) are
 * hashed with a sign to `dimensions` positions. A word counts 1 + ln(occurrences), words that every text has count 0.02
 * instead of an idf, and a word's parts together 1.2 of the word. It sees spelling and not meaning: "painting" is near
 * "painted", and not near "canvas"; an embedder with a model sees more. After: feature hashing (Weinberger et al.,
 * 2009) over sub-words (fastText, Bojanowski et al., 2017).
 * @throws {MemoryError} BAD_INPUT
 */
export function hashedEmbedder(options: { readonly dimensions?: number } = {}): Embedder {
  refuseUnfit(optionsSchema, options, "options of hashedEmbedder()");
  const { dimensions = 256 } = options;
  const known = new Map<string, Features>();
  const featuresOf = (word: string): Features => {
    const cached = known.get(word);
    if (cached !== undefined) return cached;
    const features = wordFeatures(word, dimensions);
    // The cache is bounded, so that a stream of ever new words does not fill the memory.
    if (known.size >= 65_536) known.clear();
    known.set(word, features);
    return features;
  };
  return {
    name: `hashed-${dimensions}`,
    dimensions,
    async embed(texts, signal) {
      signal?.throwIfAborted();
      return texts.map((text) => {
        const counts = new Map<string, number>();
        for (const word of words(text)) counts.set(word, (counts.get(word) ?? 0) + 1);
        const vector = new Float32Array(dimensions);
        for (const [word, count] of counts) {
          const { places, weights } = featuresOf(word);
          const repeated = 1 + Math.log(count);
          for (let i = 0; i < places.length; i++) {
            const place = places[i] as number;
            vector[place] = (vector[place] as number) + (weights[i] as number) * repeated;
          }
        }
        return vector;
      });
    },
  };
}

interface Features {
  readonly places: Uint16Array | Uint32Array;
  readonly weights: Float32Array;
}

function wordFeatures(word: string, dimensions: number): Features {
  const weight = functionWords.has(word) ? functionWordWeight : 1;
  const marked = [...`<${word}>`];
  const parts: string[] = [];
  // A part as long as the marked word adds nothing to the word.
  for (let length = 3; length <= 5 && length < marked.length; length++) {
    for (let at = 0; at + length <= marked.length; at++) parts.push(marked.slice(at, at + length).join(""));
  }
  const features = [word, ...parts];
  const partWeight = (weight * partsWeight) / Math.sqrt(Math.max(parts.length, 1));
  const places = new Uint32Array(features.length);
  const weights = new Float32Array(features.length);
  features.forEach((feature, i) => {
    const hash = lowBiasMix32(fnv1a32(i === 0 ? `word ${feature}` : feature));
    places[i] = hash % dimensions;
    weights[i] = (hash >>> 31 === 0 ? 1 : -1) * (i === 0 ? weight : partWeight);
  });
  return { places, weights };
}
