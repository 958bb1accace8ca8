import type { LogFormat, LogLevel } from "@palimpsest/telemetry";
import { Option } from "commander";

const choices: readonly LogLevel[] = ["trace", "debug", "info", "warn", "error", "fatal", "silent"];

/** Creates the flag for commands that keep running and log. */
export function logLevelOption(): Option {
  return new Option("--log-level <level>", "least level of the lines that are logged")
    .choices(choices)
    .default("warn");
}

/** How a command that keeps running logs. */
export interface LogFlags {
  readonly logLevel: LogLevel;
  readonly logFormat?: LogFormat;
}

/** Creates the flag for the form of the lines. A terminal is read by a person, anything else by a program. */
export function logFormatOption(): Option {
  return new Option(
    "--log-format <form>",
    "form of the lines that are logged (default: text on a terminal, else json)",
  ).choices(["text", "json"] satisfies readonly LogFormat[]);
}

/** Returns the form of the lines on standard error. */
export function logFormat({ logFormat: asked }: LogFlags): LogFormat {
  return asked ?? (process.stderr.isTTY ? "text" : "json");
}
