// Starts the console: fonts, styles, then the page.
import "./styles/fonts.css";
import "./styles/tokens.css";
import "./styles/base.css";
import "./styles/frame.css";
import "./styles/parts.css";
import "./styles/views.css";
import "./styles/memories.css";
import "./styles/graph.css";
import "./styles/learn.css";
import { render } from "preact";
import { App } from "./app";
import { applyTheme } from "./state/theme";

applyTheme();
const root = document.getElementById("console");
if (root) render(<App />, root);
