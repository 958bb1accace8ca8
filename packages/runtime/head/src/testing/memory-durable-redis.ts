import type { Redis } from "ioredis";
import { durableScripts } from "../store/redis-scripts.js";

type Fields = ReadonlyMap<string, Buffer>;
type Script = keyof typeof durableScripts;
type Argument = string | number | Buffer;

const [ownEpoch, ownVersion, ownOwner] = ["!epoch", "!version", "!owner"];

interface MemoryDurableOptions {
  /** Returns the epoch of the lease that is stored beside the records. */
  readonly storedEpoch: () => number;
  /** Sends a command to the store and returns its answer. Default: at once. */
  readonly send?: <Result>(command: () => Promise<Result>) => Promise<Result>;
}

/**
 * Keeps the records of durable actors in memory, and simulates their failures: they are emptied, or are back with an
 * older state. `durable-states.test.ts` checks that it gives the same answers as the scripts on Redis.
 */
export class MemoryDurableRedis {
  #records: ReadonlyMap<string, Fields> = new Map();
  /** Called with the key and the fields of each record that has changed. */
  onChange: (key: string, fields: Fields) => void = () => undefined;

  /** Loses all records. */
  flush(): void {
    this.#records = new Map();
  }

  /** Returns a function that restores the present records. */
  snapshot(): () => void {
    const records = this.#records;
    return () => {
      this.#records = records;
    };
  }

  get records(): ReadonlyMap<string, Fields> {
    return this.#records;
  }

  /** Returns the part of a Redis client that DurableStates uses. */
  client({ storedEpoch, send = (command) => command() }: MemoryDurableOptions): Redis {
    const run = (text: string, given: readonly Argument[]) =>
      send(async () => this.#run(text, storedEpoch(), given));
    const client = {
      on: () => undefined,
      config: () => send(async () => "OK"),
      info: () => send(async () => "aof_enabled:1"),
      evalsha: () => Promise.reject(new Error("NOSCRIPT the text is sent instead")),
      eval: (text: string, keyCount: number, _epochKey: string, ...given: Argument[]) =>
        keyCount === 2 ? run(text, given) : Promise.reject(new Error(`${keyCount} keys`)),
      callBuffer: (_eval: "EVAL", text: string, _keyCount: number, _epochKey: string, ...given: Argument[]) =>
        run(text, given),
    };
    return client as unknown as Redis;
  }

  #run(text: string, storedEpoch: number, [key, headEpoch, ...args]: readonly Argument[]): unknown {
    const names: readonly Script[] = ["open", "commit", "remove"];
    const script = names.find((name) => text.endsWith(durableScripts[name]));
    const record = new Map(this.#records.get(String(key)));
    if (script === "remove") {
      if (storedEpoch !== Number(headEpoch)) return "behind";
      const records = new Map(this.#records);
      const removed = records.delete(String(key));
      this.#records = records;
      return removed ? "1" : "0";
    }
    const standing =
      storedEpoch > Number(headEpoch) ? "deposed" : storedEpoch < Number(headEpoch) ? "behind" : "";
    if (script === "open") {
      if (standing !== "") return [Buffer.from(standing)];
      const owner = String(args[0]);
      if (String(record.get(ownOwner)) !== owner) {
        record.set(ownEpoch, Buffer.from(String(Number(String(record.get(ownEpoch) ?? 0)) + 1)));
        record.set(ownOwner, Buffer.from(owner));
        this.#keep(String(key), record);
      }
      return [...record].flatMap(([name, value]) => [Buffer.from(name), value]);
    }
    if (standing !== "") return standing;
    const [epoch, version, count, ...fields] = args;
    if (String(record.get(ownEpoch)) !== String(epoch)) return "fenced";
    const stored = Number(String(record.get(ownVersion) ?? 0));
    if (stored === Number(version)) return "written";
    if (stored !== Number(version) - 1) return "lost";
    const last = 2 * Number(count);
    for (let at = 0; at < last; at += 2)
      record.set(String(fields[at]), Buffer.from(fields[at + 1] as Buffer));
    for (const name of fields.slice(last)) record.delete(String(name));
    record.set(ownVersion, Buffer.from(String(version)));
    this.#keep(String(key), record);
    return "written";
  }

  #keep(key: string, fields: Fields): void {
    this.#records = new Map(this.#records).set(key, fields);
    this.onChange(key, fields);
  }
}
