import { render } from "preact";
import "./style/colors.css";
import "./style/shell.css";
import "./style/parts.css";
import "./style/cluster.css";
import "./style/runs.css";
import "./style/microscope.css";
import "./style/training.css";
import "./style/profile.css";
import "./style/narrow.css";
import { askSession, session, signInFromLink } from "./data/session.js";
import { Shell } from "./shell/shell.js";
import { restoreTheme } from "./shell/theme.js";

restoreTheme();
const root = document.getElementById("app");
if (root) render(<Shell />, root);
addEventListener("hashchange", () => void signInFromLink());
void signInFromLink().then(async () => {
  if (session.value === "unknown") await askSession();
});
