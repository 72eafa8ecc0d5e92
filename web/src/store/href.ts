/** Addresses that agents wrote. Pure. */

export const LONGEST_HREF = 2000;

/** The address when a person may follow it: http, https, mailto; null for everything else. */
export function safeHref(href: string): string | null {
  if (href.length > LONGEST_HREF || !/^(?:https?:\/\/|mailto:)/i.test(href) || /[\u0000-\u0020\u007f]/.test(href)) return null;
  try {
    const url = new URL(href);
    if (url.protocol === "mailto:") return url.href;
    if (url.protocol !== "http:" && url.protocol !== "https:") return null;
    return url.hostname === "" ? null : url.href;
  } catch {
    return null;
  }
}

/** Where a safe address leads, as people read it: the host as the network sees it, never a name before an `@`. */
export function targetOf(href: string): string {
  const url = new URL(href);
  return url.protocol === "mailto:" ? url.pathname.slice(0, 100) : url.host;
}
