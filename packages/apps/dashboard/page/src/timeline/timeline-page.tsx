/** Shows calls, tasks and transfers of all processes on one time axis, and names the bottleneck. */
import { useMemo } from "preact/hooks";
import { callTimeline } from "../../../src/analysis/call-lanes.js";
import { jobsSchema } from "../../../src/api/jobs.js";
import { tasksPageSchema } from "../../../src/api/tasks.js";
import { getJson } from "../data/fetch.js";
import { usePoll } from "../data/poll.js";
import { goTo, place, withQuery } from "../data/route.js";
import { durationText } from "../parts/format.js";
import { Card, Loading, Problem, WithCode } from "../parts/state.js";
import { LaneCanvas } from "./lane-canvas.js";

const mostLanes = 60;
const mostMethods = 30;
/** Lengths of the time window in seconds. */
const spans = [10, 60, 600, 3_600] as const;

export function TimelinePage() {
  const { query } = place.value;
  const job = query.get("job") ?? "";
  const seconds = Number(query.get("seconds") ?? 60) || 60;
  const { now } = usePoll(
    async (signal) => {
      const [tasks, jobs] = await Promise.all([
        getJson(`/tasks?limit=5000&job=${encodeURIComponent(job)}`, tasksPageSchema, signal),
        getJson("/jobs", jobsSchema, signal),
      ]);
      return { tasks: tasks.rows, jobs: jobs.rows, atMs: Date.now() };
    },
    2_000,
    job,
  );
  const { value, error } = now.value;
  const timeline = useMemo(() => {
    if (value === undefined) return undefined;
    // The newest call ends the window, so that an idle cluster shows what it did last.
    const newest = value.tasks.reduce(
      (most, task) => Math.max(most, task.endedAtMs || (task.startedAtMs ? value.atMs : 0)),
      0,
    );
    const from = newest - seconds * 1000;
    return callTimeline(
      value.tasks.filter((task) => (task.endedAtMs || value.atMs) >= from),
      value.atMs,
    );
  }, [value, seconds]);
  const set = (values: Readonly<Record<string, string>>) => goTo(withQuery(values), { replace: true });
  return (
    <>
      <h1>Timeline</h1>
      <Problem text={error} />
      {value === undefined || timeline === undefined ? (
        <Loading />
      ) : (
        <>
          <p class="tools">
            <select
              aria-label="Job"
              value={job}
              onChange={(event) => set({ job: event.currentTarget.value })}
            >
              <option value="">all jobs</option>
              {value.jobs.slice(0, 100).map(({ jobId, name }) => (
                <option key={jobId} value={jobId}>
                  {name || jobId}
                </option>
              ))}
            </select>
            <select
              aria-label="Time range"
              value={String(seconds)}
              onChange={(event) => set({ seconds: event.currentTarget.value })}
            >
              {spans.map((span) => (
                <option key={span} value={String(span)}>
                  the last {durationText(span * 1000)} in which something ran
                </option>
              ))}
            </select>
            <span class="dim small">
              if there are too many, successful calls are sampled; palimpsest timeline writes a trace for
              Perfetto
            </span>
          </p>
          {timeline.lanes.length === 0 ? (
            <p class="dim">No call has been reported yet.</p>
          ) : (
            <>
              <p>
                <b data-bottleneck>{timeline.bottleneck || "No process stands out."}</b>{" "}
                <WithCode text={timeline.advice} />
              </p>
              <Card title={`Processes, over ${durationText(timeline.toMs - timeline.fromMs)}`}>
                {timeline.lanes.length > mostLanes ? (
                  <p class="warn">
                    The busiest {mostLanes} of {timeline.lanes.length} are shown.
                  </p>
                ) : null}
                <LaneCanvas timeline={{ ...timeline, lanes: timeline.lanes.slice(0, mostLanes) }} />
              </Card>
              <Card title="Methods">
                <div class="wide">
                  <table>
                    <thead>
                      <tr>
                        {["method", "calls", "ran", "each", "waited each", "failed"].map((title) => (
                          <th key={title} scope="col">
                            {title}
                          </th>
                        ))}
                      </tr>
                    </thead>
                    <tbody>
                      {timeline.methods.slice(0, mostMethods).map((method) => (
                        <tr key={method.name}>
                          <th scope="row">{method.name}</th>
                          <td>{method.calls}</td>
                          <td>{durationText(method.ranMs)}</td>
                          <td>{durationText(method.ranMs / method.calls)}</td>
                          <td>{durationText(method.waitedMs / method.calls)}</td>
                          <td class={method.failed > 0 ? "bad" : ""}>{method.failed}</td>
                        </tr>
                      ))}
                    </tbody>
                  </table>
                </div>
              </Card>
            </>
          )}
        </>
      )}
    </>
  );
}
