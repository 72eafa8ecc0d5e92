import "./styles/tokens.css";
import "./styles/app.css";

import { render } from "preact";

import { App } from "./app/app";
import { openLock } from "./live/lock";
import { startWorker } from "./sw/register";

// Whether the page begins locked is known before anything is drawn.
void openLock().finally(() => {
  const place = document.getElementById("room");
  if (place !== null) render(<App />, place);
});

startWorker();
