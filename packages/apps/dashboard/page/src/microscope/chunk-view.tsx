/** Shows one chunk of an episode: what was read, recalled, written and remembered, and what the tools did. */
import type { FactLane } from "@palimpsest/evals/microscope";
import type { Trace, TraceMemoryStep } from "@palimpsest/evals/trace-schema";
import { withQuery } from "../data/route.js";
import { durationText, numberText } from "../parts/format.js";
import { MemoryDiff } from "./memory-diff.js";
import { TokenStrip } from "./token-strip.js";
import { ToolCalls } from "./tool-calls.js";

const gateMarks = ({ written, exit }: TraceMemoryStep) =>
  `${written === false ? ", kept by its gate" : ""}${exit === true ? "; the reading ends here" : ""}`;

export function ChunkView({ trace, chunk, lanes }: ChunkViewProps) {
  const step = trace.memorySteps[chunk];
  const stepNumber = step?.step ?? trace.conversations[chunk]?.step ?? chunk;
  const conversation = trace.conversations.find((one) => one.step === stepNumber);
  const count = trace.memorySteps.length || trace.conversations.length;
  const happened = lanes.flatMap(({ fact, steps }) => {
    const event = steps[chunk]?.event;
    return event ? [`${fact.name}: ${event}`] : [];
  });
  return (
    <section class="card" data-chunk={chunk}>
      <h2>
        Chunk {chunk + 1} of {count}
        {chunk > 0 ? <a href={withQuery({ chunk: String(chunk - 1) })}>previous</a> : null}
        {chunk < count - 1 ? <a href={withQuery({ chunk: String(chunk + 1) })}>next</a> : null}
        <span class="dim small">
          {step ? `tokens ${step.documentTokenStart} to ${step.documentTokenEnd} of the document` : ""}
          {conversation
            ? ` · ${conversation.promptTokens} read, ${conversation.sampledTokens} written · version ${conversation.policyVersion}`
            : ""}
          {conversation?.seconds === undefined ? "" : ` · ${durationText(conversation.seconds * 1000)}`}
        </span>
        {conversation && conversation.stopReason !== "stop" ? (
          <span class="warn small">
            {conversation.stopReason === "length" ? "cut at its limit" : "aborted"}
          </span>
        ) : null}
        {conversation?.reward === undefined ? null : (
          <span class="small">earned {numberText(conversation.reward)}</span>
        )}
      </h2>
      {happened.length > 0 ? <p class="mark">{happened.join(" · ")}</p> : null}
      <div class="halves">
        {step ? (
          <div>
            <h3>
              Memory after it{step.head === undefined ? "" : `, head ${step.head} written`}
              {gateMarks(step)}
            </h3>
            <p class="text">
              <MemoryDiff before={trace.memorySteps[chunk - 1]?.memory ?? ""} after={step.memory} />
            </p>
          </div>
        ) : null}
        {step?.section === undefined ? null : (
          <div>
            <h3>What it read</h3>
            <p class="text">{step.section}</p>
          </div>
        )}
        {step?.recalled ? (
          <div>
            <h3>Recalled for it</h3>
            <p class="text">{step.recalled}</p>
          </div>
        ) : null}
        {step?.recallQuery ? (
          <div>
            <h3>Asked to be recalled</h3>
            <p class="text">{step.recallQuery}</p>
            {step.found ? (
              <>
                <h3>Found</h3>
                <p class="text">{step.found}</p>
              </>
            ) : null}
          </div>
        ) : null}
      </div>
      <ToolCalls trace={trace} step={stepNumber} />
      {conversation?.sampled === undefined ? null : (
        <details open={step === undefined}>
          <summary>What the model wrote</summary>
          <p class="text">{conversation.sampled}</p>
        </details>
      )}
      {conversation?.prompt === undefined ? null : (
        <details>
          <summary>Prompt</summary>
          <p class="text">{conversation.prompt}</p>
        </details>
      )}
      {conversation ? <TokenStrip conversation={conversation} /> : null}
    </section>
  );
}

interface ChunkViewProps {
  readonly trace: Trace;
  readonly chunk: number;
  readonly lanes: readonly FactLane[];
}
