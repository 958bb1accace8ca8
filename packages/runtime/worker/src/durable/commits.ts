/**
 * Responsibility: committing the changes of a durable actor at the head, one commit at a time, each with all changes
 * that have accumulated.
 *
 * Invariants:
 * - COMMITS-1. Changes are committed in the order in which they were made. A promise of `add` resolves only when its
 *   change is in the store.
 * - COMMITS-2. A commit without an answer is repeated until there is one, because the store recognizes it by its
 *   version. A refused commit ends the process, and nothing is answered any more.
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
  /** Waits for a while before a commit is repeated. */
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
