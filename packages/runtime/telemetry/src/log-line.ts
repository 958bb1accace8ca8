/** Lines of the log as people read them. */
import { z } from "zod";

const lineSchema = z.looseObject({
  level: z.string(),
  time: z.string(),
  component: z.string().optional(),
  pid: z.number().optional(),
  msg: z.string().optional(),
});
const errorSchema = z.looseObject({ message: z.string(), stack: z.string().optional() });
/** Levels at which a line shows the stack of its error. */
const withStack = new Set(["error", "fatal", "debug", "trace"]);
/** Characters that would end the line or control the terminal. */
const control = /[\p{Cc}\u2028\u2029]/u;

/**
 * Turns a line of JSON into text: time, level, component, message, and the other fields as name=value. An error gives its
 * message, and its stack if it is an error of the program and not a warning.
 */
export function logLineAsText(line: string): string {
  const parsed = lineSchema.safeParse(JSON.parse(line));
  // A record with odd fields of its own is told as it is.
  if (!parsed.success) return line.endsWith("\n") ? line : `${line}\n`;
  const { level, time, component, pid: _pid, msg, ...fields } = parsed.data;
  const parts = [time, level.toUpperCase().padEnd(5)];
  if (component !== undefined) parts.push(`${plain(component)}:`);
  if (msg !== undefined) parts.push(plain(msg));
  let stack = "";
  for (const [name, value] of Object.entries(fields)) {
    const error = errorSchema.safeParse(value);
    parts.push(`${plain(name)}=${error.success ? quoted(error.data.message) : valueText(value)}`);
    if (error.success && withStack.has(level)) stack += framesOf(error.data.stack ?? "");
  }
  return `${parts.join(" ")}\n${stack}`;
}

/** JSON leaves U+007F to U+009F as they are, of which some control a terminal. */
const quoted = (value: unknown) =>
  JSON.stringify(value).replace(
    /[\u007f-\u009f\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );

const plain = (text: string) => (control.test(text) ? quoted(text) : text);

function valueText(value: unknown): string {
  const text = typeof value === "string" ? value : quoted(value);
  return typeof value === "string" && (/[\s"=]/.test(text) || text === "" || control.test(text))
    ? quoted(text)
    : text;
}

const framesOf = (stack: string) =>
  stack
    .split("\n")
    .filter((frame) => /^\s+at /.test(frame))
    .map((frame) => `    ${plain(frame.trim())}\n`)
    .join("");
