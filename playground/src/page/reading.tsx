/** One reading, chunk by chunk: the document with what is being read, and beside it the memory as it is overwritten. */
import { factLanes, laneEndText, laneMark } from "@palimpsest/evals/microscope";
import type { Trace } from "@palimpsest/evals/trace-schema";
import { MemoryDiff } from "../../../packages/apps/dashboard/page/src/microscope/memory-diff.js";
import type { Question } from "../worker/messages.js";

export function Reading({ question, trace, answer, chunk, onChunk }: ReadingProps) {
  const steps = trace.memorySteps;
  const isDone = chunk >= steps.length;
  const [lane] = factLanes(trace);
  const isRight = (trace.reward?.total ?? 0) >= 1;
  return (
    <div class="reading">
      <section class="card" aria-label="The document">
        <h2>
          The document{" "}
          <span class="dim small">
            {steps.length === 1 ? "one chunk" : `${steps.length} chunks, one at a time`}
          </span>
        </h2>
        <p class="asked">{question.question}</p>
        <ol class="chunks">
          {steps.map(({ step, section = "" }, at) => (
            <li key={step} class={at === chunk ? "now" : at < chunk ? "past" : ""}>
              <button
                type="button"
                aria-current={at === chunk ? "step" : undefined}
                onClick={() => onChunk(at)}
              >
                <Section text={section} evidence={question.evidence} />
              </button>
            </li>
          ))}
        </ol>
      </section>
      <section class="card" aria-label="The memory">
        <h2>
          The memory <span class="dim small">all that passes from one chunk to the next</span>
        </h2>
        <ol class="memories">
          {steps.map(({ step, memory }, at) => {
            const mark = lane?.steps[at];
            const shown = mark && laneMark(mark);
            return (
              <li key={step} class={at === chunk ? "now" : at < chunk ? "past" : "later"}>
                {at <= chunk ? (
                  <span class="text">
                    <MemoryDiff before={steps[at - 1]?.memory ?? ""} after={memory} />
                  </span>
                ) : (
                  " "
                )}
                {at <= chunk && shown ? (
                  <span class={`small ${shown.tone}`}>
                    {" "}
                    {shown.sign} {shown.text}
                  </span>
                ) : null}
              </li>
            );
          })}
        </ol>
        <p class="answer" aria-live="polite">
          {isDone ? (
            <>
              answer: <b class={isRight ? "good" : "bad"}>{answer || "nothing"}</b>{" "}
              <span class={isRight ? "good" : "bad"}>
                {isRight ? "✓ right" : `✗ wrong: ${question.answers.join(" or ")}`}
              </span>
              {lane ? <span class="dim small"> the fact: {laneEndText(lane)}</span> : null}
            </>
          ) : (
            <span class="dim">answer: …</span>
          )}
        </p>
      </section>
    </div>
  );
}

interface ReadingProps {
  readonly question: Question;
  readonly trace: Trace;
  /** What the reward reads of the reply. */
  readonly answer: string;
  /** The chunk being read; the number of chunks once it answers. */
  readonly chunk: number;
  readonly onChunk: (chunk: number) => void;
}

/** The text of a chunk, with the sentence that answers marked. */
function Section({ text, evidence = "" }: { readonly text: string; readonly evidence: string | undefined }) {
  const at = evidence === "" ? -1 : text.indexOf(evidence);
  if (at < 0) return <>{text}</>;
  return (
    <>
      {text.slice(0, at)}
      <mark>{evidence}</mark>
      {text.slice(at + evidence.length)}
    </>
  );
}
