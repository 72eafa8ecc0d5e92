/** The views that are loaded when they are first shown. */
import { lazy } from "../parts/lazy";

export const ChatView = lazy(() => import("../views/chat").then((module) => module.ChatView));
export const AgentTerminal = lazy(() => import("../views/terminal").then((module) => module.AgentTerminal));
export const HostShells = lazy(() => import("../views/terminal").then((module) => module.HostShells));
export const Inbox = lazy(() => import("../views/inbox").then((module) => module.Inbox));
export const Chief = lazy(() => import("../views/chief").then((module) => module.Chief));
export const Usage = lazy(() => import("../views/usage").then((module) => module.Usage));
export const AgentSheets = lazy(() => import("../views/agents/sheet").then((module) => module.AgentSheets));
export const OperationSheets = lazy(() => import("../views/operations").then((module) => module.OperationSheets));
export const Palette = lazy(() => import("./palette").then((module) => module.Palette));
export const AllKeys = lazy(() => import("./all-keys").then((module) => module.AllKeys));

export const PairView = lazy(() => import("../views/pair").then((module) => module.PairView));
export const UnlockView = lazy(() => import("../views/unlock").then((module) => module.UnlockView));
export const SettingsList = lazy(() => import("../views/settings").then((module) => module.SettingsList));
export const SettingsPage = lazy(() => import("../views/settings").then((module) => module.SettingsPage));
export const SharedView = lazy(() => import("../views/shared").then((module) => module.SharedView));
