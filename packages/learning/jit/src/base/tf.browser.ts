/** All of tfjs for bundles that run in a browser, which has no `require`: package.json puts it in the place of tf.ts. */
export * as tf from "@tensorflow/tfjs";
