/** Shows jobs: the list, one of them with its output, and a form that submits one. */

import { useSignal } from "@preact/signals";
import { type JobRow, jobSchema, jobsSchema } from "../../../src/api/jobs.js";
import { getJson, postJson } from "../data/fetch.js";
import { usePoll } from "../data/poll.js";
import { goTo, linkTo, place, withQuery } from "../data/route.js";
import { messageOf, session } from "../data/session.js";
import { durationText, timeText } from "../parts/format.js";
import { LogView } from "../parts/log-view.js";
import { Loading, Problem, State } from "../parts/state.js";
import { VirtualList } from "../parts/virtual-list.js";
import { SubmitJob } from "./submit-job.js";

export function JobsPage() {
  const { now, again } = usePoll((signal) => getJson("/jobs", jobsSchema, signal), 2_000);
  const [, jobId] = place.value.parts;
  const { value, error } = now.value;
  const mayChange = typeof session.value === "object" && session.value.mayChange;
  const submit = async (submission: unknown) => {
    const job = await postJson("/jobs", submission, jobSchema);
    again();
    goTo(linkTo(["jobs", job.jobId]));
  };
  return (
    <>
      <div class="title">
        <h1>Jobs</h1>
        {mayChange ? (
          <SubmitJob submit={submit} />
        ) : (
          <p class="dim">This token can read, but not submit jobs.</p>
        )}
      </div>
      <Problem text={error} />
      {value === undefined ? (
        <Loading />
      ) : (
        <>
          {value.total > value.rows.length ? (
            <p class="warn">
              The newest {value.rows.length} of {value.total} are shown.
            </p>
          ) : null}
          <VirtualList
            label="Jobs"
            rows={value.rows}
            idOf={(job) => job.jobId}
            current={jobId}
            onChoose={(job) => goTo(linkTo(["jobs", job.jobId]))}
            empty="No job was submitted."
            sorting={{
              by: place.value.query.get("sort") ?? "",
              onSort: (sort) => goTo(withQuery({ sort }), { replace: true }),
            }}
            columns={[
              {
                title: "job",
                width: 140,
                cell: (job) => <a href={linkTo(["jobs", job.jobId])}>{job.jobId}</a>,
              },
              { title: "name", width: 100, grow: 2, by: ({ name }) => name, cell: ({ name }) => name },
              { title: "status", width: 100, by: statusOf, cell: (job) => <State of={statusOf(job)} /> },
              {
                title: "submitted",
                width: 175,
                by: ({ submittedAtMs }) => submittedAtMs,
                cell: ({ submittedAtMs }) => <time>{timeText(submittedAtMs)}</time>,
              },
              { title: "ran", width: 110, by: ranMs, cell: ranText },
              { title: "message", width: 120, grow: 3, cell: ({ message }) => message },
            ]}
          />
        </>
      )}
      {jobId ? <OneJob jobId={jobId} mayChange={mayChange} onChanged={again} /> : null}
    </>
  );
}

function OneJob({ jobId, mayChange, onChanged }: OneJobProps) {
  const { now, again } = usePoll(
    (signal) => getJson(`/jobs/${encodeURIComponent(jobId)}`, jobSchema, signal),
    1_000,
    jobId,
  );
  const { value: job, error } = now.value;
  return (
    <section class="card" data-job={jobId} data-status={job ? statusOf(job) : ""}>
      <h2>
        {job?.name || jobId} {job ? <State of={statusOf(job)} /> : null}
      </h2>
      <Problem text={error} />
      {job ? (
        <>
          <p class="dim small">
            {jobId} · {job.nodeId || "no node yet"}
            {job.driverPid ? ` · pid ${job.driverPid}` : ""}
            {job.exitCode === undefined ? "" : ` · exit code ${job.exitCode}`} · ran {ranText(job)}
            {Object.entries(job.metadata).map(([name, value]) => ` · ${name}=${value}`)}
          </p>
          {job.message ? <p>{job.message}</p> : null}
          {mayChange && job.endedAtMs === 0 ? (
            <StopJob
              jobId={jobId}
              onStopped={() => {
                again();
                onChanged();
              }}
            />
          ) : null}
        </>
      ) : null}
      <LogView key={jobId} path={`api/jobs/${encodeURIComponent(jobId)}/log`} of="the job" />
    </section>
  );
}

interface OneJobProps {
  readonly jobId: string;
  readonly mayChange: boolean;
  readonly onChanged: () => void;
}

const statusOf = ({ status, stopRequested }: JobRow) =>
  status === "running" && stopRequested ? "stopping" : status;

function ranMs({ startedAtMs, endedAtMs }: JobRow): number | undefined {
  return startedAtMs === 0 ? undefined : (endedAtMs || Date.now()) - startedAtMs;
}

function ranText(job: JobRow): string {
  const ms = ranMs(job);
  return ms === undefined ? "–" : durationText(ms);
}

/** Stops a job after a second press, so that nobody stops a run that has taken days by accident. */

function StopJob({ jobId, onStopped }: { readonly jobId: string; readonly onStopped: () => void }) {
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
