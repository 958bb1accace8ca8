/** Submits a recipe, or a program of one module, which the reader types or picks as a file. */
import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { maxSubmittedText, type Submission } from "../../../src/api/jobs.js";
import { messageOf } from "../data/session.js";
import { Problem } from "../parts/state.js";

export function SubmitJob({ submit }: { readonly submit: (submission: Submission) => Promise<void> }) {
  const kind = useSignal<Submission["kind"]>("recipe");
  const name = useSignal("");
  const text = useSignal("");
  const argv = useSignal("");
  const problem = useSignal("");
  const busy = useSignal(false);
  const dialog = useRef<HTMLDialogElement>(null);
  const read = async (file: File | undefined) => {
    if (file === undefined) return;
    if (file.size > maxSubmittedText) {
      problem.value = `${file.name} has ${file.size} bytes: submit it with palimpsest job submit`;
      return;
    }
    text.value = await file.text();
    name.value = file.name;
    kind.value = /\.ya?ml$/i.test(file.name) ? "recipe" : "program";
  };
  const send = async (event: Event) => {
    event.preventDefault();
    busy.value = true;
    problem.value = "";
    try {
      const words = argv.value.split(/\s+/).filter(Boolean);
      const submissionId = `job-${crypto.randomUUID?.().slice(0, 13) ?? Date.now().toString(36)}`;
      await submit({ kind: kind.value, text: text.value, name: name.value, argv: words, submissionId });
      text.value = "";
      dialog.current?.close();
    } catch (reason) {
      problem.value = messageOf(reason);
    } finally {
      busy.value = false;
    }
  };
  return (
    <>
      <button type="button" onClick={() => dialog.current?.showModal()}>
        Submit a job
      </button>
      <dialog ref={dialog} class="wide-dialog" aria-label="Submit a job">
        <h2>Submit a job</h2>
        <form class="fields" onSubmit={(event) => void send(event)}>
          <label>
            File{" "}
            <input
              type="file"
              accept=".yaml,.yml,.js,.mjs"
              onChange={(event) => void read(event.currentTarget.files?.[0])}
            />
          </label>
          <label>
            Kind{" "}
            <select
              value={kind.value}
              onChange={(event) => {
                kind.value = event.currentTarget.value === "program" ? "program" : "recipe";
              }}
            >
              <option value="recipe">recipe (YAML)</option>
              <option value="program">program (one ES module)</option>
            </select>
          </label>
          <label>
            Name{" "}
            <input
              value={name.value}
              onInput={(event) => {
                name.value = event.currentTarget.value;
              }}
            />
          </label>
          <label>
            Arguments{" "}
            <input
              value={argv.value}
              onInput={(event) => {
                argv.value = event.currentTarget.value;
              }}
            />
          </label>
          <label class="whole">
            Text
            <textarea
              required
              rows={8}
              spellcheck={false}
              value={text.value}
              onInput={(event) => {
                text.value = event.currentTarget.value;
              }}
            />
          </label>
          <p class="dim small whole">
            A recipe's files and modules are read where its driver runs. What needs more than one file comes
            from <code>palimpsest job submit</code>.
          </p>
          <p class="tools whole">
            <button type="submit" class="first" disabled={busy.value}>
              Submit
            </button>
            <button type="button" onClick={() => dialog.current?.close()}>
              Cancel
            </button>
          </p>
          <Problem text={problem.value} />
        </form>
      </dialog>
    </>
  );
}
