/** Asks for a token. Without one this is the only page. */
import { useSignal } from "@preact/signals";
import { messageOf, signIn } from "../data/session.js";
import { Mark } from "./mark.js";

export function SignIn() {
  const token = useSignal("");
  const problem = useSignal("");
  const busy = useSignal(false);
  const send = async (event: Event) => {
    event.preventDefault();
    busy.value = true;
    problem.value = "";
    try {
      await signIn(token.value);
    } catch (reason) {
      problem.value = messageOf(reason);
    } finally {
      token.value = "";
      busy.value = false;
    }
  };
  return (
    <main class="sign-in">
      <form class="card" onSubmit={(event) => void send(event)}>
        <h1>
          <Mark /> Palimpsest
        </h1>
        <p>
          These pages are for whoever has their token. <code>palimpsest dashboard open</code>, on the head's
          machine, prints an address that signs in, and so does <code>palimpsest dev</code>.{" "}
          <code>palimpsest dashboard FOLDER</code> prints the token beside this address;{" "}
          <code>palimpsest head start</code> prints the name of the file that holds it.
        </p>
        <label for="token">Token</label>
        <input
          id="token"
          type="password"
          autocomplete="off"
          spellcheck={false}
          required
          value={token.value}
          onInput={(event) => {
            token.value = event.currentTarget.value;
          }}
        />
        <button type="submit" class="first" disabled={busy.value}>
          Sign in
        </button>
        {problem.value ? (
          <p class="problem" role="alert">
            {problem.value}
          </p>
        ) : null}
      </form>
    </main>
  );
}
