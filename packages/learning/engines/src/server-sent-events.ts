import { createParser } from "eventsource-parser";
import { EngineError } from "./error.js";

/** Maximum bytes of one event, and thus of a broken stream without line ends. */
const maxEventBytes = 16 * 2 ** 20;

/**
 * Yields the data of each event as it arrives, up to and including "[DONE]", however the bytes are split. Where there is
 * no event at all, the lines that are there are yielded as one: some servers send a value or an error under the content
 * type of events.
 * @throws {EngineError} BAD_REPLY for bytes that are not UTF-8 and for an event without end
 */
export async function* readEvents(
  path: string,
  bytes: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): AsyncGenerator<string, void> {
  const ready: string[] = [];
  const stray: string[] = [];
  let sizeBytes = 0;
  let isEmpty = true;
  const parser = createParser({
    onEvent: ({ data }) => {
      sizeBytes = 0;
      ready.push(data);
    },
    // llama.cpp writes a failure as a field of its own, and Ollama as a bare line.
    onError: ({ type, field, value, line }) => {
      if (type !== "unknown-field") return;
      if (field === "error" && value) ready.push(value);
      else if (line !== undefined && /^\{.*\}$/.test(line)) ready.push(line);
      else if (line !== undefined) stray.push(line);
    },
  });
  const decoder = new TextDecoder("utf-8", { fatal: true });
  const decode = (bytes?: Uint8Array) => {
    try {
      return decoder.decode(bytes, { stream: bytes !== undefined });
    } catch {
      throw new EngineError(
        "BAD_REPLY",
        `${path}: streamed bytes that are not UTF-8; let the server, or what stands before it, send UTF-8`,
      );
    }
  };
  for await (const chunk of bytes) {
    sizeBytes += chunk.length;
    parser.feed(decode(chunk));
    for (const data of ready.splice(0)) {
      isEmpty = false;
      yield data;
      if (data.trim() === "[DONE]") return;
    }
    if (sizeBytes > maxEventBytes) {
      throw new EngineError(
        "BAD_REPLY",
        `${path}: streamed an event of more than ${maxEventBytes} bytes; check that this is the URL of a model's server`,
        { retryable: false },
      );
    }
  }
  parser.feed(`${decode()}\n\n`);
  if (isEmpty && ready.length === 0 && stray.length > 0) yield stray.join("\n");
  yield* ready;
}
