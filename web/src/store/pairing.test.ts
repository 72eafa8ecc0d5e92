import { describe, expect, it } from "vitest";
import { codeIn, deviceName, isIos, mustInstallFirst, tidyCode } from "./pairing";

const IPHONE = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 Version/18.1 Mobile/15E148 Safari/604.1";
const IPAD = "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 Version/18.1 Safari/605.1.15";
const PIXEL = "Mozilla/5.0 (Linux; Android 14; Pixel 8 Build/AP2A) AppleWebKit/537.36 Chrome/130.0 Mobile Safari/537.36";
const ANDROID = "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 Chrome/130.0 Mobile Safari/537.36";
const WINDOWS = "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/130.0 Safari/537.36 Edg/130.0";
const LINUX = "Mozilla/5.0 (X11; Linux x86_64; rv:131.0) Gecko/20100101 Firefox/131.0";

const at = (agent: string, touchPoints = 0, isInstalled = false) => ({ agent, touchPoints, isInstalled });

describe("codes", () => {
  it.each([
    ["k7qm2x", "K7QM2X"],
    ["K7Q-M2X", "K7QM2X"],
    [" k7 qm 2x ", "K7QM2X"],
    ["K7QM2X9", "K7QM2X"],
    ["ä!", ""],
  ])("tidies %j", (typed, code) => expect(tidyCode(typed)).toBe(code));

  it.each([
    ["https://studio.example/app/#pair=K7QM2X", "K7QM2X"],
    ["http://localhost:8767/app/#pair=k7q-m2x", "K7QM2X"],
    ['{"hermes":3,"host":"x","port":1,"key":"","tls":false,"relay":{"url":"ws://x","code":"K7QM2X"}}', "K7QM2X"],
    ["K7Q M2X", "K7QM2X"],
    ["https://studio.example/app/", null],
    ["https://evil.example/?pair=K7QM2X", null],
    ['{"relay":{"code":7}}', null],
    ['{"relay":null}', null],
    ["{broken", null],
    ["WIFI:S:home;T:WPA;P:secret;;", null],
    ["K7QM2", null],
    ["", null],
    ["x".repeat(30_000), null],
  ])("finds the code in %j", (text, code) => expect(codeIn(text)).toBe(code));
});

describe("browsers", () => {
  it.each([
    [at(IPHONE, 5), "iPhone"],
    [at(IPAD, 5), "iPad"],
    [at(IPAD, 0), "Safari on Mac"],
    [at(PIXEL, 5), "Pixel 8"],
    [at(ANDROID, 5), "Android phone"],
    [at(WINDOWS), "Edge on Windows"],
    [at(LINUX), "Firefox on Linux"],
    [at("something else"), "Browser"],
  ])("names %j", (browser, name) => expect(deviceName(browser)).toBe(name));

  it("installs first on iOS alone", () => {
    expect(mustInstallFirst(at(IPHONE, 5))).toBe(true);
    expect(mustInstallFirst(at(IPHONE, 5, true))).toBe(false);
    expect(mustInstallFirst(at(IPAD, 5))).toBe(true);
    expect(isIos(at(IPAD, 0))).toBe(false);
    expect(mustInstallFirst(at(PIXEL, 5))).toBe(false);
  });
});
