/**
 * Errors as messages: a PalimpsestError arrives as the same class, and an error of user code, which is the cause of one,
 * as an Error with its name, its stack and its own fields of plain data.
 *
 * Invariants:
 * - ERRORMESSAGE-1. Whatever was thrown has a message, which can be encoded and has at most `maxBytes` of text.
 * - ERRORMESSAGE-2. An error of user code arrives as a PalimpsestError only if it is one, whatever its name.
 */
import type { Error as ErrorMessage } from "@palimpsest/wire/protocol";
import { isErrorCode, isPalimpsestError, PalimpsestError } from "../base/error.js";
import { located, shownStack, showsInternals, stackToSend } from "../base/frames.js";
import { freeText } from "../base/free-text.js";
import { define, partsOfThrown } from "../base/thrown.js";
import { decodeValue, encodeValue } from "../values/value.js";

/** The most text of one error with its causes, in bytes. Each single text has 64 KiB at most. */
const defaultMaxBytes = 256 * 1024;
const maxTextBytes = 64 * 1024;
/** What an error counts besides its texts, so that a tree of causes without texts ends too. */
const overheadBytes = 128;
const maxDepth = 8;
const maxErrors = 16;
const maxDetails = 64;

/** What is left for the texts of an error and its causes. */
class Room {
  #bytes: number;

  constructor(maxBytes: number) {
    this.#bytes = maxBytes;
  }

  get isUsed(): boolean {
    return this.#bytes <= 0;
  }

  /** Makes the text fit. */
  text(text: string): string {
    if (text === "" || this.#bytes <= 0) return "";
    const fit = freeText(text, Math.min(maxTextBytes, this.#bytes));
    this.take(Buffer.byteLength(fit));
    return fit;
  }

  take(bytes: number): void {
    this.#bytes -= bytes;
  }
}

/**
 * Returns the message of an error, or of anything else that was thrown (ERRORMESSAGE-1).
 * @param maxBytes the most text that it may have. Default: 256 KiB
 */
export function errorToProto(reason: unknown, maxBytes = defaultMaxBytes): ErrorMessage.$Properties {
  return toMessage(PalimpsestError.from(reason), new Room(maxBytes), 0);
}

function toMessage(error: PalimpsestError, room: Room, depth: number): ErrorMessage.$Properties {
  room.take(overheadBytes);
  const details: Record<string, string> = {};
  const numbers: Record<string, number> = {};
  const message = room.text(error.rawMessage);
  for (const key of Object.getOwnPropertyNames(error.details).slice(0, maxDetails)) {
    const detail = error.details[key];
    if (typeof detail === "number") define(numbers, room.text(key), detail);
    else define(details, room.text(key), room.text(String(detail)));
  }
  // The causes come before the stack, which may be long and says less.
  const cause = causeOf(error.cause, room, depth);
  const { stack } = partsOfThrown(error);
  return {
    code: error.code,
    message,
    retryable: error.retryable,
    details,
    numbers,
    ...cause,
    stack: room.text(stackToSend(stack)),
  };
}

function causeOf(cause: unknown, room: Room, depth: number): Pick<ErrorMessage.$Properties, "cause"> {
  if (cause === undefined || depth >= maxDepth || room.isUsed) return {};
  return { cause: causeToMessage(cause, room, depth + 1) };
}

function causeToMessage(reason: unknown, room: Room, depth: number): ErrorMessage.$Properties {
  if (isPalimpsestError(reason)) return toMessage(reason, room, depth);
  room.take(overheadBytes);
  const parts = partsOfThrown(reason);
  const message = room.text(parts.message);
  const fields = fieldsOf(parts.fields, room);
  const cause = causeOf(parts.cause, room, depth);
  const errors = depth >= maxDepth ? [] : errorsOf(parts.errors ?? [], room, depth);
  return {
    // An empty name would be that of an error of the runtime.
    name: room.text(parts.name) || "Error",
    message,
    ...(fields ? { fields } : {}),
    ...cause,
    ...(errors.length > 0 ? { errors } : {}),
    stack: room.text(stackToSend(parts.stack)),
  };
}

function errorsOf(errors: readonly unknown[], room: Room, depth: number): ErrorMessage.$Properties[] {
  const told: ErrorMessage.$Properties[] = [];
  for (const error of errors) {
    if (told.length >= maxErrors || room.isUsed) {
      told.push({ name: "Error", message: `… ${errors.length - told.length} more errors were cut here` });
      break;
    }
    told.push(causeToMessage(error, room, depth + 1));
  }
  return told;
}

function fieldsOf(fields: Readonly<Record<string, unknown>>, room: Room): Uint8Array | undefined {
  if (Object.keys(fields).length === 0 || room.isUsed) return undefined;
  try {
    const bytes = encodeValue(fields);
    room.take(bytes.byteLength);
    return bytes;
  } catch {
    // They are an addition to the error, which arrives without them.
    return undefined;
  }
}

/**
 * Returns the error that a message carries. A code that this version does not know becomes INTERNAL, and the details
 * name it.
 */
export function errorFromProto(message: ErrorMessage.$Properties): PalimpsestError {
  const code = message.code ?? "";
  const known = isErrorCode(code);
  const error = new PalimpsestError(known ? code : "INTERNAL", located(message.message ?? ""), {
    details: { ...message.details, ...message.numbers, ...(known ? {} : { remoteCode: code }) },
    retryable: message.retryable ?? false,
    ...(message.cause ? { cause: causeFromMessage(message.cause) } : {}),
  });
  if (message.stack) {
    error.stack = showsInternals()
      ? `${error.stack ?? error.message}\n--- remote ---\n${located(message.stack)}`
      : shownStack(`${error.name}: ${error.message}`, message.stack);
  }
  return error;
}

/** The language's own errors, which arrive as instances of their classes. */
const nativeErrors: Readonly<Record<string, ErrorConstructor>> = Object.assign(Object.create(null), {
  ...{ EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError },
});

/** Restores causes that were plain errors in the other process as plain errors (ERRORMESSAGE-2). */
function causeFromMessage(message: ErrorMessage.$Properties): Error {
  const { name, stack } = message;
  if (!name) return errorFromProto(message);
  const options = message.cause ? { cause: causeFromMessage(message.cause) } : undefined;
  const text = message.message ?? "";
  const errors = message.errors ?? [];
  const Class = nativeErrors[name] ?? Error;
  const cause =
    errors.length > 0
      ? new AggregateError(errors.map(causeFromMessage), text, options)
      : new Class(text, options);
  // As on any other error, the name is not one of the fields that loops and loggers list.
  Object.defineProperty(cause, "name", { value: name, configurable: true, writable: true });
  // The stack of this process would name code that did not throw it.
  cause.stack = shownStack(`${name}: ${text}`, stack || `${name}: ${text}`);
  for (const [key, value] of Object.entries(fieldsFrom(message.fields))) define(cause, key, value);
  return cause;
}

function fieldsFrom(bytes: Uint8Array | null | undefined): object {
  if (!bytes?.byteLength) return {};
  try {
    const fields = decodeValue(bytes);
    return typeof fields === "object" && fields !== null ? fields : {};
  } catch {
    // They are an addition to the error, which is told without them.
    return {};
  }
}
