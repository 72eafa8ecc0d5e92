import { options, render } from "preact";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { Markdown } from "./markdown";

let place: HTMLElement;
// Effects run at once: none may be left when the page goes.
const hooks = options as { requestAnimationFrame?: (callback: () => void) => void };
beforeEach(() => {
  hooks.requestAnimationFrame = (callback) => void queueMicrotask(callback);
  place = document.createElement("div");
  document.body.append(place);
});
afterEach(() => {
  render(null, place);
  place.remove();
  delete hooks.requestAnimationFrame;
});

const show = (text: string): HTMLElement => {
  render(<Markdown text={text} />, place);
  return place;
};

describe("Markdown on the page", () => {
  it.each([
    "<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "<iframe src=https://a.example>", "![p](https://a.example/p.png)",
    "<svg onload=alert(1)>", "[x](javascript:alert(1))", "<style>*{display:none}</style>", "```html\n<script>alert(1)</script>\n```",
    "<a href=javascript:alert(1)>x</a>", "| <img src=x> |\n|--|\n| <b>x</b> |", "[<img src=x>](https://a.example)",
  ])("makes no element of %j that could run or load anything", (text) => {
    show(text);
    expect(place.querySelectorAll("script, img, iframe, svg:not(.icon), style, object, embed, form, input").length).toBe(0);
    for (const link of place.querySelectorAll("a")) expect(link.getAttribute("href")).toMatch(/^(https?:|mailto:)/);
    for (const element of place.querySelectorAll("*")) expect(element.getAttributeNames().filter((name) => name.startsWith("on"))).toEqual([]);
  });

  it("shows the words of HTML as they are", () => {
    expect(show("<b>bold?</b> **bold**").textContent).toBe("<b>bold?</b> bold");
  });

  it("says where a link leads, and opens it outside", () => {
    const link = show("[my bank](https://evil.example/login)").querySelector("a");
    expect(link?.textContent).toBe("my bank (evil.example)");
    expect([link?.rel, link?.target, link?.title]).toEqual(["noopener noreferrer nofollow", "_blank", "https://evil.example/login"]);
  });

  it("strips overrides and characters that nobody sees", () => {
    expect(show("a\u202eexe.txt\u202c zero\u200bwidth").textContent).toBe("aexe.txt zerowidth");
  });

  it("is through with a megabyte", () => {
    expect(show("M".repeat(1_000_000)).textContent?.length).toBeLessThanOrEqual(100_000);
  });
});
