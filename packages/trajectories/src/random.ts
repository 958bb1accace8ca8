/** The random numbers of data and agents, which package memory owns, apart from the queues. */
export { createRandom, type Random } from "@palimpsest/memory/random";
