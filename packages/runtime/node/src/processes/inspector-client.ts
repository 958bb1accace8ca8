/**
 * Responsibility: a client of the inspector protocol for another Node.js process on this machine, over its WebSocket.
 * Not responsible for: opening that process's inspector (process-stack.ts), or the commands.
 *
 * Invariants:
 * - INSPECTOR-1. Each command is answered exactly once: by the process, or by the connection's end.
 *
 * It implements only what an inspector sends: whole text frames, without extensions.
 */
import { randomBytes } from "node:crypto";
import { request } from "node:http";
import type { Socket } from "node:net";
import { PalimpsestError } from "@palimpsest/wire";

const connectTimeoutMs = 2_000;
const maxFrameBytes = 16 * 1024 * 1024;
const opcodes = { text: 1, close: 8, ping: 9, pong: 10 } as const;

type Fields = Readonly<Record<string, unknown>>;

export class InspectorClient {
  readonly #socket: Socket;
  readonly #answers = new Map<
    number,
    { resolve: (result: Fields) => void; reject: (error: Error) => void }
  >();
  readonly #listeners = new Map<string, (params: never) => void>();
  #received: Buffer;
  #nextId = 1;

  private constructor(socket: Socket, head: Buffer) {
    this.#socket = socket;
    this.#received = head;
    socket.on("data", (chunk: Buffer) => {
      this.#received = this.#received.length === 0 ? chunk : Buffer.concat([this.#received, chunk]);
      this.#readFrames();
    });
    socket.on("error", () => socket.destroy());
    socket.on("close", () => {
      const error = new PalimpsestError("UNAVAILABLE", "the process closed its inspector");
      for (const { reject } of this.#answers.values()) reject(error);
      this.#answers.clear();
    });
  }

  /** @param url ws://host:port/uuid @throws {PalimpsestError} UNAVAILABLE */
  static connect(url: string): Promise<InspectorClient> {
    const { hostname, port, pathname } = new URL(url);
    return new Promise((resolve, reject) => {
      const headers = {
        Connection: "Upgrade",
        Upgrade: "websocket",
        "Sec-WebSocket-Version": "13",
        "Sec-WebSocket-Key": randomBytes(16).toString("base64"),
      };
      const fail = (reason: string) =>
        reject(
          new PalimpsestError("UNAVAILABLE", `the inspector of the process cannot be reached: ${reason}`),
        );
      const opening = request({ host: hostname, port, path: pathname, headers, timeout: connectTimeoutMs });
      opening.on("upgrade", (_response, socket: Socket, head: Buffer) => {
        socket.setTimeout(0);
        const client = new InspectorClient(socket, head);
        resolve(client);
        client.#readFrames();
      });
      opening.on("response", (response) => {
        response.resume();
        fail(`it answered ${response.statusCode}`);
      });
      opening.on("timeout", () => opening.destroy(new Error(`no answer within ${connectTimeoutMs} ms`)));
      opening.on("error", (error) => fail(error.message));
      opening.end();
    });
  }

  on(event: string, listener: (params: never) => void): void {
    this.#listeners.set(event, listener);
  }

  /** @throws {PalimpsestError} UNAVAILABLE, INTERNAL */
  command(method: string, params: object = {}): Promise<Fields> {
    const id = this.#nextId++;
    return new Promise((resolve, reject) => {
      if (this.#socket.destroyed) {
        reject(new PalimpsestError("UNAVAILABLE", "the process closed its inspector"));
        return;
      }
      this.#answers.set(id, { resolve, reject });
      this.#send(opcodes.text, Buffer.from(JSON.stringify({ id, method, params })));
    });
  }

  close(): void {
    this.#send(opcodes.close, Buffer.alloc(0));
    this.#socket.destroySoon();
  }

  #send(opcode: number, payload: Buffer): void {
    if (this.#socket.destroyed) return;
    const { length } = payload;
    const header = Buffer.alloc(length < 126 ? 2 : 4);
    header[0] = 0x80 | opcode;
    header[1] = 0x80 | Math.min(length, 126);
    if (length >= 126) header.writeUInt16BE(length, 2);
    const mask = randomBytes(4);
    const masked = payload.map((byte, index) => byte ^ (mask[index % 4] ?? 0));
    this.#socket.write(Buffer.concat([header, mask, masked]));
  }

  #readFrames(): void {
    for (;;) {
      const frame = this.#takeFrame();
      if (frame === undefined) return;
      if (frame.opcode === opcodes.text) this.#receive(frame.payload);
      else if (frame.opcode === opcodes.ping) this.#send(opcodes.pong, frame.payload);
      else if (frame.opcode === opcodes.close) this.#socket.destroySoon();
    }
  }

  #takeFrame(): { readonly opcode: number; readonly payload: Buffer } | undefined {
    const bytes = this.#received;
    if (bytes.length < 2) return undefined;
    const short = bytes.readUInt8(1) & 0x7f;
    const start = short < 126 ? 2 : short === 126 ? 4 : 10;
    if (bytes.length < start) return undefined;
    const length =
      short < 126 ? short : short === 126 ? bytes.readUInt16BE(2) : Number(bytes.readBigUInt64BE(2));
    if (length > maxFrameBytes) {
      this.#socket.destroy();
      return undefined;
    }
    if (bytes.length < start + length) return undefined;
    this.#received = bytes.subarray(start + length);
    return { opcode: bytes.readUInt8(0) & 0x0f, payload: bytes.subarray(start, start + length) };
  }

  #receive(payload: Buffer): void {
    const message = JSON.parse(payload.toString("utf8")) as {
      readonly id?: number;
      readonly method?: string;
      readonly params?: Fields;
      readonly result?: Fields;
      readonly error?: { readonly message?: string };
    };
    if (message.id === undefined) {
      this.#listeners.get(message.method ?? "")?.((message.params ?? {}) as never);
      return;
    }
    const answer = this.#answers.get(message.id);
    this.#answers.delete(message.id);
    if (message.error) answer?.reject(new PalimpsestError("INTERNAL", message.error.message ?? "unknown"));
    else answer?.resolve(message.result ?? {});
  }
}
