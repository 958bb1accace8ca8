import { Metadata, type ServiceError, status } from "@grpc/grpc-js";
import { Error as ErrorMessage } from "@palimpsest/wire/protocol";
import { type ErrorCode, errorCodes, errorFromProto, errorToProto, PalimpsestError } from "./error.js";

const errorKey = "palimpsest-error-bin";

/** Builds what grpc-js sends for a failed call: a status for any client, and the whole error for Palimpsest's own. */
export function toGrpcError(
  reason: unknown,
): Partial<ServiceError> & { code: number; details: string; metadata: Metadata } {
  const error = PalimpsestError.from(reason);
  const metadata = new Metadata();
  // Stacks can be long and HTTP/2 header blocks are small, so the trailer carries the error without its stacks.
  const message = stripStacks(errorToProto(error));
  metadata.set(errorKey, Buffer.from(ErrorMessage.encode(message).finish()));
  return { code: errorCodes[error.code].grpcStatus, details: error.rawMessage, metadata };
}

function stripStacks(message: ErrorMessage.$Properties): ErrorMessage.$Properties {
  const { stack: _stack, cause, ...rest } = message;
  return { ...rest, ...(cause ? { cause: stripStacks(cause) } : {}) };
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

/** Returns the error of a failed call: the sender's own when it sent one, else the one that the status stands for. */
export function fromGrpcError(reason: unknown): PalimpsestError {
  if (!isServiceError(reason)) return PalimpsestError.from(reason);
  const bytes = reason.metadata?.get(errorKey)[0];
  if (bytes instanceof Uint8Array) return errorFromProto(ErrorMessage.decode(bytes));
  const code = codeOfGrpcStatus(reason.code);
  return new PalimpsestError(code, reason.details || reason.message, { cause: reason });
}
