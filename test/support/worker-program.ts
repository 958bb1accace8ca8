import { fileURLToPath } from "node:url";
import {
  bundledModules,
  bundledProgram,
  workerSnapshot,
} from "../../packages/apps/cli/src/installation/bundled-programs.js";

/** What a node of the command is given, so that actors' processes start from the bundle and its snapshot where setup made them. */
export const workerProgram = {
  modulesFrom: fileURLToPath(new URL("../../packages/apps/cli/dist/main.js", import.meta.url)),
  bundledWorker: bundledProgram("worker"),
  workerSnapshot: workerSnapshot(),
  bundledModules: bundledModules(),
};
