/** Shows the tools that a step called, and the store before and after each call, as far as the episode knows it. */
import { type ReplayedCall, replayStore, type StoreChange, wordDiff } from "@palimpsest/evals/microscope";
import type { Trace } from "@palimpsest/evals/trace-schema";
import { useMemo } from "preact/hooks";

export function ToolCalls({ trace, step }: { readonly trace: Trace; readonly step: number }) {
  const { toolCalls = [], storeDiff } = trace;
  const replayed = useMemo(() => replayStore(toolCalls), [trace]);
  if (toolCalls.length === 0 && storeDiff === undefined) return null;
  const own = replayed.filter(({ call }) => call.step === step);
  const last = step >= Math.max(-1, ...toolCalls.map((call) => call.step));
  return (
    <div>
      <h3>Tool calls, and the store before and after each</h3>
      {own.length === 0 ? <p class="dim">none</p> : null}
      {own.map((one, at) => (
        <Call key={at} {...one} />
      ))}
      {last && storeDiff ? (
        <>
          <h3>
            The store in the end{" "}
            <span class="dim small">
              {storeDiff.created.length} created, {storeDiff.updated.length} updated,{" "}
              {storeDiff.deleted.length} deleted
            </span>
          </h3>
          <ul class="store">
            {[...storeDiff.created, ...storeDiff.updated].map((record) => (
              <li key={record.id}>
                <code>{record.id}</code> {record.content}
              </li>
            ))}
            {storeDiff.deleted.map((id) => (
              <li key={id}>
                <del>{id}</del>
              </li>
            ))}
          </ul>
        </>
      ) : null}
    </div>
  );
}

function Call({ call, changes, before, after }: ReplayedCall) {
  return (
    <div class="call" data-call={call.name}>
      <div class="halves">
        <div>
          <h4>{call.name || "a call that could not be parsed"}</h4>
          <p class="text">{call.arguments}</p>
          {call.result === undefined ? (
            <p class="dim small">not answered</p>
          ) : (
            <>
              <h4>answered</h4>
              <p class="text">{call.result}</p>
            </>
          )}
        </div>
        <div>
          <h4>in the store</h4>
          {changes.length === 0 ? <p class="dim small">nothing changed</p> : null}
          {changes.map((change) => (
            <Change key={change.id} {...change} />
          ))}
          <details>
            <summary>
              What the episode knows of the store: {before.size} before, {after.size} after
            </summary>
            <ul class="store">
              {[...new Set([...before.keys(), ...after.keys()])].map((id) => (
                <li key={id} class={before.get(id) === after.get(id) ? "" : "new"}>
                  <code>{id}</code> {after.has(id) ? after.get(id) : <del>{before.get(id)}</del>}
                </li>
              ))}
            </ul>
          </details>
        </div>
      </div>
    </div>
  );
}

function Change({ id, before, after, known }: StoreChange) {
  return (
    <p class="text change">
      <code>{id}</code> {before === undefined && after !== undefined ? <ins>{after}</ins> : null}
      {before !== undefined && after !== undefined
        ? wordDiff(before, after).map(({ kind, text }, at) => {
            if (kind === "added") return <ins key={at}>{text}</ins>;
            if (kind === "removed") return <del key={at}>{text}</del>;
            return <span key={at}>{text}</span>;
          })
        : null}
      {after === undefined ? <del>{before ?? (known ? "" : "a record that it had not read")}</del> : null}
    </p>
  );
}
