/** A person's own text: the model has read nothing but its small world, so what it cannot know is named, not guessed. */
import { useState } from "preact/hooks";
import type { Question, World } from "../worker/messages.js";

export function OwnText({ world, onRead }: OwnTextProps) {
  const [text, setText] = useState(
    "tim likes milk. rain and wind. sara likes boats. bob likes rice. dora likes hats.",
  );
  const [name, setName] = useState("sara");
  const strange = unknownWords(text, world);
  const said = text.match(new RegExp(`\\b${name} likes (\\w+)`))?.[1];
  return (
    <section class="card">
      <h2>Read your own text</h2>
      <p class="dim">
        This model of 134,000 parameters has only ever read sentences such as “tim likes milk.”, with{" "}
        {world.names.length} names, {world.values.length} things and {world.fillers.length} sentences of
        weather. It knows no other word.
      </p>
      <form
        class="own"
        onSubmit={(event) => {
          event.preventDefault();
          if (strange.length === 0 && said !== undefined) onRead(ownQuestion(text, name, said));
        }}
      >
        <label>
          Text
          <textarea
            rows={4}
            value={text}
            aria-describedby="own-problem"
            onInput={({ currentTarget }) => setText(currentTarget.value)}
          />
        </label>
        <label>
          What does
          <select value={name} onChange={({ currentTarget }) => setName(currentTarget.value)}>
            {world.names.map((one) => (
              <option key={one}>{one}</option>
            ))}
          </select>
          like?
        </label>
        <button type="submit" disabled={strange.length > 0 || said === undefined}>
          Read it
        </button>
        <p
          id="own-problem"
          class={strange.length > 0 || said === undefined ? "problem" : "unseen"}
          aria-live="polite"
        >
          {strange.length > 0
            ? `The model does not know: ${strange.slice(0, 12).join(", ")}${strange.length > 12 ? `, and ${strange.length - 12} more` : ""}. Use the words below.`
            : said === undefined
              ? `The text does not say what ${name} likes; add “${name} likes milk.”, or ask for another name.`
              : ""}
        </p>
      </form>
      <details>
        <summary>The words that it knows</summary>
        <p class="text">{world.names.join(" ")}</p>
        <p class="text">{world.values.join(" ")}</p>
        <p class="text">{world.fillers.join("")}</p>
      </details>
    </section>
  );
}

interface OwnTextProps {
  readonly world: World;
  readonly onRead: (question: Question) => void;
}

const wordsOf = (text: string) => text.match(/[\p{L}\p{N}_'’-]+/gu) ?? [];

function unknownWords(text: string, { names, values, fillers }: World): string[] {
  const known = new Set([...names, ...values, "likes", ...fillers.flatMap(wordsOf)]);
  return [...new Set(wordsOf(text).filter((word) => !known.has(word)))];
}

function ownQuestion(text: string, name: string, value: string): Question {
  const sentences = text
    .split(/[.\n]+/)
    .map((one) => one.trim())
    .filter((one) => one !== "");
  return {
    id: `own-${Date.now()}`,
    question: `what does ${name} like?`,
    document: sentences.map((one) => ` ${one}.`).join(""),
    answers: [value],
    evidence: ` ${name} likes ${value}.`,
  };
}
