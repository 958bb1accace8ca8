/** What a job prints, as it comes; the last part of it. */
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { logEventSchema } from "../../../src/api/jobs.js";
import { bytesText } from "../parts/format.js";

/** More than this is cut at its beginning: a page that follows for days stays as fast. */
const keptCharacters = 1_000_000;

export function JobLog({ jobId }: { readonly jobId: string }) {
  const text = useSignal("");
  const began = useSignal(0);
  const state = useSignal<"following" | "ended" | "broken">("following");
  const frame = useRef<HTMLPreElement>(null);
  const atEnd = useRef(true);
  useEffect(() => {
    const source = new EventSource(`api/jobs/${encodeURIComponent(jobId)}/log`);
    let first = true;
    source.addEventListener("log", (event) => {
      const { offsetBytes, text: more } = logEventSchema.parse(JSON.parse(event.data));
      if (first) began.value = offsetBytes;
      first = false;
      text.value = (text.value + more).slice(-keptCharacters);
      state.value = "following";
    });
    source.addEventListener("end", () => {
      state.value = "ended";
      source.close();
    });
    source.onerror = () => {
      if (source.readyState === EventSource.CLOSED) state.value = "broken";
    };
    return () => source.close();
  }, [jobId, began, state, text]);
  useEffect(() => {
    const element = frame.current;
    if (element && atEnd.current) element.scrollTop = element.scrollHeight;
  });
  return (
    <>
      <h3>
        Output <span class="dim small">{state.value}</span>
      </h3>
      {began.value > 0 ? <p class="dim small">without the first {bytesText(began.value)}</p> : null}
      <pre
        class="log"
        data-log
        tabIndex={0}
        role="log"
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
