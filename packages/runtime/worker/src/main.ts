#!/usr/bin/env node
/** The program of an actor's process, where that is not bundled. */
import { faultsLoaded } from "@palimpsest/wire";
import { runProgram } from "./process/program.js";

await faultsLoaded;
runProgram();
