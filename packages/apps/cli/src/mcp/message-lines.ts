import { Transform, type TransformCallback } from "node:stream";
import { z } from "zod";

const idSchema = z.union([z.string(), z.number()]);
const answerSchema = z.union([z.object({ result: z.unknown() }), z.object({ error: z.unknown() })]);
const messageSchema = z.union([
  z.looseObject({
    jsonrpc: z.literal("2.0"),
    method: z.string(),
    id: idSchema.optional(),
    params: z.looseObject({}).optional(),
  }),
  z.looseObject({ jsonrpc: z.literal("2.0"), result: z.looseObject({}), id: idSchema }),
  z.looseObject({ jsonrpc: z.literal("2.0"), error: z.looseObject({}), id: idSchema.optional() }),
]);

/** The codes of JSON-RPC 2.0. */
const parseError = -32_700;
const invalidRequest = -32_600;

/**
 * Passes on the lines that are messages of JSON-RPC, and answers the others as it asks, because the library behind drops
 * them: a client would wait for its reply.
 */
export class MessageLines extends Transform {
  readonly #answer: (line: string) => void;
  readonly #mostBytes: number;
  #held: Buffer[] = [];
  #heldBytes = 0;

  /**
   * @param answer writes a line to the client
   * @param mostBytes of a line; a longer one is passed on as it is, for its reader to refuse
   */
  constructor(answer: (line: string) => void, mostBytes: number) {
    super();
    this.#answer = answer;
    this.#mostBytes = mostBytes;
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    let from = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, from)) {
      this.#hold(chunk.subarray(from, end + 1));
      this.#take();
      from = end + 1;
    }
    this.#hold(chunk.subarray(from));
    if (this.#heldBytes > this.#mostBytes) this.#pass();
    done();
  }

  #hold(bytes: Buffer): void {
    this.#held.push(bytes);
    this.#heldBytes += bytes.length;
  }

  #pass(): void {
    this.push(Buffer.concat(this.#held));
    this.#held = [];
    this.#heldBytes = 0;
  }

  #take(): void {
    const refusal = refusalOf(Buffer.concat(this.#held).toString());
    if (refusal === undefined) this.#pass();
    else {
      this.#held = [];
      this.#heldBytes = 0;
      if (refusal !== "") this.#answer(`${refusal}\n`);
    }
  }
}

/** Returns the reply to a line that is no message; "" if it deserves none, and undefined for a message. */
function refusalOf(line: string): string | undefined {
  if (line.trim() === "") return "";
  const refusal = (code: number, message: string, id: string | number | null) =>
    JSON.stringify({ jsonrpc: "2.0", id, error: { code, message } });
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return refusal(parseError, "the message is not JSON; send one JSON-RPC message per line", null);
  }
  if (messageSchema.safeParse(value).success) return undefined;
  // A reply that is malformed is not answered by another one.
  if (answerSchema.safeParse(value).success) return "";
  const id = z.object({ id: idSchema }).safeParse(value).data?.id ?? null;
  return refusal(
    invalidRequest,
    Array.isArray(value)
      ? "the message is a list; send one JSON-RPC message per line"
      : 'the message is not a JSON-RPC request; it needs jsonrpc "2.0", a method, an id that is a text or a number, and params that are an object or absent',
    id,
  );
}
