/** The playground's page: an agent reads, a button lets it learn, and every number is computed here and now. */
import { render } from "preact";
import { useEffect, useReducer, useRef, useState } from "preact/hooks";
import { Mark } from "../../../packages/apps/dashboard/page/src/shell/mark.js";
import { restoreTheme, toggleTheme } from "../../../packages/apps/dashboard/page/src/shell/theme.js";
import { CurveChart, curveColors } from "../../../packages/apps/dashboard/page/src/training/curve-chart.js";
import type { FromWorker, Question, World } from "../worker/messages.js";
import { OwnText } from "./own-text.js";
import { Reading } from "./reading.js";
import { emptyRun, type Run, runAfter } from "./run.js";
import { type PolicyWorker, startWorker, unpackProgram } from "./workers.js";
import "../../../packages/apps/dashboard/page/src/style/colors.css";
import "../../../packages/apps/dashboard/page/src/style/shell.css";
import "../../../packages/apps/dashboard/page/src/style/parts.css";
import "../../../packages/apps/dashboard/page/src/style/microscope.css";
import "../../../packages/apps/dashboard/page/src/style/training.css";
import "./playground.css";

type Traced = Extract<FromWorker, { kind: "trace" }>;

const chunkMs = 900;
const answerMs = 3_000;
/** Steps between two examinations, which the other worker makes while this one learns. */
const examineEvery = 5;
const runNames = ["as earned", "shuffled"] as const;
type RunName = (typeof runNames)[number];

function Playground() {
  const [world, setWorld] = useState<World>();
  const [traced, setTraced] = useState<Traced>();
  const [chunk, setChunk] = useState(0);
  const [isPlaying, setPlaying] = useState(true);
  const [shuffles, setShuffles] = useState(false);
  const [learning, setLearning] = useState<RunName>();
  const [problem, setProblem] = useState("");
  const [runs, tell] = useReducer(
    (now: Readonly<Record<RunName, Run>>, [name, message]: readonly [RunName, FromWorker | "begin"]) => ({
      ...now,
      [name]: message === "begin" ? begun(now[name]) : runAfter(now[name], message),
    }),
    { "as earned": emptyRun, shuffled: emptyRun },
  );
  const reader = useRef<PolicyWorker>(undefined);
  const learner = useRef<PolicyWorker>(undefined);
  const position = useRef(0);
  const current = useRef<RunName>("as earned");

  const begin = (program: string) => {
    reader.current = startWorker(program, (message) => {
      if (message.kind === "ready") {
        setWorld(message.world);
        reader.current?.say({ kind: "draw", position: position.current++ });
        reader.current?.say({ kind: "examine", step: 0 });
      } else if (message.kind === "trace") {
        setTraced(message);
        setChunk(0);
      } else if (message.kind === "examined") {
        // Both runs begin with the same weights, which are examined once.
        for (const name of message.step === 0 ? runNames : [current.current]) tell([name, message]);
      } else if (message.kind === "failed") setProblem(message.problem);
    });
    learner.current = startWorker(program, (message) => {
      if (message.kind === "failed") setProblem(message.problem);
      if (message.kind === "learned" || message.kind === "failed") setLearning(undefined);
      if (message.kind !== "step") return;
      tell([current.current, message]);
      const { step, weights, isLast } = message;
      if (step % examineEvery !== 0 && !isLast) return;
      reader.current?.say({ kind: "weights", weights, version: step });
      reader.current?.say({ kind: "examine", step });
    });
  };

  useEffect(() => {
    void unpackProgram().then(begin, (reason) => setProblem(String(reason)));
  }, []);

  const length = traced?.trace.memorySteps.length ?? 0;
  useEffect(() => {
    if (!isPlaying || traced === undefined) return undefined;
    const isDone = chunk >= length;
    // A person's own text stays until they go on.
    if (isDone && traced.question.id.startsWith("own-")) return undefined;
    const timer = setTimeout(
      () => {
        if (isDone) reader.current?.say({ kind: "draw", position: position.current++ });
        else setChunk(chunk + 1);
      },
      isDone ? answerMs : chunkMs,
    );
    return () => clearTimeout(timer);
  }, [traced, chunk, isPlaying, length]);

  const train = () => {
    const name: RunName = shuffles ? "shuffled" : "as earned";
    current.current = name;
    tell([name, "begin"]);
    setLearning(name);
    learner.current?.say({ kind: "learn", shuffleRewards: shuffles });
  };
  const shown = runs[learning ?? (shuffles ? "shuffled" : "as earned")];
  const first = shown.exact.values[0];
  const last = shown.exact.values.at(-1);
  return (
    <>
      <header>
        <span class="name">
          <Mark /> Palimpsest
        </span>
        <span class="dim">playground</span>
        <button type="button" class="quiet" style="margin-left:auto" onClick={toggleTheme}>
          light / dark
        </button>
      </header>
      <main data-steps={shown.steps} data-examined={shown.exact.steps.at(-1)}>
        <h1>An agent learns what to remember</h1>
        <p>
          It reads a document in chunks of four sentences and keeps a memory of at most eight tokens.
          Untrained it forgets most facts; reinforcement learning teaches it, in this page, which one to keep.
        </p>
        {problem === "" ? null : (
          <p class="problem" role="alert">
            {problem}
          </p>
        )}
        <div class="card controls">
          <button
            type="button"
            class="first train"
            disabled={world === undefined}
            onClick={learning ? () => learner.current?.say({ kind: "stop" }) : train}
          >
            {learning ? "Stop" : "Train"}
          </button>
          <label>
            <input
              type="checkbox"
              checked={shuffles}
              disabled={learning !== undefined}
              onChange={({ currentTarget }) => setShuffles(currentTarget.checked)}
            />{" "}
            shuffle the rewards (a control that must not learn)
          </label>
          <output id="figures">
            {world === undefined ? "loading the model…" : null}
            {last === undefined ? null : (
              <>
                exact match <b>{percent(first)}</b>
                {shown.steps === 0 ? null : (
                  <>
                    {" → "}
                    <b>{percent(last)}</b>{" "}
                    <span class="dim">
                      · step {shown.steps} · {Math.round(shown.seconds)} s
                    </span>
                  </>
                )}
              </>
            )}
          </output>
        </div>
        <div class="tools">
          <button type="button" disabled={world === undefined} onClick={() => setPlaying(!isPlaying)}>
            {isPlaying ? "Pause" : "Play"}
          </button>
          <button
            type="button"
            disabled={world === undefined}
            onClick={() => reader.current?.say({ kind: "draw", position: position.current++ })}
          >
            Another question
          </button>
          <span class="dim small">
            {traced === undefined
              ? ""
              : traced.version === 0
                ? "read by the untrained agent"
                : `read by the agent after step ${traced.version}`}
          </span>
        </div>
        {traced === undefined ? null : (
          <Reading
            {...traced}
            chunk={chunk}
            onChunk={(at) => {
              setPlaying(false);
              setChunk(at);
            }}
          />
        )}
        <div class="charts">
          {(["exact", "reward"] as const).map((figure) => (
            <CurveChart
              key={figure}
              title={
                figure === "exact" ? "Exact match, 100 other questions" : "Reward of the step's episodes"
              }
              curves={runNames
                .filter((name) => name === "as earned" || runs.shuffled.steps > 0)
                .map((name) => ({ run: `rewards ${name}`, ...runs[name][figure] }))}
              weight={0}
              onStep={() => undefined}
            />
          ))}
        </div>
        {runs.shuffled.steps > 0 ? (
          <p class="small">
            {runNames.map((name, at) => (
              <span key={name} class="key" style={`color:${curveColors[at]};margin-right:16px`}>
                <span class="dim">rewards {name}</span>
              </span>
            ))}
          </p>
        ) : null}
        {world === undefined ? null : (
          <OwnText
            world={world}
            onRead={(question: Question) => {
              setPlaying(true);
              reader.current?.say({ kind: "read", question });
            }}
          />
        )}
      </main>
    </>
  );
}

/** A run begins again, from the weights that were examined first. */
function begun({ exact: { steps, values } }: Run): Run {
  return { ...emptyRun, exact: { steps: steps.slice(0, 1), values: values.slice(0, 1) } };
}

const percent = (value: number | null | undefined) =>
  value === null || value === undefined ? "–" : `${Math.round(value * 100)} %`;

restoreTheme();
render(<Playground />, document.getElementById("app") as HTMLElement);
