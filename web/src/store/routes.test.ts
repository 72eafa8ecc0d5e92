import { describe, expect, it } from "vitest";

import { addressOf, parseRoute, type Route } from "./routes";

const ROUTES: Route[] = [
  { at: "chief" }, { at: "agents" }, { at: "agent", agentId: "agt_1" }, { at: "agent", agentId: "agt_1", itemId: "a/b c" },
  { at: "chat", chatId: "cht_1" }, { at: "terminal", agentId: "agt_1" }, { at: "shells" }, { at: "inbox" }, { at: "inbox", isClosed: true },
  { at: "question", questionId: "q_1" }, { at: "usage" }, { at: "settings" }, { at: "settings", page: "devices" },
  { at: "pair" }, { at: "shared" },
];

describe("routes", () => {
  it.each(ROUTES)("come back from their address: %o", (route) => {
    expect(parseRoute(addressOf(route))).toEqual(route);
  });
  it("opens the agents at the root", () => expect(parseRoute("/app/")).toEqual({ at: "agents" }));
  it("reads a pairing code from the fragment only", () => {
    expect(parseRoute("/app/", "#pair=ABC123")).toEqual({ at: "pair", code: "ABC123" });
    expect(parseRoute("/app/", "#pair=<script>")).toEqual({ at: "agents" });
  });
  it("knows questions by their old address too", () => expect(parseRoute("/app/questions/q_1")).toEqual({ at: "question", questionId: "q_1" }));
  it("says when there is no such place", () => expect(parseRoute("/app/nowhere").at).toBe("lost"));
  it("does not break on a bad escape", () => expect(parseRoute("/app/agents/%E0%A4%A")).toEqual({ at: "agent", agentId: "%E0%A4%A" }));
});
