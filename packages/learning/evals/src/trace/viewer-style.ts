/** The style of a page of traces, for light and dark themes, on desktops and phones. */
export const viewerStyle = `
:root{color-scheme:light dark;--page:#f6f7f9;--card:#fff;--line:#d9dde3;--text:#1c2128;--dim:#5d6673;--mark:#2457c5;
--added:#d2f4dc;--added-ink:#0b5b27;--removed:#ffe1de;--removed-ink:#93221a;--warn:#8a5a00;--good:#0b6b34;--bad:#a3261c}
@media (prefers-color-scheme:dark){:root:not([data-theme=light]){--page:#12161c;--card:#1a2028;--line:#313a46;--text:#e4e8ee;--dim:#98a3b3;
--mark:#86aeff;--added:#123f25;--added-ink:#a8efc0;--removed:#4b1d1a;--removed-ink:#ffbdb5;--warn:#e6b45a;--good:#74d79a;--bad:#ff9a90}}
:root[data-theme=dark]{color-scheme:dark;--page:#12161c;--card:#1a2028;--line:#313a46;--text:#e4e8ee;--dim:#98a3b3;--mark:#86aeff;
--added:#123f25;--added-ink:#a8efc0;--removed:#4b1d1a;--removed-ink:#ffbdb5;--warn:#e6b45a;--good:#74d79a;--bad:#ff9a90}
:root[data-theme=light]{color-scheme:light}
*{box-sizing:border-box}
body{margin:0;background:var(--page);color:var(--text);font:15px/1.5 system-ui,sans-serif}
button,input,select{font:inherit;color:inherit;background:var(--card);border:1px solid var(--line);border-radius:6px;padding:4px 10px}
button{cursor:pointer}
:focus-visible{outline:2px solid var(--mark);outline-offset:1px}
header{position:sticky;top:0;z-index:2;display:flex;flex-wrap:wrap;gap:8px;align-items:center;padding:8px 14px;background:var(--card);border-bottom:1px solid var(--line)}
header h1{font-size:16px;margin:0 auto 0 0}
.layout{display:grid;grid-template-columns:minmax(250px,340px) minmax(0,1fr)}
nav{position:sticky;top:53px;height:calc(100vh - 53px);overflow:auto;border-right:1px solid var(--line);padding:10px}
nav .tools{display:flex;gap:6px;margin-bottom:8px}
nav input{flex:1;min-width:0}
nav ol{list-style:none;margin:0;padding:0}
nav li button{width:100%;text-align:left;border-color:transparent;background:none;padding:6px 8px}
nav li button:hover{border-color:var(--line)}
nav li button[aria-current]{background:var(--card);border-color:var(--mark)}
nav .question{display:-webkit-box;-webkit-line-clamp:2;-webkit-box-orient:vertical;overflow:hidden;overflow-wrap:anywhere}
.dim{color:var(--dim)}.small{font-size:13px}.good{color:var(--good)}.bad{color:var(--bad)}.warn{color:var(--warn)}
main{padding:16px 20px 60px;max-width:980px}
h2{font-size:20px;line-height:1.35;margin:0 0 8px;overflow-wrap:anywhere}
h3{font-size:15px;margin:0;display:flex;flex-wrap:wrap;gap:4px 12px;align-items:baseline}
h3 span{font-weight:400}
h4{font-size:13px;margin:10px 0 3px;color:var(--dim);font-weight:600}
.card{background:var(--card);border:1px solid var(--line);border-radius:8px;padding:10px 14px;margin:12px 0}
.step{scroll-margin-top:66px}
.step:target,.step.current{border-color:var(--mark)}
.text{white-space:pre-wrap;overflow-wrap:anywhere;unicode-bidi:isolate;margin:0;font:14px/1.55 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
.recall{border-left:3px solid var(--mark);padding-left:10px}
ins{background:var(--added);color:var(--added-ink);text-decoration:none;border-radius:3px}
del{background:var(--removed);color:var(--removed-ink);border-radius:3px}
[data-view=plain] del{display:none}
[data-view=plain] ins{background:none;color:inherit}
dl{display:grid;grid-template-columns:max-content minmax(0,1fr);gap:2px 14px;margin:8px 0}
dt{color:var(--dim)}dd{margin:0;overflow-wrap:anywhere}
details{margin:6px 0}summary{cursor:pointer;color:var(--dim)}
.bar{height:4px;background:var(--line);border-radius:2px;overflow:hidden;margin:6px 0}
.bar i{display:block;height:100%;background:var(--mark)}
.wide{overflow-x:auto}.lanes{border-collapse:collapse}.lanes th,.lanes td{padding:1px 6px;text-align:center;white-space:nowrap;font-weight:400}
.lanes tbody th,.lanes td:last-child{text-align:left}.lanes td.read{box-shadow:inset 0 0 0 1px var(--mark);border-radius:4px}
kbd{border:1px solid var(--line);border-radius:4px;padding:0 5px;font-size:12px}
dialog{border:1px solid var(--line);border-radius:8px;background:var(--card);color:var(--text)}
@media (max-width:760px){.layout{display:block}nav{position:static;height:auto;max-height:38vh;border-right:0;border-bottom:1px solid var(--line)}main{padding:12px}header h1{width:100%}dl{grid-template-columns:1fr}dt{margin-top:4px}}
@media print{header,nav{display:none}}
`;
