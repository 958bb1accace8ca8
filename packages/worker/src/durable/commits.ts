/**
 * Responsibility: carries the changes of a durable actor to the head, one commit at a time, each with all that has
 * gathered meanwhile.
 *
 * Invariants:
 * - COMMITS-1. Changes are committed in the order in which they were made; a promise of `add` resolves only when its change
 *   is in the store.
 * - COMMITS-2. A commit that was not answered is sent again until it is: the store knows it by its version. One that is
 *   refused ends the process, and nothing is answered any more.
 */
import { PalimpsestError } from "@palimpsest/wire";
import type { Field } from "./record.js";

export interface Change {
  readonly set: readonly Field[];
  readonly remove: readonly string[];
}

export interface CommitsDeps {
  readonly version: number;
  commit(version: number, change: Change): Promise<void>;
  /** Waits before a commit is sent again. */
  pause(): Promise<void>;
  readonly onRefused: (error: PalimpsestError) => void;
}

export class Commits {
  readonly #deps: CommitsDeps;
  #version: number;
  #set = new Map<string, Uint8Array>();
  #remove = new Set<string>();
  #waiters: (() => void)[] = [];
  #sending = false;
  #refused = false;

  constructor(deps: CommitsDeps) {
    this.#deps = deps;
    this.#version = deps.version;
  }

  add({ set, remove }: Change): Promise<void> {
    for (const { name, value } of set) {
      this.#remove.delete(name);
      this.#set.set(name, value);
    }
    for (const name of remove) {
      this.#set.delete(name);
      this.#remove.add(name);
    }
    return new Promise((resolve) => {
      this.#waiters.push(resolve);
      if (!this.#sending) void this.#send();
    });
  }

  async #send(): Promise<void> {
    this.#sending = true;
    while (this.#waiters.length > 0 && !this.#refused) {
      const change = {
        set: [...this.#set].map(([name, value]) => ({ name, value })),
        remove: [...this.#remove],
      };
      const waiters = this.#waiters;
      this.#set = new Map();
      this.#remove = new Set();
      this.#waiters = [];
      this.#version += 1;
      await this.#commit(this.#version, change);
      if (this.#refused) return;
      for (const resolve of waiters) resolve();
    }
    this.#sending = false;
  }

  /** COMMITS-2 */
  async #commit(version: number, change: Change): Promise<void> {
    for (;;) {
      try {
        await this.#deps.commit(version, change);
        return;
      } catch (reason) {
        const error = PalimpsestError.from(reason);
        if (!error.retryable) {
          this.#refused = true;
          this.#deps.onRefused(error);
          return;
        }
        await this.#deps.pause();
      }
    }
  }
}
