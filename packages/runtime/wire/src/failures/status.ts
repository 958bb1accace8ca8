import { Metadata, type ServiceError, status } from "@grpc/grpc-js";
import { Error as ErrorMessage } from "@palimpsest/wire/protocol";
import { type ErrorCode, errorCodes, PalimpsestError } from "../base/error.js";
import { showsInternals } from "../base/frames.js";
import { freeText } from "../base/free-text.js";
import { errorFromProto, errorToProto } from "./error-message.js";

const errorKey = "palimpsest-error-bin";

/** The most text of an error in a trailer, in bytes: the other end accepts 64 KiB of headers, in which bytes take 4/3. */
const maxTrailerBytes = 24 * 1024;
/** The most of it as the status's message, where a character may take three times its bytes. */
const maxStatusBytes = 4 * 1024;

/** Builds what grpc-js sends for a failed call: a status for any client, and the whole error for Palimpsest's own. */
export function toGrpcError(
  reason: unknown,
): Partial<ServiceError> & { code: number; details: string; metadata: Metadata } {
  const error = PalimpsestError.from(reason);
  const metadata = new Metadata();
  // Stacks can be long and HTTP/2 header blocks are small, so the trailer carries the error without its stacks.
  const message = stripStacks(errorToProto(error, maxTrailerBytes));
  metadata.set(errorKey, Buffer.from(ErrorMessage.encode(message).finish()));
  const details = freeText(error.rawMessage, maxStatusBytes);
  return { code: errorCodes[error.code].grpcStatus, details, metadata };
}

function stripStacks(message: ErrorMessage.$Properties): ErrorMessage.$Properties {
  const { stack: _stack, cause, errors, ...rest } = message;
  return {
    ...rest,
    ...(cause ? { cause: stripStacks(cause) } : {}),
    ...(errors ? { errors: errors.map(stripStacks) } : {}),
  };
}

const codeOfStatus: ReadonlyMap<number, ErrorCode> = new Map<number, ErrorCode>([
  [status.CANCELLED, "CANCELLED"],
  [status.INVALID_ARGUMENT, "INVALID_ARGUMENT"],
  [status.DEADLINE_EXCEEDED, "GET_TIMEOUT"],
  [status.NOT_FOUND, "NOT_FOUND"],
  [status.ALREADY_EXISTS, "ALREADY_EXISTS"],
  [status.UNAUTHENTICATED, "UNAUTHENTICATED"],
  [status.PERMISSION_DENIED, "PERMISSION_DENIED"],
  [status.RESOURCE_EXHAUSTED, "LIMIT_EXCEEDED"],
  [status.UNIMPLEMENTED, "PROTOCOL_MISMATCH"],
  [status.UNAVAILABLE, "UNAVAILABLE"],
]);

function isServiceError(reason: unknown): reason is ServiceError {
  return (
    reason instanceof Error && "code" in reason && typeof reason.code === "number" && "metadata" in reason
  );
}

/** Returns the code that a gRPC status stands for when no Palimpsest error came with it. */
export function codeOfGrpcStatus(code: number): ErrorCode {
  return codeOfStatus.get(code) ?? "INTERNAL";
}

/** What grpc-js appends although it knows nothing more. */
const emptyRemark = /\.? ?Last error: undefined\.|\.? ?Resolution note: ?$/g;

/** How grpc-js says that what answered speaks HTTP and no gRPC. */
const httpAnswer = /^Received HTTP status code (\d+)/;

/** Returns the error of a failed call: the sender's own when it sent one, else the one that the status stands for. */
export function fromGrpcError(reason: unknown): PalimpsestError {
  if (!isServiceError(reason)) return PalimpsestError.from(reason);
  const bytes = reason.metadata?.get(errorKey)[0];
  if (bytes instanceof Uint8Array) {
    try {
      return errorFromProto(ErrorMessage.decode(bytes));
    } catch {
      // A sender of another version: its status says the same in short.
    }
  }
  const said = (reason.details || reason.message).replace(emptyRemark, "");
  const http = httpAnswer.exec(said)?.[1];
  // Whatever its number: the process that was asked for was not reached, and another address may lead to it.
  const code = http === undefined ? codeOfGrpcStatus(reason.code) : "UNAVAILABLE";
  const message =
    http === undefined
      ? `${said}${reason.code === status.UNIMPLEMENTED ? ": the process there has another version, upgrade it" : ""}`
      : `a web server or a proxy answers there (HTTP ${http}): correct the address, or let the proxy pass gRPC`;
  // It says the same with what gRPC knows of its own state, which is for those who debug the runtime.
  return new PalimpsestError(code, message, showsInternals() ? { cause: reason } : {});
}
