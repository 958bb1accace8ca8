/** Seeded random numbers for data and agents, for modules of users that import nothing else of this package. */
export { createRandom, type Random } from "@palimpsest/std/random";
