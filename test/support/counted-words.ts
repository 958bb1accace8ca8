// An actor that is named once, in a module of its own.
import { actorModule } from "@palimpsest/client";
import { WordCounter } from "./word-counter.js";

export { WordCounter };
export const wordCounters = actorModule(WordCounter, import.meta.url);
