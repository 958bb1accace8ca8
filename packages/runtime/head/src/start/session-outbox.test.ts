import { Writable } from "node:stream";
import type * as proto from "@palimpsest/wire/protocol";
import { expect, it } from "vitest";
import { Outbox, type SessionStream } from "../services/session-service.js";

/** A driver that reads when it is told to. */
class Driver extends Writable {
  readonly read: proto.SessionEvent.$Properties[] = [];
  #waiting: (() => void)[] = [];

  constructor() {
    super({ objectMode: true });
  }

  override _write(event: proto.SessionEvent.$Properties, _encoding: string, done: () => void): void {
    this.#waiting.push(() => {
      this.read.push(event);
      done();
    });
  }

  async readAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      for (const take of this.#waiting.splice(0)) take();
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  get tokens(): string[] {
    return this.read.flatMap(({ newToken }) => newToken?.token ?? []);
  }
}

const death: proto.SessionEvent.$Properties = {
  actorDied: { certificate: { reason: "x".repeat(1024 * 1024 - 100) } },
};
const rotation = (token: string): proto.SessionEvent.$Properties => ({ newToken: { token, use: true } });

it("OUTBOX-2: a driver that does not read gets the last new token when it does", async () => {
  const driver = new Driver();
  const outbox = new Outbox(driver as unknown as SessionStream);
  for (let event = 0; event < 10; event++) outbox.send(death);
  outbox.send(rotation("first"));
  outbox.send(death);
  outbox.send(rotation("second"));
  await driver.readAll();
  expect(driver.tokens.at(-1)).toBe("second");
  // OUTBOX-1
  expect(driver.read.filter(({ actorDied }) => actorDied).length).toBeLessThan(5);
  outbox.send(rotation("third"));
  await driver.readAll();
  expect(driver.tokens.at(-1)).toBe("third");
  expect(driver.tokens.filter((token) => token === "third")).toHaveLength(1);
});
