import type { IncomingMessage } from "node:http";
import { ApiError } from "./api-error.js";

/** Maximum levels of a body. The deepest values that clients send are schemas of tools, with about ten levels. */
const mostLevels = 64;
/** The decoder throws on invalid UTF-8, which would otherwise be decoded to other characters. */
const utf8 = new TextDecoder("utf-8", { fatal: true });

/** A body as JavaScript reads it, and as it was written: its text keeps long numbers and the order of keys. */
export interface RequestBody {
  readonly json: unknown;
  readonly text: string;
}

/**
 * Reads a JSON body of bounded length.
 * @throws {ApiError} unsupported_media_type, request_too_large, invalid_json, invalid_value
 */
export async function readJson(request: IncomingMessage, maxBytes: number): Promise<RequestBody> {
  // A content type other than JSON is refused, because browsers send such requests to any address without a preflight.
  const type = request.headers["content-type"] ?? "";
  if (!/^application\/json\s*(;|$)/i.test(type)) {
    const was = type === "" ? "missing" : JSON.stringify(type);
    throw new ApiError("unsupported_media_type", `content-type: is ${was}; send application/json`);
  }
  const tooLarge = (bytes: number) =>
    new ApiError(
      "request_too_large",
      `body: has at least ${bytes} bytes, and at most ${maxBytes} are accepted; send less`,
    );
  const announced = Number(request.headers["content-length"] ?? 0);
  if (announced > maxBytes) throw tooLarge(announced);
  const chunks: Buffer[] = [];
  let bytes = 0;
  const arriving: AsyncIterable<Buffer> = request;
  for await (const chunk of arriving) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw tooLarge(bytes);
    chunks.push(chunk);
  }
  const body = parse(Buffer.concat(chunks));
  if (isDeeper(body.json, mostLevels))
    throw new ApiError(
      "invalid_value",
      `body: is nested deeper than ${mostLevels} levels; send flatter JSON`,
    );
  return body;
}

function parse(bytes: Buffer): RequestBody {
  try {
    const text = utf8.decode(bytes);
    return { json: JSON.parse(text), text };
  } catch (cause) {
    throw new ApiError("invalid_json", "body: is not JSON in UTF-8; send one JSON object", { cause });
  }
}

/** Checks the depth without recursion, because later readers of the body use one stack frame per level. */
function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isDeeper(inner, levels - 1));
}
