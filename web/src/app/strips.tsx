/** What stands between the person and the truth, one strip at a time; nothing when all is well. */
import "./strips.css";

import { effect, signal } from "@preact/signals";
import { useEffect } from "preact/hooks";

import { ownDevice } from "../live/devices";
import { useRoom, type Room } from "../live/room";
import { lastingTrouble } from "../live/trouble";
import { Strip } from "../parts/strip";
import { connectionHere } from "../store/connection";
import { stripOf, type StripAct } from "./strip-text";
import { loadNew, lookForNewSoon, newVersion } from "../sw/register";
import { go } from "../kit/navigate";

/** How long "Up to date" is said. */
const BACK_MS = 2_000;

/** How often a connection is a reason to look for a new app: rarely, and soon when the hub says another version. */
const LOOK_MS = 60_000;
const LOOK_OTHER_MS = 5_000;

const isBack = signal(false);
const isUnkept = signal(false);

export function Strips() {
  const room = useRoom();
  useEffect(() => followBack(room), [room]);
  useEffect(() => followVersion(room), [room]);
  const { link, isOld, state, now, clockOffMs } = room;
  const strip = stripOf({
    link: link.value,
    isOld: isOld.value,
    isBack: isBack.value,
    state: state.value,
    nowMs: now.value,
    clockOffMs: clockOffMs.value,
    update: isUnkept.value ? "unkept" : newVersion.value,
    appVersion: __APP_VERSION__,
    device: ownDevice(room),
    trouble: lastingTrouble.value,
    isPlain: connectionHere(location.protocol, location.hostname) === "plain",
  });
  const act = strip?.act;
  return (
    <div role="status">
      {strip === null ? null : (
        <Strip
          icon={strip.icon} {...(strip.kind === undefined ? {} : { kind: strip.kind })}
          act={act === undefined ? null : <button class="btn btn-plain" type="button" onClick={() => perform(act.does, room)}>{act.label}</button>}
        >
          <bdi>{strip.text}</bdi>
        </Strip>
      )}
    </div>
  );
}

function perform(act: StripAct, room: Room): void {
  switch (act) {
    case "prove":
      room.prove();
      return;
    case "load":
      void loadNew().then((isLoaded) => (isUnkept.value = !isLoaded));
      return;
    case "load_anyway":
      void loadNew(true);
      return;
    case "machines":
      go({ at: "settings", page: "machines" });
      return;
    case "this_device":
      go({ at: "settings", page: "this-device" });
      return;
  }
}

/** Says for a moment that what was old is not. */
function followBack(room: Room): () => void {
  let wasOld = room.isOld.peek();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const stop = effect(() => {
    const isOld = room.isOld.value;
    if (wasOld && !isOld) {
      isBack.value = true;
      timer = setTimeout(() => (isBack.value = false), BACK_MS);
    } else if (isOld) {
      clearTimeout(timer);
      isBack.value = false;
    }
    wasOld = isOld;
  });
  return () => {
    clearTimeout(timer);
    isBack.value = false;
    stop();
  };
}

/** A hub that comes back may have been updated, and with it the app. */
function followVersion(room: Room): () => void {
  return effect(() => {
    const { serverVersion } = room.state.value;
    const isOther = serverVersion !== null && serverVersion !== __APP_VERSION__;
    if (room.link.value.kind === "live") lookForNewSoon(isOther ? LOOK_OTHER_MS : LOOK_MS);
  });
}
