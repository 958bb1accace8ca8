/** Shows what has happened to nodes, actors, jobs and placement groups, the newest first. */
import { useComputed, useSignal } from "@preact/signals";
import { eventsPageSchema } from "../../../src/api/cluster.js";
import { getJson } from "../data/fetch.js";
import { usePoll } from "../data/poll.js";
import { FilterWords } from "../parts/filter-field.js";
import { timeText } from "../parts/format.js";
import { Loading, Problem } from "../parts/state.js";
import { VirtualList } from "../parts/virtual-list.js";

export function EventsPage() {
  const { now } = usePoll((signal) => getJson("/events?limit=2000", eventsPageSchema, signal), 2_000);
  const words = useSignal("");
  const rows = useComputed(() => {
    const wanted = words.value.toLowerCase().split(/\s+/).filter(Boolean);
    return (now.value.value?.rows ?? []).filter((event) => {
      const text =
        `${event.kind} ${event.subjectId} ${event.nodeId} ${event.jobId} ${event.message}`.toLowerCase();
      return wanted.every((word) => text.includes(word));
    });
  });
  const { value, error } = now.value;
  return (
    <>
      <h1>Events</h1>
      <Problem text={error} />
      {value === undefined ? (
        <Loading />
      ) : (
        <>
          <p class="tools">
            <FilterWords label="Filter events" hint="kind, id, words …" words={words} />
            <span class="dim">
              {rows.value.length} of {value.rows.length}
              {value.next ? "; older events are not shown" : ""}
            </span>
          </p>
          <VirtualList
            label="Events"
            rows={rows.value}
            idOf={(event) => String(event.sequence)}
            empty="No event matches the filter."
            columns={[
              { title: "when", width: 175, cell: ({ atMs }) => <time>{timeText(atMs)}</time> },
              { title: "what", width: 110, grow: 1, cell: ({ kind }) => kind },
              { title: "of", width: 190, cell: ({ subjectId }) => <code>{subjectId}</code> },
              { title: "message", width: 200, grow: 4, cell: ({ message }) => message },
            ]}
          />
        </>
      )}
    </>
  );
}
