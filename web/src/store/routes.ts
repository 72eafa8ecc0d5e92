/** Every place of the app has an address below /app/, so that it can be linked, shared and opened in its own window. */

export type Tab = "chief" | "agents" | "inbox" | "usage" | "settings";

export type Route =
  | { at: "chief" }
  | { at: "agents" }
  | { at: "agent"; agentId: string; itemId?: string } // its present chat
  | { at: "chat"; chatId: string; itemId?: string } // an older chat, or one of a gone agent
  | { at: "terminal"; agentId: string }
  | { at: "shells" } // shells of the host
  | { at: "inbox"; isClosed?: true } // open questions, or how closed ones ended
  | { at: "question"; questionId: string }
  | { at: "usage" }
  | { at: "settings"; page?: string } // devices, this-device, pair, reading, machines
  | { at: "pair"; code?: string }
  | { at: "shared" } // pick an agent for what was shared to the app
  | { at: "lost"; path: string };

export const BASE = "/app/";

/** The route of an address. `hash` holds secrets only (`#pair=CODE`): it never reaches the hub. */
export function parseRoute(path: string, hash = ""): Route {
  const code = /^#pair=([A-Za-z0-9-]{1,64})$/.exec(hash)?.[1];
  if (code !== undefined) return { at: "pair", code };
  const words = path.replace(/^\/app\/?/, "").split("/").filter((word) => word !== "").map(decode);
  const [first, second, third, fourth] = words;
  switch (first) {
    case undefined:
    case "agents":
      if (second === undefined) return { at: "agents" };
      if (third === "terminal") return { at: "terminal", agentId: second };
      if (third === "items" && fourth !== undefined) return { at: "agent", agentId: second, itemId: fourth };
      return third === undefined ? { at: "agent", agentId: second } : { at: "lost", path };
    case "chats":
      if (second === undefined) return { at: "lost", path };
      if (third === "items" && fourth !== undefined) return { at: "chat", chatId: second, itemId: fourth };
      return { at: "chat", chatId: second };
    case "inbox":
    case "questions":
      if (second === undefined) return { at: "inbox" };
      return second === "closed" ? { at: "inbox", isClosed: true } : { at: "question", questionId: second };
    case "settings":
      return second === undefined ? { at: "settings" } : { at: "settings", page: second };
    case "chief":
    case "usage":
    case "pair":
    case "shells":
    case "shared":
      return second === undefined ? { at: first } : { at: "lost", path };
    default:
      return { at: "lost", path };
  }
}

/** The address of a route. */
export function addressOf(route: Route): string {
  const parts = ((): string[] => {
    switch (route.at) {
      case "agents": return ["agents"];
      case "agent": return ["agents", route.agentId, ...(route.itemId === undefined ? [] : ["items", route.itemId])];
      case "terminal": return ["agents", route.agentId, "terminal"];
      case "chat": return ["chats", route.chatId, ...(route.itemId === undefined ? [] : ["items", route.itemId])];
      case "inbox": return route.isClosed === true ? ["inbox", "closed"] : ["inbox"];
      case "question": return ["inbox", route.questionId];
      case "settings": return route.page === undefined ? ["settings"] : ["settings", route.page];
      case "lost": return [];
      default: return [route.at];
    }
  })();
  return BASE + parts.map(encodeURIComponent).join("/");
}

function decode(word: string): string {
  try {
    return decodeURIComponent(word);
  } catch {
    return word;
  }
}
