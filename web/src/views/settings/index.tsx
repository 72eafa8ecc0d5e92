/** Settings: the list of pages, and one page. On a phone the list is the tab and a page is a detail. */
import { addressOf } from "../../store/routes";
import { isWide } from "../../kit/media";
import { line } from "../../kit/text";
import { ownDevice } from "../../live/devices";
import { push } from "../../live/push";
import { useRoom, type Room } from "../../live/room";
import { ConnectionBadge } from "../../parts/connection-badge";
import { Icon } from "../../parts/icon";
import { Title } from "../../parts/title";
import { connectionOf } from "../../store/connection";
import { taste } from "../../store/taste";
import { Devices } from "./devices";
import { LockPage } from "./lock";
import { Machines } from "./machines";
import { Notifications } from "./notifications";
import { PairDevice } from "./pair-device";
import { Reading } from "./reading";
import { ThisDevice } from "./this-device";
import { lockWords } from "./words";
import "./settings.css";

type PageName = "devices" | "this-device" | "notifications" | "lock" | "reading" | "machines" | "pair";

const PAGES: readonly { page: PageName; title: string; icon: string }[] = [
  { page: "this-device", title: "This device", icon: "phone" },
  { page: "notifications", title: "Notifications", icon: "bell" },
  { page: "devices", title: "Devices", icon: "laptop" },
  { page: "lock", title: "Lock", icon: "face" },
  { page: "reading", title: "Reading and keys", icon: "sun" },
  { page: "machines", title: "Machines and health", icon: "machine" },
  { page: "pair", title: "Pair a device", icon: "qr" },
];

export function SettingsList(props: { page?: string | undefined }) {
  const room = useRoom();
  const current = props.page ?? (isWide.value ? PAGES[0]?.page : undefined);
  const device = ownDevice(room);
  const version = room.state.value.serverVersion;
  return (
    <section class="pane pane-list" aria-label="Settings">
      <header class="head">
        <div class="head-top"><Title class="head-title">Settings</Title></div>
        <p class="head-sum">{device === null ? "" : <ConnectionBadge connection={connectionOf(device)} />}</p>
      </header>
      <div class="pane-scroll" tabIndex={-1} role="group" aria-label="Settings">
        <div class="page">
          <ul class="panel">
            {PAGES.map(({ page, title, icon }) => (
              <li key={page}>
                <a class="set" href={addressOf({ at: "settings", page })} aria-current={page === current ? "page" : undefined}>
                  <Icon name={icon} />
                  <span class="grow">{title}<small>{summaryOf(page, room)}</small></span>
                  <Icon name="right" small />
                </a>
              </li>
            ))}
          </ul>
          <p class="sec-hint">Control Room{version === null ? "" : `, version ${line(version, 40)} on the hub`}.</p>
        </div>
      </div>
    </section>
  );
}

/** `page` undefined (wide screens only): the first one. */
export function SettingsPage(props: { page?: string | undefined }) {
  switch (props.page ?? PAGES[0]?.page) {
    case "devices":
      return <Devices />;
    case "this-device":
      return <ThisDevice />;
    case "notifications":
      return <Notifications />;
    case "lock":
      return <LockPage />;
    case "reading":
      return <Reading />;
    case "machines":
      return <Machines />;
    case "pair":
      return <PairDevice />;
    default:
      return (
        <section class="pane pane-detail" aria-label="Not found">
          <div class="empty"><h2>There is no such page</h2><p><a href={addressOf({ at: "settings" })}>All settings</a></p></div>
        </section>
      );
  }
}

function summaryOf(page: PageName, room: Room): string {
  const { devices, machines } = room.state.value;
  const device = ownDevice(room);
  switch (page) {
    case "this-device":
      return device === null ? "" : line(device.name, 60);
    case "devices":
      return devices === null ? "" : `${devices.size} paired`;
    case "notifications":
      return { looking: "", impossible: "Not possible here", denied: "Denied in this browser", off: "Off", on: "On" }[push.value.at];
    case "lock":
      return lockWords(device);
    case "reading":
      return { system: "Like the system", light: "Light", dark: "Dark" }[taste.value.theme];
    case "machines": {
      const away = [...machines.values()].filter((machine) => !machine.online).length;
      if (away > 0) return `${away} not reachable`;
      return machines.size === 1 ? "1 machine" : `${machines.size} machines`;
    }
    case "pair":
      return "On the hub’s machine: controlroom pair";
  }
}
