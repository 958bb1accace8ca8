/**
 * Responsibility: the JavaScript stack and profiles of a child process, even while it is busy. Opens the process's inspector by
 * SIGUSR1, which Node.js handles in a thread of its own, so that there is no cost before the first request.
 * Not responsible for: reading the stack (wire's stack.ts).
 *
 * Invariants:
 * - STACK-4. SIGUSR1 is not sent to a process that does not handle it yet, or no longer does, because it would die.
 * - STACK-5. The inspector listens on the loopback, under a random name that only the process's stderr shows. It
 *   stays open for the process's life, because Node.js can crash when an inspector is closed during a request.
 * - STACK-6. Requests are handled one after the other, but profiles, which take seconds, beside others.
 */
import type { ChildProcess } from "node:child_process";
import { readFileSync } from "node:fs";
import {
  inSources,
  PalimpsestError,
  type ProfileOptions,
  type ProfileReading,
  readProfile,
  readStack,
  type StackReading,
} from "@palimpsest/wire";
import { InspectorClient } from "./inspector-client.js";

/** The flags of Node.js that make its inspector behave as STACK-5 says. */
export const inspectorFlags = ["--inspect-port=127.0.0.1:0", "--inspect-publish-uid=stderr"] as const;

const openTimeoutMs = 3_000;
/** The timeout of one reading. A process may enter native code between the request and its answer. */
const readTimeoutMs = 4_000;
/** The bit of SIGUSR1 in the masks of /proc. */
const signalBit = 1n << 9n;

/** What reads the stack of a process, and profiles it. */
export type StackReader = Pick<ProcessStack, "read" | "profile">;

export class ProcessStack {
  readonly #child: ChildProcess;
  readonly #openTimeoutMs: number;
  /** Where the inspector listens; empty if it does not. */
  #url = "";
  #watching = false;
  #tail = "";
  #onChange: () => void = () => undefined;
  #last: Promise<unknown> = Promise.resolve();

  constructor(child: ChildProcess, options: { readonly openTimeoutMs?: number } = {}) {
    this.#child = child;
    this.#openTimeoutMs = options.openTimeoutMs ?? openTimeoutMs;
  }

  /** Reads the stack. @throws {PalimpsestError} UNAVAILABLE, with the reason */
  read(): Promise<StackReading> {
    return this.#inTurn(() => this.#asked((url) => this.#within(url, readTimeoutMs, readStack)));
  }

  /** Profiles it. @throws {PalimpsestError} UNAVAILABLE, with the reason */
  async profile(options: ProfileOptions): Promise<ProfileReading> {
    // Whether the inspector is still there is asked first, in turn; the profile itself keeps nobody waiting.
    const url = await this.#inTurn(() =>
      this.#asked(async (at) => {
        (await InspectorClient.connect(at)).close();
        return at;
      }),
    );
    const limitMs = options.durationMs + readTimeoutMs;
    // The bundles that processes run are files of this machine.
    return inSources(await this.#within(url, limitMs, (client) => readProfile(client, options)));
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const answer = this.#last.then(work);
    this.#last = answer.catch(() => undefined);
    return answer;
  }

  async #asked<T>(ask: (url: string) => Promise<T>): Promise<T> {
    this.#watch();
    for (let attempt = 1; ; attempt++) {
      const url = this.#url || (await this.#open());
      try {
        return await ask(url);
      } catch (reason) {
        // The process itself may have closed it, and that line of its stderr may not have arrived yet.
        if (attempt === 2) throw reason;
        if (this.#url === url) this.#url = "";
      }
    }
  }

  async #within<T>(url: string, limitMs: number, ask: (client: InspectorClient) => Promise<T>): Promise<T> {
    const client = await InspectorClient.connect(url);
    const limit = setTimeout(() => client.close(), limitMs);
    try {
      return await ask(client);
    } finally {
      clearTimeout(limit);
      client.close();
    }
  }

  async #open(): Promise<string> {
    const { pid } = this.#child;
    if (pid === undefined || !catchesSignal(pid)) {
      throw new PalimpsestError(
        "UNAVAILABLE",
        "the process is still starting, or has ended: retry in a second",
      );
    }
    this.#child.kill("SIGUSR1");
    await this.#until(() => this.#url !== "", this.#openTimeoutMs);
    if (this.#url !== "") return this.#url;
    throw new PalimpsestError(
      "UNAVAILABLE",
      `the process opened no inspector within ${this.#openTimeoutMs} ms: it is stopped, native code runs that has not returned to JavaScript, or it handles SIGUSR1 itself`,
    );
  }

  /** Follows the inspector's messages on the process's stderr. */
  #watch(): void {
    if (this.#watching) return;
    this.#watching = true;
    this.#child.stderr?.on("data", (chunk: Buffer) => {
      this.#tail = (this.#tail + chunk.toString("latin1")).slice(-1_024);
      const last = [...this.#tail.matchAll(/Debugger listening on (ws:\/\/127\.0\.0\.1:\S+)\s/g)].at(-1);
      if (!last) return;
      this.#tail = this.#tail.slice(last.index + last[0].length);
      this.#url = last[1] ?? "";
      this.#onChange();
    });
  }

  async #until(done: () => boolean, limitMs: number): Promise<void> {
    if (done()) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, limitMs);
      this.#onChange = () => {
        if (!done()) return;
        clearTimeout(timer);
        resolve();
      };
    });
    this.#onChange = () => undefined;
  }
}

/** Returns whether the process handles SIGUSR1. Without /proc the process is assumed to have started. */
function catchesSignal(pid: number): boolean {
  if (process.platform !== "linux") return true;
  try {
    const caught = /^SigCgt:\s*([0-9a-f]+)$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
    return (BigInt(`0x${caught ?? "0"}`) & signalBit) !== 0n;
  } catch {
    return false;
  }
}
