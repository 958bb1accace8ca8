#!/usr/bin/env node
// `npx palimpsest-tensorflow`, of the package @palimpsest/jit: fetches libtensorflow and builds the addon that tfjs reaches it by.
import { join } from "node:path";
import { withLock } from "./setup/lock.mjs";
import { cacheDir } from "./setup/paths.mjs";
import { checkNode, ensureBackend, step } from "./setup/steps.mjs";

process.stdout.write("TensorFlow for @palimpsest/jit\n");
await step("Node", checkNode);
// Several processes of a machine may need it for the first time at once.
const waiting = () => process.stdout.write("  · another process fetches it; waiting for that\n");
if (!(await withLock(join(cacheDir, "tensorflow.lock"), waiting, ensureBackend))) process.exitCode = 1;
