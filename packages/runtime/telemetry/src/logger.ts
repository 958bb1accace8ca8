import { type DestinationStream, destination, type Logger as PinoLogger, pino, stdSerializers } from "pino";
import { logLineAsText } from "./log-line.js";
import { redacted, redactRecord, redactText, secretFields } from "./redaction.js";

export type Logger = PinoLogger;

/** All levels of a logger, the most verbose first. */
export const logLevels = ["trace", "debug", "info", "warn", "error", "fatal", "silent"] as const;
/** The levels of a logger, the most verbose first. */
export type LogLevel = (typeof logLevels)[number];

export interface LoggerOptions {
  /** What kind of process this is: "head", "node", "rollout", … It is a base field of every line. */
  readonly component: string;
  /** The lowest level that is written. Default "info". */
  readonly level?: LogLevel;
  /** Further base fields: nodeId, actorId, runId, … */
  readonly fields?: Readonly<Record<string, unknown>>;
  /**
   * Destination of the lines. Default: standard error, written synchronously so that a crash does not lose the last
   * line.
   */
  readonly destination?: DestinationStream;
  /** JSON for programs, or text for people. Default: JSON. */
  readonly format?: LogFormat;
}

export type LogFormat = "text" | "json";

/**
 * Creates a logger that writes lines with ISO time. It redacts secrets by field name, and passwords in URLs by
 * their form.
 */
export function createLogger(options: LoggerOptions): Logger {
  const lines = options.destination ?? destination({ dest: 2, sync: true });
  return pino(
    {
      level: options.level ?? "info",
      base: redactRecord({ component: options.component, pid: process.pid, ...options.fields }),
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      // Fields of child loggers do not pass through formatters, so these paths cover them.
      redact: { paths: [...secretFields], censor: redacted },
      formatters: { level: (label) => ({ level: label }), log: redactRecord },
      serializers: { err: serializeError, error: serializeError, cause: serializeError },
    },
    options.format === "text" ? textInto(lines) : lines,
  );
}

const textInto = (lines: DestinationStream): DestinationStream => ({
  write: (line) => lines.write(logLineAsText(line)),
});

function serializeError(value: unknown): unknown {
  if (!(value instanceof Error)) {
    return value;
  }
  const { raw: _raw, ...fields } = stdSerializers.err(value);
  return redactRecord({ ...fields, message: redactText(fields.message), stack: redactText(fields.stack) });
}
