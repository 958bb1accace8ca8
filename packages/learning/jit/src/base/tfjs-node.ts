import { createRequire } from "node:module";

/** The addon with libtensorflow, loaded by `require` as tfjs itself is. Importing this module registers its backend. */
const loaded: typeof import("@tensorflow/tfjs-node-gpu") = createRequire(import.meta.url)(
  "@tensorflow/tfjs-node-gpu",
);

export const { node } = loaded;
