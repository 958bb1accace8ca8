export { fnv1a32, lowBiasMix32, murmurMix32 } from "./mixing.js";
export { createRandom, type Random } from "./random.js";
export { mulberry32, type RandomWords, splitmix32, xoshiro128 } from "./words.js";
