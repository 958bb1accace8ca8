/** Stops a job after a second press, so that nobody stops a run that has taken days by accident. */
import { useSignal } from "@preact/signals";
import { jobSchema } from "../../../src/api/jobs.js";
import { postJson } from "../data/fetch.js";
import { messageOf } from "../data/session.js";
import { Problem } from "../parts/state.js";

export function StopJob({ jobId, onStopped }: { readonly jobId: string; readonly onStopped: () => void }) {
  const sure = useSignal(false);
  const problem = useSignal("");
  const stop = async () => {
    try {
      await postJson(`/jobs/${encodeURIComponent(jobId)}/stop`, {}, jobSchema);
      problem.value = "";
    } catch (reason) {
      problem.value = messageOf(reason);
    }
    sure.value = false;
    onStopped();
  };
  return (
    <div class="tools">
      {sure.value ? (
        <>
          <button type="button" class="danger" onClick={() => void stop()}>
            Stop it and its actors
          </button>
          <button
            type="button"
            onClick={() => {
              sure.value = false;
            }}
          >
            Let it run
          </button>
        </>
      ) : (
        <button
          type="button"
          onClick={() => {
            sure.value = true;
          }}
        >
          Stop
        </button>
      )}
      <Problem text={problem.value} />
    </div>
  );
}
