import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

setFlagsFromString("--expose_gc");

/** Has the collector run now. */
export const collect = runInNewContext("gc") as () => void;
