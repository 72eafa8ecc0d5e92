/** This browser, as the decisions about it take it. */
import type { Browser } from "../store/pairing";

export function isInstalled(): boolean {
  const apple = (navigator as Navigator & { standalone?: boolean }).standalone === true;
  return apple || ["standalone", "fullscreen", "minimal-ui"].some((mode) => matchMedia(`(display-mode: ${mode})`).matches);
}

export function thisBrowser(): Browser {
  return { agent: navigator.userAgent, touchPoints: navigator.maxTouchPoints, isInstalled: isInstalled() };
}
