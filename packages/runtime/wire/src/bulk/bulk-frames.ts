/**
 * The messages of a bulk connection, which carries bytes of objects and nothing else. All numbers are little-endian.
 *
 *   hello, once, from the client: the bytes 0 "PB" 2, the length of the authorization (2 bytes), and the authorization
 *   request: the length of the object's id (1 byte), the id (32 bytes, unused ones are 0), offset (8), length (4), and how
 *     many milliseconds the server may wait until it has the bytes (4)
 *   answer, one per request in their order: 0, the length (4) and the checksum (32, see checksum.ts; 0 for an object that
 *     is named by its hash), then the bytes; or 1, the length (4) and 32 bytes of 0, then an Error
 *
 * No HTTP/2 connection begins with the byte 0, so both kinds of connections come to one port.
 */
import * as proto from "@palimpsest/wire/protocol";
import { PalimpsestError } from "../base/error.js";
import { errorFromProto, errorToProto } from "../failures/error-message.js";
import { checksumBytes, checksumOf } from "./checksum.js";

/** The protocol name (ALPN) with which a client asks for a bulk connection under TLS. */
export const bulkProtocol = "palimpsest-bulk/2";
/** The largest answer to one request in bytes. */
export const maxBulkBytes = 8 * 1024 * 1024;
/** The longest that a server waits for the bytes of a request to become available. */
const maxBulkWaitMs = 30_000;

const magic = Buffer.from([0, 0x50, 0x42, 2]);
const maxAuthorizationBytes = 4096;
const maxErrorBytes = 64 * 1024;
const idBytes = 32;
const requestBytes = 1 + idBytes + 8 + 4 + 4;
export const answerHeadBytes = 5 + checksumBytes;
/** The checksum of what needs none. */
const noChecksum: Uint8Array = new Uint8Array(checksumBytes);
/** Objects that are named by the SHA-256 of their bytes are verified by their receiver when they are complete. */
const bytesOfHash = 32;

/** Which bytes of an object are read, and how long the other side may wait for them. */
export interface BulkRequest {
  readonly objectId: string;
  readonly offsetBytes: number;
  readonly lengthBytes: number;
  /** How long the server may wait for the bytes to become available, in milliseconds. */
  readonly waitMs: number;
}

export function helloOf(authorization: string): Uint8Array {
  const text = Buffer.from(authorization);
  const length = Buffer.alloc(2);
  length.writeUInt16LE(text.byteLength);
  return Buffer.concat([magic, length, text]);
}

export function requestOf({ objectId, offsetBytes, lengthBytes, waitMs }: BulkRequest): Uint8Array {
  const bytes = Buffer.alloc(requestBytes);
  const id = Buffer.from(objectId, "hex");
  bytes.writeUInt8(id.byteLength, 0);
  bytes.set(id, 1);
  bytes.writeBigUInt64LE(BigInt(offsetBytes), 1 + idBytes);
  bytes.writeUInt32LE(lengthBytes, 9 + idBytes);
  bytes.writeUInt32LE(waitMs, 13 + idBytes);
  return bytes;
}

/** The checksum that goes with bytes of the object. */
export function bulkChecksum(objectId: string, bytes: Uint8Array): Uint8Array {
  return objectId.length === 2 * bytesOfHash ? noChecksum : checksumOf(bytes);
}

export function answerHead(isError: boolean, lengthBytes: number, checksum = noChecksum): Uint8Array {
  const bytes = Buffer.alloc(answerHeadBytes);
  bytes.writeUInt8(isError ? 1 : 0, 0);
  bytes.writeUInt32LE(lengthBytes, 1);
  bytes.set(checksum, 5);
  return bytes;
}

interface AnswerHead {
  readonly isError: boolean;
  readonly lengthBytes: number;
  readonly checksum: Uint8Array;
}

/** @throws {PalimpsestError} CODEC */
export function answerHeadFrom(bytes: Buffer): AnswerHead {
  const kind = bytes.readUInt8(0);
  const lengthBytes = bytes.readUInt32LE(1);
  if (kind > 1 || lengthBytes > (kind === 1 ? maxErrorBytes : maxBulkBytes))
    throw new PalimpsestError(
      "CODEC",
      `an answer of the unknown kind ${kind} with ${lengthBytes} bytes arrived`,
    );
  return { isError: kind === 1, lengthBytes, checksum: Uint8Array.from(bytes.subarray(5)) };
}

export function errorBytes(reason: unknown): Uint8Array {
  return proto.Error.encode(errorToProto(reason, maxErrorBytes / 2)).finish();
}

export function errorFrom(bytes: Uint8Array): PalimpsestError {
  try {
    return errorFromProto(proto.Error.decode(bytes));
  } catch (cause) {
    return new PalimpsestError("CODEC", `${bytes.byteLength} bytes are not an error`, { cause });
  }
}

/** Parses a client's bytes as they arrive: first its hello, then its requests. */
export class BulkRequests {
  #rest: Buffer = Buffer.alloc(0);
  #authorization: string | undefined;

  /** Undefined until all of the authorization has arrived. */
  get authorization(): string | undefined {
    return this.#authorization;
  }

  /** @returns the requests that are complete @throws {PalimpsestError} CODEC, INVALID_ARGUMENT */
  take(data: Uint8Array): readonly BulkRequest[] {
    this.#rest = Buffer.concat([this.#rest, data]);
    if (this.#authorization === undefined && !this.#takeHello()) return [];
    const requests: BulkRequest[] = [];
    while (this.#rest.byteLength >= requestBytes) {
      requests.push(requestFrom(this.#rest));
      this.#rest = this.#rest.subarray(requestBytes);
    }
    return requests;
  }

  #takeHello(): boolean {
    const begin = magic.byteLength + 2;
    if (this.#rest.byteLength < begin) return false;
    if (!this.#rest.subarray(0, magic.byteLength).equals(magic))
      throw new PalimpsestError(
        "CODEC",
        "the connection does not start with the hello message of this version",
      );
    const lengthBytes = this.#rest.readUInt16LE(magic.byteLength);
    if (lengthBytes > maxAuthorizationBytes)
      throw new PalimpsestError(
        "CODEC",
        `the authorization has ${lengthBytes} bytes, which is longer than any token`,
      );
    if (this.#rest.byteLength < begin + lengthBytes) return false;
    this.#authorization = this.#rest.toString("utf8", begin, begin + lengthBytes);
    this.#rest = this.#rest.subarray(begin + lengthBytes);
    return true;
  }
}

function requestFrom(bytes: Buffer): BulkRequest {
  const lengthOfId = bytes.readUInt8(0);
  const offset = bytes.readBigUInt64LE(1 + idBytes);
  const lengthBytes = bytes.readUInt32LE(9 + idBytes);
  if (lengthOfId > idBytes || offset > BigInt(Number.MAX_SAFE_INTEGER))
    throw new PalimpsestError("CODEC", "the request is malformed");
  if (lengthBytes === 0 || lengthBytes > maxBulkBytes)
    throw new PalimpsestError(
      "INVALID_ARGUMENT",
      `length is ${lengthBytes}: ask for 1 to ${maxBulkBytes} bytes at once`,
    );
  return {
    objectId: bytes.toString("hex", 1, 1 + lengthOfId),
    offsetBytes: Number(offset),
    lengthBytes,
    waitMs: Math.min(maxBulkWaitMs, bytes.readUInt32LE(13 + idBytes)),
  };
}
