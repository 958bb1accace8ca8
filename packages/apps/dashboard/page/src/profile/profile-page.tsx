/** Takes profiles of the cluster, and shows the last one, or a file that `palimpsest profile` wrote. */
import { signal, useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import * as z from "zod";
import { type Profile, profileOf } from "../../../src/analysis/profile-file.js";
import { actorsPageSchema } from "../../../src/api/cluster.js";
import { jobsSchema } from "../../../src/api/jobs.js";
import {
  givenProfileId,
  mostProfileSeconds,
  type ProfileState,
  profileStateSchema,
} from "../../../src/api/profiles.js";
import { getJson, postJson } from "../data/fetch.js";
import { usePoll } from "../data/poll.js";
import { place } from "../data/route.js";
import { messageOf, session } from "../data/session.js";
import { Card, Problem } from "../parts/state.js";
import { ProfileView } from "./profile-view.js";

/** A larger file is refused before it is read. */
const mostFileBytes = 256 * 1024 * 1024;
const mostChoices = 500;

/** The profile that is shown; it stays when the reader looks at another page. */
const opened = signal<{ readonly id: string; readonly title: string; readonly profile: Profile } | undefined>(
  undefined,
);

export function ProfilePage() {
  const now = session.value;
  const problem = useSignal("");
  const given = place.value.parts[1] ?? "";
  const load = async (id: string, title: string) => {
    try {
      const profile = profileOf(await getJson(`/profiles/${encodeURIComponent(id)}`, z.unknown()), title);
      opened.value = { id, title, profile };
      problem.value = "";
    } catch (reason) {
      problem.value = messageOf(reason);
    }
  };
  useEffect(() => {
    if (given === givenProfileId && opened.value?.id !== given) void load(given, "the given profile");
  }, [given]);
  const read = async (file: File | undefined) => {
    if (file === undefined) return;
    try {
      if (file.size > mostFileBytes) throw new Error(`${file.name}: has more than ${mostFileBytes} bytes`);
      const value: unknown = await file
        .text()
        .then(JSON.parse)
        .catch(() => undefined);
      opened.value = { id: "", title: file.name, profile: profileOf(value, file.name) };
      problem.value = "";
    } catch (reason) {
      problem.value = messageOf(reason);
    }
  };
  useEffect(() => {
    // A file may be dropped anywhere on the page.
    const over = (event: DragEvent) => event.preventDefault();
    const drop = (event: DragEvent) => {
      event.preventDefault();
      void read(event.dataTransfer?.files[0]);
    };
    addEventListener("dragover", over);
    addEventListener("drop", drop);
    return () => {
      removeEventListener("dragover", over);
      removeEventListener("drop", drop);
    };
  }, []);
  const { id = "", title = "", profile } = opened.value ?? {};
  return (
    <>
      <h1>Profile</h1>
      {typeof now === "object" && now.source === "cluster" ? (
        <TakeProfile mayTake={now.mayChange} onDone={(state) => void load(state.id, titleOf(state))} />
      ) : null}
      <p class="profile-file">
        <label>
          <span class="dim">open a file, or drop it here</span>
          <input
            type="file"
            accept=".cpuprofile,.heapprofile"
            onChange={(event) => void read(event.currentTarget.files?.[0])}
          />
        </label>
      </p>
      <Problem text={problem.value} />
      {profile ? <ProfileView key={`${id} ${title}`} profile={profile} title={title} /> : null}
    </>
  );
}

const titleOf = ({ kind, what }: ProfileState) => `${kind === "heap" ? "heap" : "CPU"} of ${what}`;

interface TakeProfileProps {
  readonly mayTake: boolean;
  /** Called once for each profile that is done, also for one that another reader has taken. */
  readonly onDone: (state: ProfileState) => void;
}

function TakeProfile({ mayTake, onDone }: TakeProfileProps) {
  const of = useSignal("");
  const kind = useSignal<"cpu" | "heap">("cpu");
  const seconds = useSignal("5");
  const problem = useSignal("");
  const { now, again } = usePoll((stop) => getJson("/profiles", profileStateSchema, stop), 1_000);
  const choices = usePoll(async (stop) => {
    const [actors, jobs] = await Promise.all([
      getJson(`/actors?limit=${mostChoices}`, actorsPageSchema, stop),
      getJson("/jobs", jobsSchema, stop),
    ]);
    return {
      actors: actors.rows.filter(({ state }) => state === "alive"),
      jobs: jobs.rows.filter(({ status }) => status === "running").slice(0, mostChoices),
    };
  }, 5_000).now.value.value;
  const { value: state, error } = now.value;
  const running = state?.state === "running";
  useEffect(() => {
    if (state?.state === "done" && opened.peek()?.id !== state.id) onDone(state);
  }, [state?.state, state?.id]);
  const start = async (event: Event) => {
    event.preventDefault();
    const [what = "", id = ""] = of.value.split(" ", 2);
    const chosen = what === "job" ? { job: id } : what === "actor" ? { target: id } : {};
    try {
      const request = { kind: kind.value, seconds: Number(seconds.value), ...chosen };
      await postJson("/profiles", request, profileStateSchema);
      problem.value = "";
    } catch (reason) {
      problem.value = messageOf(reason);
    }
    again();
  };
  return (
    <Card title="Take a profile">
      {mayTake ? (
        <form class="fields" onSubmit={(event) => void start(event)}>
          <label>
            of
            <select
              aria-label="what is profiled"
              value={of.value}
              onChange={(event) => {
                of.value = event.currentTarget.value;
              }}
            >
              <option value="">all actors and nodes</option>
              {choices?.jobs.map(({ jobId, name }) => (
                <option key={jobId} value={`job ${jobId}`}>
                  job {name || jobId}
                </option>
              ))}
              {choices?.actors.map(({ actorId, name, role }) => (
                <option key={actorId} value={`actor ${actorId}`}>
                  {role} {name || actorId}
                </option>
              ))}
            </select>
          </label>
          <label>
            kind
            <select
              value={kind.value}
              onChange={(event) => {
                kind.value = event.currentTarget.value === "heap" ? "heap" : "cpu";
              }}
            >
              <option value="cpu">CPU: where the time goes</option>
              <option value="heap">heap: what is allocated meanwhile and still in use</option>
            </select>
          </label>
          <label>
            seconds
            <input
              type="number"
              min={1}
              max={mostProfileSeconds}
              step={1}
              required
              value={seconds.value}
              onInput={(event) => {
                seconds.value = event.currentTarget.value;
              }}
            />
          </label>
          <button type="submit" class="first" disabled={running}>
            Start
          </button>
        </form>
      ) : (
        <p class="dim">This token may look at profiles and take none.</p>
      )}
      <Problem text={problem.value || error || (state?.state === "failed" ? state.problem : "")} />
      {state && running ? <Progress state={state} /> : null}
    </Card>
  );
}

function Progress({ state }: { readonly state: ProfileState }) {
  const { startedAtMs, nowMs, seconds, processes } = state;
  const done = Math.min(seconds, Math.max(0, (nowMs - startedAtMs) / 1000));
  return (
    <p class="tools" data-progress>
      <progress max={seconds} value={done} aria-label="time of the profile" />
      <span>
        {titleOf(state)}, {processes === 1 ? "1 process" : `${processes} processes`}: {Math.floor(done)} of{" "}
        {seconds} s
      </span>
    </p>
  );
}
