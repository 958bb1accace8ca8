/** Re-exports the random numbers of data and agents, which the memory package owns, without the queues. */
export { createRandom, type Random } from "@palimpsest/memory/random";
