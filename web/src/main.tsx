import "./styles/tokens.css";
import "./styles/app.css";

import { render } from "preact";

import { App } from "./app/app";

const place = document.getElementById("room");
if (place !== null) render(<App />, place);
