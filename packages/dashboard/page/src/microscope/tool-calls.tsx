/** The tools that a step called, and the store as it was before and after: the records that the calls had written. */
import type { Trace, TraceToolCall } from "@palimpsest/evals/trace-schema";

export function ToolCalls({ trace, step }: { readonly trace: Trace; readonly step: number }) {
  const { toolCalls = [], storeDiff } = trace;
  if (toolCalls.length === 0 && storeDiff === undefined) return null;
  const own = toolCalls.filter((call) => call.step === step);
  const before = written(toolCalls.filter((call) => call.step < step));
  const after = written(toolCalls.filter((call) => call.step <= step));
  const last = step >= Math.max(-1, ...toolCalls.map((call) => call.step));
  return (
    <div class="halves">
      <div>
        <h3>Tool calls</h3>
        {own.length === 0 ? <p class="dim">none</p> : null}
        {own.map((call, at) => (
          <div key={at} class="call">
            <h4>{call.name || "a call that could not be read"}</h4>
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
        ))}
      </div>
      <div>
        <h3>
          Calls that changed the store <span class="dim small">before this step and after it</span>
        </h3>
        <ol class="store">
          {after.map((call, at) => (
            <li key={at} class={at < before.length ? "" : "new"}>
              <b>{call.name}</b> {call.arguments}
            </li>
          ))}
        </ol>
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
    </div>
  );
}

const written = (calls: readonly TraceToolCall[]) =>
  calls.filter(({ name }) => /add|create|insert|update|write|store|save|delete|remove|forget/i.test(name));
