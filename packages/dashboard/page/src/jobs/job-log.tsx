/** Shows the last part of a job's output as it is written. */
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { bytesText } from "../parts/format.js";
import { type FollowState, followLog } from "./follow-log.js";

/** Longer output is cut at its beginning, so that a page that follows a job for days stays fast. */
const keptCharacters = 1_000_000;

export function JobLog({ jobId }: { readonly jobId: string }) {
  const text = useSignal("");
  const began = useSignal(0);
  const state = useSignal<FollowState>("following");
  const frame = useRef<HTMLPreElement>(null);
  const atEnd = useRef(true);
  useEffect(
    () =>
      followLog(`api/jobs/${encodeURIComponent(jobId)}/log`, {
        onText(more, beganAtBytes) {
          began.value = beganAtBytes;
          text.value = (text.value + more).slice(-keptCharacters);
        },
        onState(next) {
          state.value = next;
        },
      }),
    [jobId, began, state, text],
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
        aria-label="output of the job"
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
