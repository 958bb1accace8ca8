/**
 * Polls while the page is visible: after `everyMs`, after twice as long for each consecutive failure, and never so
 * often that the answers take more than a tenth of the time.
 */
import { type Signal, useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { messageOf, noticeRefusal } from "./session.js";
import { isStatic } from "./static.js";

const longestMs = 30_000;

interface Polled<Value> {
  readonly value: Value | undefined;
  /** The error of the last request; empty when it succeeded. */
  readonly error: string;
}

export interface Polling<Value> {
  readonly now: Signal<Polled<Value>>;
  /** Polls at once. Call it after a change that the answer should show. */
  again(): void;
}

export function usePoll<Value>(
  load: (signal: AbortSignal) => Promise<Value>,
  everyMs: number,
  /** Identifies what the answer depends on. When the key changes, the old answer is dropped and a new one requested. */
  key = "",
): Polling<Value> {
  const now = useSignal<Polled<Value>>({ value: undefined, error: "" });
  const poke = useSignal<() => void>(() => undefined);
  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let failures = 0;
    let asking = false;
    now.value = { value: undefined, error: "" };
    const ask = async () => {
      clearTimeout(timer);
      if (asking || signal.aborted) return;
      asking = true;
      const beganAt = performance.now();
      try {
        const value = await load(signal);
        if (!signal.aborted) now.value = { value, error: "" };
        failures = 0;
      } catch (reason) {
        if (signal.aborted) return;
        failures += 1;
        noticeRefusal(reason);
        now.value = { value: now.value.value, error: messageOf(reason) };
      } finally {
        asking = false;
      }
      const tookMs = performance.now() - beganAt;
      const waitMs = Math.min(longestMs, Math.max(everyMs * 2 ** Math.min(failures, 10), tookMs * 9));
      if (!document.hidden && !(isStatic && failures === 0)) timer = setTimeout(() => void ask(), waitMs);
    };
    const seen = () => {
      if (!document.hidden) void ask();
    };
    document.addEventListener("visibilitychange", seen);
    poke.value = () => void ask();
    void ask();
    return () => {
      controller.abort();
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", seen);
    };
  }, [key, everyMs]);
  return { now, again: () => poke.value() };
}
