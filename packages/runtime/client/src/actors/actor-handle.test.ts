import { expectTypeOf, test } from "vitest";
import type { ActorContext } from "../cluster/actor-context.js";
import type { ActorHandle } from "./actor-handle.js";

interface Reader {
  readonly path: string;
  read(line: number): string;
  readAll(signal: AbortSignal): Promise<readonly string[]>;
  lines(from: number): AsyncGenerator<string>;
  start(context: ActorContext): Promise<void>;
  stop(): void;
}

test("a handle has the methods of its class, as promises and as streams, and neither fields nor hooks", () => {
  expectTypeOf<ActorHandle<Reader>["read"]>().toEqualTypeOf<(line: number) => Promise<string>>();
  expectTypeOf<ActorHandle<Reader>["readAll"]>().toEqualTypeOf<
    (signal: AbortSignal) => Promise<readonly string[]>
  >();
  expectTypeOf<ActorHandle<Reader>["lines"]>().toEqualTypeOf<(from: number) => AsyncIterable<string>>();
  expectTypeOf<ActorHandle<Reader>>().not.toHaveProperty("path");
  expectTypeOf<ActorHandle<Reader>>().not.toHaveProperty("start");
  expectTypeOf<ActorHandle<Reader>>().not.toHaveProperty("stop");
  expectTypeOf<ReturnType<ActorHandle<Reader>["with"]>>().toEqualTypeOf<ActorHandle<Reader>>();
});
