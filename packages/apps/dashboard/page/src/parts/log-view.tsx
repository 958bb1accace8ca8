/** Shows the last part of the output of a job or an actor as it is written. */
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { type FollowState, followLog } from "./follow-log.js";
import { bytesText } from "./format.js";

/** Longer output is cut at its beginning, so that a page that follows it for days stays fast. */
const keptCharacters = 1_000_000;

/** @param path where the server sends it; @param of what it is the output of */
export function LogView({ path, of }: { readonly path: string; readonly of: string }) {
  const text = useSignal("");
  const began = useSignal(0);
  const state = useSignal<FollowState>("following");
  const frame = useRef<HTMLPreElement>(null);
  const atEnd = useRef(true);
  useEffect(
    () =>
      followLog(path, {
        onText(more, beganAtBytes) {
          began.value = beganAtBytes;
          text.value = (text.value + more).slice(-keptCharacters);
        },
        onState(next) {
          state.value = next;
        },
      }),
    [path, began, state, text],
  );
  useEffect(() => {
    const element = frame.current;
    if (element && atEnd.current) element.scrollTop = element.scrollHeight;
  });
  return (
    <>
      <h3>
        Output{" "}
        <span class="dim small" role="status">
          {state.value}
        </span>
      </h3>
      {began.value > 0 ? <p class="dim small">without the first {bytesText(began.value)}</p> : null}
      <pre
        class="log"
        data-log
        tabIndex={0}
        role="log"
        // Screen readers do not announce updates, because each line would announce the whole output again.
        aria-live="off"
        aria-label={`output of ${of}`}
        ref={frame}
        onScroll={(event) => {
          const { scrollTop, clientHeight, scrollHeight } = event.currentTarget;
          atEnd.current = scrollTop + clientHeight > scrollHeight - 30;
        }}
      >
        {text.value || "nothing was printed yet"}
      </pre>
    </>
  );
}
