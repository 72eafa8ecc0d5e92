/** Whether this device may type into terminals: its own row of the device list, as it is now. */
import { useEffect } from "preact/hooks";

import { loadDevices, ownDevice } from "../../live/devices";
import { useRoom } from "../../live/room";

export type OwnRight = "unknown" | "yes" | "no";

const RIGHT = "terminal";

/** `unknown` until the hub was asked; a key that is refused says it then. */
export function useTypingRight(): OwnRight {
  const room = useRoom();
  const device = ownDevice(room);
  const isLive = room.link.value.kind === "live";
  useEffect(() => {
    if (isLive && device === null) void loadDevices(room);
  }, [isLive, device === null]);
  if (device === null) return "unknown";
  const until = device.grants[RIGHT];
  if (until === undefined) return "no";
  return until === null || room.now.value <= until ? "yes" : "no";
}
