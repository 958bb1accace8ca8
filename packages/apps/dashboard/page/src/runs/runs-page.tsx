/** Shows training runs: the list, and one of them. */
import { runsSchema } from "../../../src/api/runs.js";
import { getJson } from "../data/fetch.js";
import { usePoll } from "../data/poll.js";
import { goTo, linkTo, place } from "../data/route.js";
import { session } from "../data/session.js";
import { EpisodePage } from "../microscope/episode-page.js";
import { bytesText, numberText, timeText } from "../parts/format.js";
import { Loading, Problem } from "../parts/state.js";
import { VirtualList } from "../parts/virtual-list.js";
import { EpisodesView } from "./episodes-view.js";

export function RunsPage() {
  const [, run, part, at] = place.value.parts;
  if (run === undefined) return <RunList />;
  return (
    <>
      <h1>
        <a href={linkTo(["runs"])}>Runs</a> / <a href={linkTo(["runs", run])}>{run}</a>
        {at === undefined ? "" : ` / episode ${at}`}
      </h1>
      {part === "episode" && at !== undefined ? (
        <EpisodePage run={run} at={Number(at)} />
      ) : (
        <EpisodesView run={run} />
      )}
    </>
  );
}

const isCluster = () => typeof session.value === "object" && session.value.source === "cluster";

function RunList() {
  const { now } = usePoll((signal) => getJson("/runs", runsSchema, signal), 3_000);
  const { value, error } = now.value;
  return (
    <>
      <h1>Runs</h1>
      <Problem text={error} />
      {value === undefined ? (
        <Loading />
      ) : (
        <>
          <VirtualList
            label="Runs"
            rows={value.rows}
            idOf={(run) => run.id}
            onChoose={(run) => goTo(linkTo(["runs", run.id]))}
            empty={`There are no runs in ${value.folders.join(", ")}. Choose other folders with ${isCluster() ? "palimpsest head start --runs FOLDER" : "palimpsest dashboard FOLDER"}.`}
            columns={[
              {
                title: "run",
                width: 210,
                grow: 2,
                cell: (run) => <a href={linkTo(["runs", run.id])}>{run.id}</a>,
              },
              { title: "recipe", width: 110, grow: 1, cell: ({ name }) => name },
              { title: "agent", width: 90, cell: ({ agent }) => agent },
              {
                title: "step",
                width: 80,
                cell: ({ lastStep, steps }) => (steps > 0 ? `${lastStep} / ${steps}` : lastStep || "–"),
              },
              {
                title: "reward",
                width: 70,
                cell: ({ lastReward }) => (lastReward === undefined ? "–" : numberText(lastReward)),
              },
              {
                title: "traces",
                width: 110,
                cell: (run) => `${run.traceFiles} (${bytesText(run.traceBytes)})`,
              },
              {
                title: "started",
                width: 175,
                cell: ({ createdAtMs }) => <time>{timeText(createdAtMs)}</time>,
              },
              { title: "", width: 120, grow: 2, cell: ({ problem }) => <span class="warn">{problem}</span> },
            ]}
          />
          <p class="dim small">Runs are read from {value.folders.join(", ")}.</p>
        </>
      )}
    </>
  );
}
