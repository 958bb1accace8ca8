/**
 * Reads what a process of a cluster keeps after a garbage collection: the bytes of its heap and its largest tables. It
 * uses the process's inspector, which the process opens when it is sent SIGUSR1.
 */

import { InspectorClient } from "../../packages/runtime/node/src/processes/inspector-client.js";
import type { Command } from "../../test/support/command.js";
import { until } from "../../test/support/until.js";

export interface KeptMemory {
  readonly heapMiB: number;
  /** Memory outside of V8's heap: buffers and what native code allocates for the heap's objects. */
  readonly externalMiB: number;
  /** Maps, sets and arrays of at least `leastEntries`, the largest first. */
  readonly tables: readonly KeptTable[];
}

export interface KeptTable {
  readonly kind: string;
  readonly entries: number;
  /** One of the table's keys with its value, by which a reader recognizes the table. */
  readonly sample: string;
}

/** Makes the process's inspector listen on a random port of the loopback. Child processes have their own flags. */
export const probedEnvironment = {
  NODE_OPTIONS: "--inspect-port=127.0.0.1:0 --inspect-publish-uid=stderr",
};

const leastEntries = 200;
const maxTables = 25;
const mebibyte = 2 ** 20;

/** Runs in the probed process; `this` is the array of all objects of one prototype. */
const describeTables = `function (least) {
  const textOf = (value) => {
    if (typeof value === "string") return value.slice(0, 40);
    if (value === null || typeof value !== "object") return String(value);
    const names = Object.keys(value).slice(0, 8).join(",");
    return (value.constructor?.name ?? "Object") + "{" + names + "}";
  };
  return this.flatMap((table) => {
    const entries = Array.isArray(table) ? table.length : table.size;
    if (!(entries >= least)) return [];
    const [first] = table;
    const sample = table instanceof Map ? textOf(first?.[0]) + " => " + textOf(first?.[1]) : textOf(first);
    return [{ kind: table.constructor.name, entries, sample }];
  });
}`;

export class HeapProbe {
  readonly #client: InspectorClient;

  private constructor(client: InspectorClient) {
    this.#client = client;
  }

  /** @param command started with `probedEnvironment` */
  static async open(command: Command): Promise<HeapProbe> {
    process.kill(command.pid, "SIGUSR1");
    const url = () => /Debugger listening on (ws:\S+)/.exec(command.output)?.[1];
    await until("the inspector listens", () => url() !== undefined, { explain: () => command.output });
    return new HeapProbe(await InspectorClient.connect(url() ?? ""));
  }

  async read(): Promise<KeptMemory> {
    await this.#client.command("HeapProfiler.enable");
    await this.#client.command("HeapProfiler.collectGarbage");
    await this.#client.command("HeapProfiler.collectGarbage");
    const used = (await this.#evaluate("process.memoryUsage()", true)).value as NodeJS.MemoryUsage;
    const tables: KeptTable[] = [];
    for (const type of ["Map", "Set", "Array"]) tables.push(...(await this.#tables(type)));
    return {
      heapMiB: Number((used.heapUsed / mebibyte).toFixed(2)),
      externalMiB: Number((used.external / mebibyte).toFixed(2)),
      tables: tables.sort((a, b) => b.entries - a.entries).slice(0, maxTables),
    };
  }

  close(): void {
    this.#client.close();
  }

  async #tables(type: string): Promise<readonly KeptTable[]> {
    const prototypeObjectId = (await this.#evaluate(`${type}.prototype`, false)).objectId;
    const objectGroup = "probe";
    const found = await this.#client.command("Runtime.queryObjects", { prototypeObjectId, objectGroup });
    const { objectId } = found["objects"] as { readonly objectId: string };
    const answer = await this.#client.command("Runtime.callFunctionOn", {
      ...{ objectId, functionDeclaration: describeTables, arguments: [{ value: leastEntries }] },
      returnByValue: true,
    });
    await this.#client.command("Runtime.releaseObjectGroup", { objectGroup });
    return (answer["result"] as { readonly value?: readonly KeptTable[] }).value ?? [];
  }

  async #evaluate(expression: string, returnByValue: boolean) {
    const { result } = await this.#client.command("Runtime.evaluate", {
      ...{ expression, returnByValue, objectGroup: "probe" },
    });
    return result as { readonly value?: unknown; readonly objectId?: string };
  }
}
