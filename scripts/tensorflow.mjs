#!/usr/bin/env node
// `npx palimpsest-tensorflow`, of the package @palimpsest/jit: fetches libtensorflow and builds the addon that tfjs reaches it by.
import { checkNode, ensureBackend, step } from "./setup/steps.mjs";

process.stdout.write("TensorFlow for @palimpsest/jit\n");
await step("Node", checkNode);
if (!(await ensureBackend())) process.exitCode = 1;
