import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

setFlagsFromString("--expose_gc");

/** Runs the garbage collector now. */
export const collect = runInNewContext("gc") as () => void;
