import { beforeAll, beforeEach, describe, expect, it, vi } from "vitest";

import { above, back, go, isDetail, popOut, route, startNavigation, tabOf } from "./navigate";
import type { Route } from "../store/routes";

/** The window of the tests would really go where a link leads. */
interface TestWindow {
  happyDOM: { settings: { navigation: { disableMainFrameNavigation: boolean; disableChildPageNavigation: boolean } } };
}

beforeAll(() => {
  const { navigation } = (window as unknown as TestWindow).happyDOM.settings;
  navigation.disableMainFrameNavigation = true;
  navigation.disableChildPageNavigation = true;
  startNavigation();
});
beforeEach(() => {
  history.replaceState(null, "", "/app/agents");
  dispatchEvent(new PopStateEvent("popstate"));
});

describe("navigation", () => {
  it("goes, and the address goes with it", () => {
    go({ at: "agent", agentId: "a b" });
    expect([location.pathname, route.value]).toEqual(["/app/agents/a%20b", { at: "agent", agentId: "a b" }]);
  });

  it("makes no second entry for the same place", () => {
    const entries = history.length;
    go({ at: "inbox" });
    go({ at: "inbox" });
    expect(history.length).toBe(entries + 1);
  });

  it("follows Back of the browser", () => {
    go({ at: "usage" });
    history.replaceState({ depth: 0 }, "", "/app/agents/a");
    dispatchEvent(new PopStateEvent("popstate"));
    expect(route.value).toEqual({ at: "agent", agentId: "a" });
  });

  it("goes to the place above when the app was opened by a link", () => {
    history.replaceState(null, "", "/app/agents/a/terminal");
    dispatchEvent(new PopStateEvent("popstate"));
    back();
    expect(route.value).toEqual({ at: "agent", agentId: "a" });
    back();
    expect(route.value).toEqual({ at: "agents" });
  });

  const click = (html: string, options: MouseEventInit = {}) => {
    document.body.innerHTML = html;
    let isTaken = false;
    const last = (event: Event): void => {
      isTaken = event.defaultPrevented;
    };
    window.addEventListener("click", last);
    document.querySelector("i")?.dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true, ...options }));
    window.removeEventListener("click", last);
    return isTaken;
  };

  it("takes plain clicks on links of the app, and leaves all others to the browser", () => {
    expect(click('<a href="/app/inbox"><i></i></a>')).toBe(true);
    expect(route.value).toEqual({ at: "inbox" });
    for (const [html, options] of [
      ['<a href="/app/chief"><i></i></a>', { ctrlKey: true }], ['<a href="/app/chief"><i></i></a>', { metaKey: true }],
      ['<a href="/app/chief" target="_blank"><i></i></a>', {}], ['<a href="/app/chief" download><i></i></a>', {}],
      ['<a href="#end"><i></i></a>', {}], ['<a href="https://elsewhere.example/x"><i></i></a>', {}], ["<i></i>", {}],
    ] as const) {
      expect(click(html, options), html).toBe(false);
    }
    expect(route.value).toEqual({ at: "inbox" });
  });

  it.each<[Route, string, boolean, Route["at"]]>([
    [{ at: "agents" }, "agents", false, "agents"], [{ at: "agent", agentId: "a" }, "agents", true, "agents"],
    [{ at: "chat", chatId: "c" }, "agents", true, "agents"], [{ at: "terminal", agentId: "a" }, "agents", true, "agent"],
    [{ at: "shells" }, "agents", true, "agents"], [{ at: "question", questionId: "q" }, "inbox", true, "inbox"],
    [{ at: "settings" }, "settings", false, "settings"], [{ at: "settings", page: "devices" }, "settings", true, "settings"],
    [{ at: "chief" }, "chief", false, "chief"], [{ at: "shared" }, "agents", false, "agents"], [{ at: "lost", path: "/x" }, "agents", false, "agents"],
  ])("%j stands under %s", (place, tab, detail, higher) => {
    expect([tabOf(place), isDetail(place), above(place).at]).toEqual([tab, detail, higher]);
  });

  it("opens a place in a window of its own, and here where windows are forbidden", () => {
    const open = vi.spyOn(window, "open").mockReturnValue(null);
    popOut({ at: "usage" });
    expect(open).toHaveBeenCalledWith("/app/usage?window=1", "controlroom:/app/usage", expect.stringContaining("popup"));
    expect(route.value).toEqual({ at: "usage" });
  });
});
