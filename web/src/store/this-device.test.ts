import { describe, expect, it } from "vitest";
import { bytesInWords, factsOf, type Fact, type FactName, type Probe } from "./this-device";

const GOOD: Probe = {
  isSecure: true, notifications: "granted", camera: "granted", microphone: "granted", passkeys: 1, passkeyTrouble: null,
  isKept: true, usedBytes: 1_400_000, isInstalled: true, canInstall: false, isIos: false,
};

function fact(name: FactName, change: Partial<Probe>): Fact {
  const found = factsOf({ ...GOOD, ...change }).find((one) => one.name === name);
  if (found === undefined) throw new Error(name);
  return found;
}

describe("what this device gives", () => {
  it("names all six, each with its purpose and how to change it", () => {
    for (const probe of [GOOD, { ...GOOD, isSecure: false, isInstalled: false, passkeys: 0, passkeyTrouble: "Plain." }]) {
      const facts = factsOf(probe);
      expect(facts.map(({ name }) => name)).toEqual(["notifications", "camera", "microphone", "passkey", "stored", "installed"]);
      for (const { purpose, state, how, act } of facts) {
        expect(purpose).not.toBe("");
        expect(state).not.toBe("");
        expect(how !== "" || act !== null).toBe(true);
      }
    }
  });

  it.each([
    ["notifications", { notifications: "prompt" }, "Not asked yet", "ask"],
    ["notifications", { notifications: "denied" }, "Denied", null],
    ["notifications", { notifications: "missing" }, "This browser has none", null],
    ["camera", { camera: "prompt" }, "Not asked yet", null],
    ["camera", { isSecure: false }, "Not possible over plain HTTP", null],
    ["microphone", { microphone: "unknown" }, "The browser does not say", null],
    ["passkey", { passkeys: 0 }, "None yet", "passkey"],
    ["passkey", { passkeys: 2 }, "2 made", null],
    ["passkey", { passkeys: 0, passkeyTrouble: "No." }, "Not possible here", null],
    ["stored", { isKept: false }, "May be removed by the browser · 1.4 MB used", "keep"],
    ["stored", { isKept: true, usedBytes: null }, "Kept", null],
    ["installed", { isInstalled: false, canInstall: true }, "Open in the browser", "install"],
    ["installed", { isInstalled: false, isIos: true }, "Open in the browser", null],
    ["installed", { isInstalled: false, isSecure: false }, "Not possible over plain HTTP", null],
  ] as const)("%s with %j", (name, change, state, act) => expect(fact(name, change)).toMatchObject({ state, act }));

  it.each([[0, "0 bytes"], [999, "999 bytes"], [12_400, "12 kB"], [1_440_000, "1.4 MB"], [128_000_000, "128 MB"]])(
    "%i is %s", (bytes, words) => expect(bytesInWords(bytes)).toBe(words));
});
