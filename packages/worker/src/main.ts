#!/usr/bin/env node
/** The program of an actor's process, where that is not bundled. */
import { runProgram } from "./program.js";

runProgram();
