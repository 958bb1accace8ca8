/**
 * The behavior of a page of traces: selecting, searching, sorting and keyboard shortcuts. It moves elements and reads
 * text, but never creates markup, so the text of a trace cannot become markup.
 */
export const viewerScript = `"use strict";
(() => {
  const $ = (selector, from = document) => from.querySelector(selector);
  const all = (selector, from = document) => [...from.querySelectorAll(selector)];
  const list = $("#list"), nav = $("nav"), main = $("#main"), search = $("#search"), sort = $("#sort"), found = $("#found");
  const rows = all("li", list);
  let shown, step = -1;
  const open = (row, at = -1) => {
    if (!row) return;
    for (const other of rows) $("button", other).removeAttribute("aria-current");
    const button = $("button", row);
    button.setAttribute("aria-current", "true");
    // Not scrollIntoView, which moves the page as well.
    const top = row.offsetTop - nav.offsetTop;
    if (top < nav.scrollTop || top + row.offsetHeight > nav.scrollTop + nav.clientHeight) nav.scrollTop = top - 60;
    main.replaceChildren(document.importNode($("template", row).content, true));
    shown = row;
    step = -1;
    if (at >= 0) goTo(at); else if (window.scrollTo) window.scrollTo(0, 0);
    remember();
  };
  const remember = () => {
    const hash = "#" + shown.dataset.order + (step >= 0 ? "." + step : "");
    try { history.replaceState(null, "", hash); } catch { location.hash = hash; }
  };
  const goTo = (at) => {
    const steps = all(".step", main);
    if (steps.length === 0) return;
    step = Math.max(0, Math.min(at, steps.length - 1));
    steps.forEach((other, i) => other.classList.toggle("current", i === step));
    if (steps[step].scrollIntoView) steps[step].scrollIntoView({ block: "start" });
    remember();
  };
  const visible = () => all("li", list).filter((row) => !row.hidden);
  const move = (by) => {
    const now = visible();
    open(now[Math.max(0, Math.min(now.indexOf(shown) + by, now.length - 1))]);
  };
  const texts = new Map();
  const textOf = (row) => {
    if (!texts.has(row)) texts.set(row, (row.textContent + " " + $("template", row).content.textContent).toLowerCase());
    return texts.get(row);
  };
  const filter = () => {
    const words = search.value.toLowerCase().split(/\\s+/).filter(Boolean);
    for (const row of rows) row.hidden = !words.every((word) => textOf(row).includes(word));
    const now = visible();
    found.textContent = now.length + " of " + rows.length;
    if (shown && shown.hidden && now.length > 0) open(now[0]);
  };
  const arrange = () => {
    const [key, direction] = sort.value.split(" ");
    const value = (row) => row.dataset[key] === "" ? NaN : Number(row.dataset[key]);
    const last = direction === "down" ? -Infinity : Infinity;
    const known = (row) => Number.isNaN(value(row)) ? last : value(row);
    const order = [...rows].sort((a, b) => direction === "down" ? known(b) - known(a) || 0 : known(a) - known(b) || 0);
    list.append(...order);
  };
  const toggle = () => {
    const page = document.documentElement;
    page.dataset.view = page.dataset.view === "plain" ? "diff" : "plain";
  };
  const theme = () => {
    const page = document.documentElement;
    const dark = page.dataset.theme ? page.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    page.dataset.theme = dark ? "light" : "dark";
  };
  const help = $("#help");
  const keys = {
    j: () => goTo(step + 1), ArrowDown: () => goTo(step + 1), k: () => goTo(step - 1), ArrowUp: () => goTo(step - 1),
    n: () => move(1), ArrowRight: () => move(1), p: () => move(-1), ArrowLeft: () => move(-1),
    Home: () => goTo(0), End: () => goTo(Infinity),
    d: toggle, t: theme, "/": () => search.focus(), "?": () => help.open ? help.close() : help.showModal(),
  };
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && document.activeElement === search) { search.blur(); return; }
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (["INPUT", "SELECT", "TEXTAREA"].includes(document.activeElement?.tagName)) return;
    if (event.target?.tagName === "SUMMARY" && event.key.startsWith("Arrow")) return;
    const act = Object.hasOwn(keys, event.key) ? keys[event.key] : undefined;
    if (!act) return;
    event.preventDefault();
    act();
  });
  list.addEventListener("click", (event) => {
    const row = event.target.closest("li");
    if (!row) return;
    open(row);
    if (matchMedia("(max-width:760px)").matches && main.scrollIntoView) main.scrollIntoView();
  });
  search.addEventListener("input", filter);
  sort.addEventListener("change", arrange);
  $("#diff").addEventListener("click", toggle);
  $("#theme").addEventListener("click", theme);
  $("#keys").addEventListener("click", keys["?"]);
  const wanted = /^#(\\d+)(?:\\.(\\d+))?$/.exec(location.hash);
  filter();
  open((wanted && rows[Number(wanted[1])]) || rows[0], wanted && wanted[2] ? Number(wanted[2]) : -1);
})();
`;
