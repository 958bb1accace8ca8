import type { LogLevel } from "@palimpsest/telemetry";
import { Option } from "commander";

const choices: readonly LogLevel[] = ["trace", "debug", "info", "warn", "error", "fatal", "silent"];

/** Creates the flag for commands that keep running and log. */
export function logLevelOption(): Option {
  return new Option("--log-level <level>", "least level of the lines that are logged")
    .choices(choices)
    .default("warn");
}
