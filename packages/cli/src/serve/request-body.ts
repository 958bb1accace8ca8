import type { IncomingMessage } from "node:http";
import { ApiError } from "./api-error.js";

/**
 * Reads a JSON body of bounded length.
 * @throws {ApiError} unsupported_media_type, request_too_large, invalid_json
 */
export async function readJson(request: IncomingMessage, maxBytes: number): Promise<unknown> {
  // Browsers send other types to any address without asking it first.
  const type = request.headers["content-type"] ?? "";
  if (!/^application\/json\s*(;|$)/i.test(type)) {
    const was = type === "" ? "missing" : JSON.stringify(type);
    throw new ApiError("unsupported_media_type", `content-type: is ${was}; send application/json`);
  }
  const tooLarge = (bytes: number) =>
    new ApiError(
      "request_too_large",
      `body: has ${bytes} bytes or more, and ${maxBytes} are taken; send less`,
    );
  const announced = Number(request.headers["content-length"] ?? 0);
  if (announced > maxBytes) throw tooLarge(announced);
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw tooLarge(bytes);
    chunks.push(chunk);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString("utf8")) as unknown;
  } catch (cause) {
    throw new ApiError("invalid_json", "body: is no JSON; send one JSON object", { cause });
  }
}
