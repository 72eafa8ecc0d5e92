/** The whole app: who may see it, where it is, and the frame around every view. */
import "./shell.css";

import { makeRoom } from "../live/connect";
import { keepDevice } from "../live/keep-device";
import { keepQuestions } from "../live/questions";
import { isShut, unlocked } from "../live/lock";
import { RoomContext } from "../live/room";
import { keepInstallOffer } from "../kit/install";
import { keepTaste } from "../kit/keep-taste";
import { startKeys } from "../kit/keys";
import { readLayout } from "../kit/layout";
import { go, route, startNavigation } from "../kit/navigate";
import { keepPage } from "./page";
import { Shell } from "./shell";
import { PairView, UnlockView } from "./views";

keepTaste(window);
keepInstallOffer();
readLayout();
startNavigation();
startKeys();
const room = makeRoom();
keepDevice(room);
keepQuestions(room);
keepPage(room);
// What was written and not sent goes out whatever is looked at; not needed for the first picture.
void import("../live/writing").then((module) => module.writing(room));
void import("./notices").then((module) => module.keepNotices(room));
void import("./trouble").then((module) => module.keepTrouble(room));

export function App() {
  return <RoomContext.Provider value={room}><Gate /></RoomContext.Provider>;
}

/** Who is not paired pairs, who is locked unlocks; nothing of the room is in the page until then. */
function Gate() {
  const { kind } = room.link.value;
  const place = route.value;
  const code = place.at === "pair" ? place.code : undefined;
  if (place.at === "pair" || kind === "not_paired") return <PairView {...(code === undefined ? {} : { code })} onPaired={onPaired} />;
  if (isShut.value || kind === "locked") return <UnlockView onUnlocked={onUnlocked} />;
  return <Shell />;
}

function onUnlocked(): void {
  unlocked();
  room.prove();
}

function onPaired(): void {
  if (route.value.at === "pair") go({ at: "agents" }, { replace: true });
  room.prove();
}
