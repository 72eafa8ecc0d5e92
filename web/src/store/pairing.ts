/** What the pairing page knows without asking anybody: codes, names, and what kind of browser it runs in. Pure. */

export const CODE_LENGTH = 6;

/** The code as the hub compares it; what people put between its characters is not part of it. */
export function tidyCode(typed: string): string {
  return typed.toUpperCase().replace(/[^A-Z0-9]/g, "").slice(0, CODE_LENGTH);
}

export function isWholeCode(code: string): boolean {
  return /^[A-Z0-9]{6}$/.test(code);
}

/**
 * The code in what a QR code or the clipboard says: a link, the payload of `controlroom pair`, or the code itself.
 * Only the code is taken, never an address: this page speaks to the control room that it came from, and to no other.
 */
export function codeIn(text: string): string | null {
  const said = text.trim();
  if (said.length > 20_000) return null;
  const inLink = /#pair=([A-Za-z0-9-]{6,16})(?:&|$)/.exec(said)?.[1];
  if (inLink !== undefined) return whole(inLink);
  if (said.startsWith("{")) {
    try {
      const payload = JSON.parse(said) as { relay?: { code?: unknown } | null };
      const code = payload.relay?.code;
      return typeof code === "string" ? whole(code) : null;
    } catch {
      return null;
    }
  }
  return said.length <= CODE_LENGTH * 4 ? whole(said) : null;
}

function whole(said: string): string | null {
  const bare = said.toUpperCase().replace(/[\s-]/g, "");
  return isWholeCode(bare) ? bare : null;
}

export interface Browser {
  /** `navigator.userAgent` */
  agent: string;
  touchPoints: number;
  /** Opened from the home screen or as an installed app. */
  isInstalled: boolean;
}

/** Every browser on iOS keeps the installed app's storage apart from its own. */
export function isIos({ agent, touchPoints }: Browser): boolean {
  return /iPhone|iPad|iPod/.test(agent) || (/Macintosh/.test(agent) && touchPoints > 1);
}

/** On iOS the app has to be on the home screen before it is paired: a pairing in the browser does not come along. */
export function mustInstallFirst(browser: Browser): boolean {
  return isIos(browser) && !browser.isInstalled;
}

/** A name for this device that the person may change. */
export function deviceName(browser: Browser): string {
  const { agent } = browser;
  if (/iPhone/.test(agent)) return "iPhone";
  if (isIos(browser)) return "iPad";
  const program = /Firefox\//.test(agent) ? "Firefox" : /Edg\//.test(agent) ? "Edge" : /Chrom(e|ium)\//.test(agent) ? "Chrome"
    : /Safari\//.test(agent) ? "Safari" : "Browser";
  if (/Android/.test(agent)) {
    const model = /Android [^;)]*; ([^;)]{2,40}?)(?: Build\/[^;)]*)?[;)]/.exec(agent)?.[1];
    return model !== undefined && model !== "K" ? model : "Android phone";
  }
  const system = /Windows/.test(agent) ? "Windows" : /Macintosh/.test(agent) ? "Mac" : /CrOS/.test(agent) ? "ChromeOS"
    : /Linux/.test(agent) ? "Linux" : null;
  return system === null ? program : `${program} on ${system}`;
}
