/** The frame around every page: tabs, keys, and the signed-in user. */
import { useEffect, useRef } from "preact/hooks";
import type { Session } from "../../../src/api/session.js";
import { loadAlerts, openAlerts } from "../alerts/watch-alerts.js";
import { usePoll } from "../data/poll.js";
import { goTo, linkTo, place } from "../data/route.js";
import { session, signOut, unreachable } from "../data/session.js";
import { Problem } from "../parts/state.js";
import { Boundary } from "./boundary.js";
import { Mark } from "./mark.js";
import { pages } from "./pages.js";
import { SignIn } from "./sign-in.js";
import { isOwnKey, setSingleKeys, singleKeys } from "./single-keys.js";
import { toggleTheme } from "./theme.js";

const alertsEveryMs = 10_000;

export function Shell() {
  const now = session.value;
  if (now === "unknown")
    return <main class="sign-in">{unreachable.value ? <Problem text={unreachable.value} /> : null}</main>;
  return now === undefined ? <SignIn /> : <SignedIn session={now} />;
}

function SignedIn({ session: now }: { readonly session: Session }) {
  const own = pages.filter(({ sources }) => sources.includes(now.source));
  const help = useRef<HTMLDialogElement>(null);
  const body = useRef<HTMLElement>(null);
  const wasAt = useRef<string | undefined>(undefined);
  const path = place.value.parts[0] ?? own[0]?.path ?? "";
  const page = own.find((one) => one.path === path);
  usePoll(loadAlerts, alertsEveryMs);
  const count = openAlerts.value.length;
  useEffect(() => {
    document.title = `${count > 0 ? `(${count}) ` : ""}${page?.title ?? "Not found"} · Palimpsest`;
  }, [page, count]);
  useEffect(() => {
    // The focus moves to the new page, so that screen readers announce it.
    if (wasAt.current !== undefined && wasAt.current !== path) body.current?.focus({ preventScroll: true });
    wasAt.current = path;
  }, [page, path]);
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const { target } = event;
      if (event.key === "Escape" && target instanceof HTMLElement && target.matches("input,select,textarea"))
        target.blur();
      if (!isOwnKey(event)) return;
      const wanted = own[Number(event.key) - 1];
      if (wanted) goTo(linkTo([wanted.path]));
      else if (event.key === "t") toggleTheme();
      else if (event.key === "?") help.current?.showModal();
      else if (event.key === "/") document.querySelector<HTMLElement>("[data-filter]")?.focus();
      else return;
      event.preventDefault();
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  });
  const View = page?.view;
  return (
    <>
      <header>
        <a class="name" href="#/">
          <Mark /> Palimpsest
        </a>
        <nav aria-label="Pages">
          {own.map(({ path: to, title }) => (
            <a key={to} href={linkTo([to])} aria-current={to === path ? "page" : undefined}>
              {title}
              {to === "alerts" && count > 0 ? (
                <span class="count" title={`${count} open`}>
                  {count}
                </span>
              ) : null}
            </a>
          ))}
        </nav>
        <span class="who dim">
          {now.source === "cluster" ? `${now.clusterName} · ${now.role}` : "folders of runs"}
        </span>
        <button type="button" onClick={toggleTheme} aria-label="Light or dark">
          ◐
        </button>
        <button type="button" onClick={() => help.current?.showModal()} aria-label="Keys">
          ?
        </button>
        {now.source === "cluster" ? (
          <button type="button" onClick={() => void signOut()}>
            Sign out
          </button>
        ) : null}
      </header>
      <Problem text={unreachable.value} />
      <main ref={body} tabIndex={-1}>
        <Boundary at={place.value.parts.join("/")}>
          {View ? <View key={path} /> : <p>There is no page {path}.</p>}
        </Boundary>
      </main>
      <dialog ref={help} aria-label="Keys">
        <h2>Keys</h2>
        <dl class="keys">
          <dt>
            <kbd>1</kbd> … <kbd>{own.length}</kbd>
          </dt>
          <dd>pages, in the order of their tabs</dd>
          <dt>
            <kbd>/</kbd>
          </dt>
          <dd>filter</dd>
          <dt>
            <kbd>j</kbd> <kbd>k</kbd>
          </dt>
          <dd>next and previous chunk of a trajectory</dd>
          <dt>
            <kbd>n</kbd> <kbd>p</kbd>
          </dt>
          <dd>next and previous trajectory</dd>
          <dt>
            <kbd>t</kbd>
          </dt>
          <dd>light or dark</dd>
        </dl>
        <label>
          <input
            type="checkbox"
            checked={singleKeys.value}
            onChange={(event) => setSingleKeys(event.currentTarget.checked)}
          />
          these keys act
        </label>
        <form method="dialog">
          <button type="submit">Close</button>
        </form>
      </dialog>
    </>
  );
}
